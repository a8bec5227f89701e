// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A partly decided structure as bounds for a GPU see it: how often each instruction runs at least, and how many groups, threads,
// bytes and registers there are at least.
//
//   m2 a block or a loop, m2' threads (certain, 16), k a loop (64), all certainly around `multiply`
//   => counts(multiply): a thread 64 x |m2|, a group 64 x 16 x |m2|, the device the same;  groups 1 or |m2|
//
// Invariant: for every leaf of the state, each figure is at most the leaf's, or at least where it is called `most`; minima are taken
// for each thing alone. Source: lower-bound-search.md, section 5.2.
#pragma once
#include "compiler/search/gpu/gpu_rates.h"
#include "compiler/search/gpu/gpu_work.h"
#include "compiler/search/space.h"
#include <algorithm>
#include <array>
#include <span>

namespace pbc::search {

class GpuView {
public:
  GpuView(const Space &space, const GpuWork &work, const State &state);

  const Space &space() const { return space_; }
  const GpuWork &work() const { return work_; }
  const State &state() const { return state_; }

  double least(int dimension) const { return dimensions_[std::size_t(dimension)].least; }
  KindSet kinds(int dimension) const { return dimensions_[std::size_t(dimension)].kinds; }
  bool isAround(int dimension, int object) const {
    return space_.order(state_, dimension, object) == OrderSet(Order::Outside);
  }
  bool mayBeAround(int dimension, int object) const {
    return space_.order(state_, dimension, object).has(Order::Outside);
  }
  /// Whether a dimension may be a loop around an instruction that none of `around` is. Two loops around one thing are one or inside of
  /// each other: one that is before, after or the same as a loop around the instruction is around it only if it is the same.
  bool mayBeOneMoreAround(int dimension, int instruction) const {
    return mayBeAround(dimension, instruction) && std::ranges::none_of(around(instruction), [&](int other) {
             return other != dimension &&
                    (space_.order(state_, dimension, other) & (Order::Inside | Order::Outside)) == OrderSet();
           });
  }
  /// The dimensions certainly around an instruction; of those that may be one loop, one.
  const std::vector<int> &around(int instruction) const {
    return around_[std::size_t(space_.structure().objects[std::size_t(instruction)].index)];
  }
  PlaceSet places(int communication) const {
    return PlaceSet::ofBits(state_.domain(space_.place(communication)));
  }
  CacheSet caches(int access) const { return CacheSet::ofBits(state_.domain(space_.cache(access))); }

  /// Executions at least, in one thread, one group, all groups. As long as a dimension may be threads, a thread does not
  /// repeat it; as long as it may be blocks and something else, a group does.
  const std::array<double, 3> &counts(int instruction, bool vectorsAreOne) const {
    const auto index = std::size_t(space_.structure().objects[std::size_t(instruction)].index);
    return counts_[2 * index + std::size_t(vectorsAreOne)];
  }
  /// Of a value that a communication passes on: copies of an instruction in which it is the same use it once.
  std::array<double, 3> countsOfValue(int communication, int instruction) const;
  /// Iterations of several dimensions together, at least: of a loop's levels, the product may be known although no factor is.
  double product(std::span<const int> dimensions) const;

  /// What all instructions use at a level, without groups that are still to be decided.
  GpuUse use(GpuLevel level, long lanes) const;

  /// The lanes that have an instruction without a thread for it, over those with a thread, at least.
  double waste(int instruction, long lanes) const;

  /// Groups at least, if no dimension becomes a block that may still become something else.
  double groups() const { return groups_; }
  /// Iterations of a dimension that may become a block, but need not.
  struct OpenBlock {
    double least, most;
  };
  const std::vector<OpenBlock> &openBlocks() const { return openBlocks_; }
  double threads() const { return threads_; } // of a group, at least
  double mostThreads() const { return mostThreads_; }
  double localBytes() const { return localBytes_; } // of a group, at least
  double registers() const { return registers_; }   // of a thread, at least

  /// Bytes that each execution of an access moves between its unit and the second cache, at least, if no nearer cache has them.
  double secondCacheBytes(int access, long lanes) const;

private:
  struct OfDimension {
    double least = 1, most = 1;
    KindSet kinds;
    bool isDecided = true; // least == most
  };
  /// Whether the dimension is certainly inside of a loop of the instruction's sum, so that its iterations are sums at once.
  bool isInSum(int dimension, int instruction) const;
  void findLengths();
  void findGroups();
  void findThreads();
  void findCounts();
  template <class IsOne>
  std::array<double, 3> countsWithout(int instruction, const IsOne &isOne) const;

  const Space &space_;
  const GpuWork &work_;
  const State &state_;
  std::vector<OfDimension> dimensions_;  // by object
  std::vector<std::vector<int>> around_; // by instruction of the structure
  std::vector<std::array<double, 3>>
      counts_; // of each of them with vectors as loops, then with vectors as one
  double groups_ = 1;
  std::vector<OpenBlock> openBlocks_;
  double threads_ = 1, mostThreads_ = 1, localBytes_ = 0, registers_ = 0;
};

} // namespace pbc::search
