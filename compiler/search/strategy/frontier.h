// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The regions that a search has still to look at, and the strategy by which it takes the next one.
//
//   for (const Strategy &s : strategies()) ...      best-first, depth-first, descents
//
// A strategy is a source of its own in strategies/ and one line in strategies/list.inc. All of them cut by the same bounds, so
// that none loses the optimum. Source: lower-bound-search.md, section 4.
#pragma once
#include "compiler/search/problem.h"
#include <memory>
#include <optional>
#include <string_view>

namespace pbc::search {

struct DivisionAhead;

/// A region: the domains of a state, with its bound.
struct Region {
  std::size_t root = 0;
  std::vector<Domain> domains;
  double bound = 0;
  int limit = -1;     // from which the bound comes
  int depth = 0;      // decisions that were taken
  double promise = 0; // RegionBound::promise
  /// What a thread makes of it (ahead.h); null: none does.
  std::shared_ptr<DivisionAhead> ahead = nullptr;
};

class Frontier {
public:
  Frontier() = default;
  Frontier(const Frontier &) = delete;
  Frontier &operator=(const Frontier &) = delete;
  virtual ~Frontier() = default;

  /// The regions that a decision made of one, or the roots.
  virtual void push(std::vector<Region>) = 0;
  /// The next one; nothing if there are none.
  virtual std::optional<Region> pop() = 0;
  /// The least bound of all regions; nothing if there are none.
  virtual std::optional<double> least() const = 0;
  virtual std::size_t size() const = 0;
  /// Some of those that come soon, at most so many, if that is known.
  virtual std::vector<Region *> soon(std::size_t) { return {}; }
};

struct Strategy {
  std::string_view name;
  std::string_view doc; // a sentence
  std::unique_ptr<Frontier> (*make)(unsigned seed);
  bool takesLeastFirst; // once its next region cannot be better, no other can
};

const std::vector<Strategy> &strategies();
/// Null if there is none of this name.
const Strategy *findStrategy(std::string_view name);

} // namespace pbc::search
