// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A selector: which alternative a call of size n takes.
//
//   Selector({{341, 1}, {65536, 2}, {kNoLimit, 0}}):  n < 341 -> 1,  n < 65536 -> 2,  else 0
//
// Invariant (normal form): 1 to 12 levels; cut-offs strictly grow and are positive; neighbours use different
// alternatives; the last level has no limit. All changes return a new selector in normal form, so two
// selectors that choose the same are equal. Source: ASPLOS'13 section 7.1, requirements 71, 72 and 74.
#pragma once
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace pbc::tuner {

inline constexpr long kNoLimit = std::numeric_limits<long>::max();

/// Alternative `use` for sizes below `below`, from the previous level's cut-off on.
struct Level {
  long below = kNoLimit;
  int use = 0;
  bool operator==(const Level &) const = default;
};

class Selector {
public:
  static constexpr int kMaximumLevels = 12;

  /// One alternative for all sizes.
  explicit Selector(int use = 0) : levels_{{kNoLimit, use}} {}
  /// From levels with growing cut-offs; nothing if there are too many or the cut-offs do not grow.
  static std::optional<Selector> fromLevels(const std::vector<Level> &);

  int select(long n) const;
  /// The index of the level that n falls into.
  int levelOf(long n) const;
  const std::vector<Level> &levels() const { return levels_; }
  /// The smallest n of a level.
  long lowest(int level) const { return level == 0 ? 0 : levels_[level - 1].below; }
  /// The alternatives that some n <= largest takes, without repetition, in the order of n.
  std::vector<int> usedUpTo(long largest) const;

  /// Sizes low <= n < high use `use`, all others as before; nothing if that takes more than 12 levels.
  std::optional<Selector> withRange(long low, long high, int use) const;
  /// The same, but removes the narrowest levels (by the ratio of their ends) if 12 are not enough.
  Selector withRangeForced(long low, long high, int use) const;
  Selector withUse(int level, int use) const;
  /// Each level with the alternative that `useOf(level)` returns.
  Selector withUses(const std::function<int(int level)> &useOf) const;
  /// Removes a level: its sizes go to the level below it (those of the first: to the level above it).
  Selector withoutLevel(int level) const;
  /// Moves the upper cut-off of a level, keeping a distance of at least one from its neighbours.
  Selector withCutoff(int level, long below) const;

  bool operator==(const Selector &) const = default;

private:
  static std::vector<Level> normal(const std::vector<Level> &);
  Selector ranged(long low, long high, int use) const; // may have more than 12 levels
  std::vector<Level> levels_;
};

} // namespace pbc::tuner
