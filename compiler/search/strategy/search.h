// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Branch and bound: the fastest implementation of a model's spaces, and how far from it the result can be.
//
//   SearchResult r = search(model, {.seconds = 60});
//   r.best->seconds    2.40e-3, measured
//   r.bound            2.22e-3: nothing in the spaces is faster, so the gap is at most 8 %
//
// A region whose bound is not below the best time is cut with everything in it. Since bounds hold for every implementation of a region,
// the optimum is never lost. Invariant: `bound` is at most the time of each implementation, whether it was measured or not,
// as long as the model's bounds are right; one that a measurement refutes is left out, and the search begins anew with what it
// knows. Source: lower-bound-search.md, section 4 (Algorithm 2 of the paper, corrected).
#pragma once
#include "compiler/search/strategy/frontier.h"
#include "compiler/search/strategy/model.h"
#include <atomic>
#include <functional>

namespace pbc::search {

struct Implementation {
  std::size_t root = 0;
  std::vector<Domain> domains;
  double seconds = 0;
};

/// What happened at regions of one depth.
struct DepthStatistics {
  long divided = 0, cut = 0;
};

struct SearchStatistics {
  long divided = 0, empty = 0, cut = 0, measured = 0, notMeasured = 0, refuted = 0;
  std::vector<long> cutBy;             // by Model::limitNames()
  std::vector<DepthStatistics> depths; // by the number of decisions
  std::vector<double>
      tightness; // of each measured leaf: its bound over its time; at most 1 where the bound is right
};

struct SearchOptions {
  const Strategy *strategy = nullptr; // null: the first one
  double seconds = 0;                 // 0: until nothing is left
  long mostMeasured = 0;              // 0: as many as needed
  double enough = 1;                  // ends when the best time is at most so many times the bound
  double incumbent =
      0; // the time of an implementation outside of the spaces, which has to be beaten; 0: there is none
  unsigned seed = 1;
  bool isAnyOrder =
      false; // variables are decided in a random order, of the seed's: to test that none loses the optimum
  int strongBranching = 2; // depths at which the variable is taken that lifts the bounds most
  int dives = 0;      // ways to a leaf that are tried first, always into the least bound, for an early time
  double slack = 1.5; // a leaf is measured exactly up to so many times the best
  /// Threads that divide regions; the result is the same whatever their number, unless time is limited.
  int threads = 1;
  bool measuresAll = false; // nothing is cut, and every leaf is measured exactly: to test bounds
  /// Ends the search when it is set; null: nothing does.
  const std::atomic<bool> *isInterrupted = nullptr;
  /// Called with each region that is cut or divided.
  std::function<void(const Region &, bool isCut)> onRegion = nullptr;
  /// Called now and then, and after each leaf that is better. False ends the search.
  std::function<bool(const struct SearchResult &)> progress = nullptr;
};

struct SearchResult {
  std::optional<Implementation> best;
  double bound = 0;        // of all implementations
  bool isComplete = false; // nothing that is left can be better
  SearchStatistics statistics;
  std::string refusal;    // why a leaf could not be measured, if none could
  double bestSeconds = 0; // of `best`, or of the incumbent if nothing is faster; 0: there is neither
  /// The best time over the bound; 0: nothing was measured.
  double gap() const { return bound > 0 ? bestSeconds / bound : 0; }
};

SearchResult search(Model &, const SearchOptions &);

} // namespace pbc::search
