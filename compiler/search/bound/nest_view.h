// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A partly decided nest as bounds see it: how often what is inside of a dimension runs at least, and how much it touches at
// least.
//
//   y2 = 256 cut by 16 (decided), x2 = 256 uncut;  order(y2_0, x2) = Outside (certain), order(x2, y2_1) undecided
//   => inside of y2_0: y2_1 and x2;  runs(y2_0) = 1 (all), lengths of a step: y2 16, x2 256
//
// Invariant: for every leaf of the state, the figures are at most the leaf's: minima are taken for each loop alone. Full tiles
// only are counted.
#pragma once
#include "compiler/search/nest/nest_space.h"

namespace pbc::search {

class NestView {
public:
  NestView(const NestSpace &nest, const State &state);

  /// The dimensions of all loops.
  const std::vector<int> &dimensions() const { return dimensions_; }

  /// One step of a dimension: what lies inside of it.
  struct Step {
    double times = 1;            // how often it runs with its full length, at least
    std::vector<double> lengths; // by loop of the nest: different values of its variable in a step, at least
  };
  /// A step of `dimension`; without one, the whole nest, which runs once.
  Step step(std::optional<int> dimension) const;
  /// How many executions of the body vectors and loops written out put side by side. All other loops are `rolled`, so that the
  /// compiler of C++ puts nothing else side by side.
  struct Copies {
    double most = 1;
    bool isExact = true; // there are as many in each iteration of the loops
  };
  /// `withSums`: of loops that add to the same cell in each iteration, too.
  Copies sideBySide(bool withSums) const;
  /// Iterations of all loops that are certainly loops, at least.
  double iterations() const;
  /// The innermost loop, if it is certain that it is one and that everything inside of it is written out.
  struct InnermostLoop {
    int dimension;
    double runs;       // how often its body runs, at least
    double iterations; // at least
    double copies;     // of the body in an iteration, at least
    bool isOfSum;
  };
  std::optional<InnermostLoop> innermostLoop() const;
  /// How many cells of a row an instruction may load or store, at most: those of executions of the body that loops along the row,
  /// written out or vectors, put side by side. Infinite, if nothing is known of the array, or it may be copied.
  double cellsOfRow(const NestWork::Array &) const;
  /// Whether its cells may be stored past the caches.
  bool mayBeStreamed(const NestWork::Array &) const;
  /// The cells of an array that a step touches, at least.
  static double cells(const NestWork::Array &, const Step &);

private:
  long least(int dimension) const;
  long most(int dimension) const;

  const NestSpace &nest_;
  const State &state_;
  std::vector<int> dimensions_;
};

} // namespace pbc::search
