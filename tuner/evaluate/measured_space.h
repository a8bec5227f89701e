// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A space that was measured completely, as a file: the times of every point of a grid (space/grid.h) at
// several sizes.
//
//   pbc tune ./sort --n=4096 --threads=1 --record=sort.space.json --trials=3000
//   const MeasuredSpace measured = readMeasuredSpace("sort.space.json");
//   measured.seconds[2][17]   ->  0.00031 at the third size, of point 17; or why it was rejected
//
// The file is JSON: "info" (the output of PROG --info), "sizes", "cutoffs" and "values" (the grid's
// fineness), "noise" (the relative deviation of single runs), and for each size "unit" and "times": whole
// multiples of the unit, which is a thousandth of the fastest time; -1 - i for points that were rejected
// because of "failures"[i]. So a few thousand points take less than 200 kB. Invariant: at each size there are
// as many times as the grid has points, and the default's point is accepted. Source: Kernel Tuner's
// simulation mode (tuning-practice.md 7).
#pragma once
#include "tuner/space/grid.h"
#include "tuner/strategy/evaluator.h"

namespace pbc::tuner {

/// One point at one size.
struct MeasuredPoint {
  double seconds = 0;
  std::optional<Failure> failure;
};

struct MeasuredSpace {
  std::string info; // JSON
  ProgramSpace space;
  std::vector<TestSize> sizes; // the full size is the last
  Grid::Fineness fineness;
  double noise = 0;
  std::string machine, date;
  std::vector<std::vector<MeasuredPoint>> points; // by size, by index in the grid

  Grid grid() const { return {space, sizes.back().n, fineness}; }
};

std::string toJson(const MeasuredSpace &);
/// Throws TunerError for a text of another form; `where` names it in the message.
MeasuredSpace measuredSpaceFromJson(const std::string &json, const std::string &where);
MeasuredSpace readMeasuredSpace(const std::string &path);

} // namespace pbc::tuner
