// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a search asks: where it begins, how fast a region can be at best, and how fast an implementation is.
//
//   roots() = 27 ways to cut the loops of a product;  bound(3, state) = 1.9 ms;  measure(3, leaf, ...) = 2.4 ms
//
// A search knows nothing else of what is decided, so that a table of times in a test and kernels on a machine are searched
// alike. What is const may be called by several threads at once. Invariant of a right model: bound(root, state) is at most measure(root, leaf) of each leaf of the state.
#pragma once
#include "compiler/search/state.h"
#include <string>
#include <string_view>
#include <vector>

namespace pbc::search {

struct RegionBound {
  double seconds = 0;
  int limit = -1; // which of limitNames() it comes from
  /// Of regions with one bound, the one with the least is looked at first: any figure that grows with the time. It bounds nothing.
  double promise = 0;
};

struct LeafTime {
  bool isMeasured = false;
  double seconds = 0;
  std::string why = {}; // if it was not measured: refused, wrong, crashed, too long
};

class Model {
public:
  Model() = default;
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;
  virtual ~Model() = default;

  virtual std::size_t roots() const = 0;
  virtual const Problem &problem(std::size_t root) const = 0;
  virtual RegionBound bound(std::size_t root, const State &) const = 0;
  /// `most`: a time beyond which the exact value does not matter; 0: it always does.
  virtual LeafTime measure(std::size_t root, const State &leaf, double most) = 0;
  /// The limits from which bounds come, for statistics.
  virtual std::vector<std::string_view> limitNames() const = 0;
  /// Measurements need a quiet machine: nothing else is done meanwhile.
  virtual bool measuresAlone() const { return false; }
  /// Variables with the highest weight are decided first: those that change the time most. Of those with the same one, the
  /// decision that comes first in the table.
  virtual double weight(std::size_t, int) const { return 0; }
  /// A leaf was faster than its bound: the model leaves out what was refuted. False: it cannot.
  virtual bool refute(std::size_t, const State &, double) { return false; }

  // For users.
  /// The program of a leaf: the steps of its script.
  virtual std::string lineOf(std::size_t, const State &) const { return ""; }
  /// What limits all programs of the region, and why none is faster: sentences.
  virtual std::string explain(std::size_t, const State &) const { return ""; }
  /// What measurements have refuted, a sentence each.
  virtual const std::vector<std::string> &refutations() const {
    static const std::vector<std::string> none;
    return none;
  }
};

} // namespace pbc::search
