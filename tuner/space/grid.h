// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The finite part of a space that can be searched completely: selectors of at most two levels with cut-offs
// on a scale, and numbers on a scale.
//
//   Grid grid(space, n = 4096, {.cutoffs = 2, .values = 5});
//   grid.size()           ->  340      at most kHuge, because spaces multiply
//   grid.at(17)           ->  {n<256: Insertion, else Merge}, block 64
//   grid.nearest(other)   ->  the index of the point that decides most like it
//   finestGrid(space, n, 3000)  ->  the finest grid with at most 3000 points
//
// Invariant: at(i) fits the space, nearest(at(i)) == i, no point occurs twice, and the default's values are
// on every scale, so the default, if it has one level, is a point. Decisions that are not open are as in the
// default. Source: own.
#pragma once
#include "tuner/space/configuration.h"

#include <cstdint>
#include <string>

namespace pbc::tuner {

class Grid {
public:
  static constexpr std::uint64_t kHuge = std::uint64_t(1) << 62;

  struct Fineness {
    int cutoffs = 2; // 0: selectors of one level; 1: cut-offs at powers of 16; 2: of 4; 3: of 2
    int values = 5;  // approximate number of values of each number; 1: only the default
    bool operator==(const Fineness &) const = default;
  };

  Grid(const ProgramSpace &, long n, Fineness);

  std::uint64_t size() const { return size_; }
  Fineness fineness() const { return fineness_; }
  Configuration at(std::uint64_t index) const;
  std::uint64_t nearest(const Configuration &) const;
  /// "selectors of 1 or 2 levels with cut-offs at powers of 4, 5 values of each number"
  std::string inWords() const;

private:
  struct SiteAxis {
    int site;
    std::vector<Selector> selectors;
  };
  struct NumberAxis {
    std::vector<int> tunables; // the tunable's entries for all sizes
    std::vector<double> values;
  };
  long distance(const Selector &, const Selector &) const;

  Configuration origin_;
  std::vector<long> probes_;
  std::vector<SiteAxis> sites_;
  std::vector<NumberAxis> numbers_;
  std::vector<bool> isLogarithmic_; // for each number
  Fineness fineness_;
  std::uint64_t size_ = 1;
};

/// The grid with the most points among those with at most `most`; the coarsest if all have more.
Grid finestGrid(const ProgramSpace &, long n, std::uint64_t most);

} // namespace pbc::tuner
