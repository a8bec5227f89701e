// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Codesign: finds the chip that computes a workload fastest within an area, with the best tiles of each
// problem on each chip.
//
//   const Codesign all(basis, designsIn({}), publishedWorkload(gtx980), TimeModel::Corrected);
//   const auto seconds = all.seconds(all.workload());
//   all.designs()[all.best(seconds)]     2 units of 1600 lanes, ...
//
// For a fixed chip the sum over the problems separates (C.19): the least time of each problem on each chip is
// computed once and kept, and another weighting of the problems is a sum over these times.
//
// Invariant: minimum(c, d) is what trying every tile would give (inner_minimum.h). Source: cost-models.md
// section 4 (C.8 to C.19).
#pragma once
#include "compiler/model/codesign/inner_minimum.h"
#include "compiler/model/codesign/workload.h"

namespace pbc::model {

class Codesign {
public:
  /// `tiles` empty: all tiles that a block of the basis can have. Throws Problem if there are too many
  /// combinations.
  Codesign(const StencilMachine &basis, std::vector<Design>, Workload, TimeModel,
           const std::vector<Tile> &tiles = {});

  const std::vector<Design> &designs() const { return designs_; }
  const Workload &workload() const { return workload_; }
  const InnerMinimum &minimum(size_t workloadCase, size_t design) const {
    return minima_[workloadCase][design];
  }
  /// The tile of minimum(); none if no tile fits.
  const Tile *tile(size_t workloadCase, size_t design) const;
  /// The number of pairs of a tile and a design, over all problems.
  double tried() const { return tried_; }

  /// For each design the mean time of a problem (C.18), with the frequencies of `weights`, which must have
  /// the same problems. Infinite if a problem that occurs has no tile.
  std::vector<double> seconds(const Workload &weights) const;

  /// The fastest design; of equally fast ones the smallest. Throws Problem if no design can compute the
  /// workload.
  size_t best(const std::vector<double> &seconds) const;
  /// The same among those with at most this area.
  size_t best(const std::vector<double> &seconds, double mostArea) const;

  /// Designs that are faster than all smaller ones, by rising area.
  std::vector<size_t> front(const std::vector<double> &seconds) const;

private:
  void checkBounds(const StencilMachine &basis) const;

  std::vector<Design> designs_;
  Workload workload_;
  std::vector<std::vector<Tile>> tiles_; // of each stencil
  std::vector<size_t> tilesOf_;          // of each problem: its index in tiles_
  std::vector<std::vector<InnerMinimum>> minima_;
  double tried_ = 0;
};

/// Iterations of the mean problem; divided by its time, they give the performance of a design.
double meanIterations(const Workload &weights);

} // namespace pbc::model
