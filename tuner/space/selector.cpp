// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/space/selector.h"

#include <algorithm>

namespace pbc::tuner {

std::vector<Level> Selector::normal(const std::vector<Level> &levels) {
  std::vector<Level> result;
  long low = 0;
  for (const Level &level : levels) {
    if (level.below <= low)
      continue; // an empty range
    if (!result.empty() && result.back().use == level.use)
      result.back().below = level.below;
    else
      result.push_back(level);
    low = level.below;
  }
  result.back().below = kNoLimit;
  return result;
}

std::optional<Selector> Selector::fromLevels(const std::vector<Level> &levels) {
  if (levels.empty() || levels.size() > kMaximumLevels || levels.back().below != kNoLimit)
    return {};
  long low = 0;
  for (const Level &level : levels) {
    if (level.below <= low || level.use < 0)
      return {};
    low = level.below;
  }
  Selector selector;
  selector.levels_ = normal(levels);
  return selector;
}

int Selector::levelOf(long n) const {
  int level = 0;
  while (level + 1 < static_cast<int>(levels_.size()) && n >= levels_[level].below)
    ++level;
  return level;
}

int Selector::select(long n) const { return levels_[levelOf(n)].use; }

std::vector<int> Selector::usedUpTo(long largest) const {
  std::vector<int> used;
  for (int level = 0; level <= levelOf(largest); ++level)
    if (std::find(used.begin(), used.end(), levels_[level].use) == used.end())
      used.push_back(levels_[level].use);
  return used;
}

Selector Selector::ranged(long low, long high, int use) const {
  low = std::max(low, 0L);
  if (high <= low)
    return *this;
  Selector changed;
  changed.levels_.clear();
  long start = 0;
  for (const Level &level : levels_) {
    // Adds the part of this level before the range, the range itself once, and the part after it.
    if (start < low)
      changed.levels_.push_back({std::min(level.below, low), level.use});
    if (level.below >= high && start < high)
      changed.levels_.push_back({high, use});
    if (level.below > high)
      changed.levels_.push_back(level);
    start = level.below;
  }
  changed.levels_ = normal(changed.levels_);
  return changed;
}

std::optional<Selector> Selector::withRange(long low, long high, int use) const {
  Selector result = ranged(low, high, use);
  if (result.levels_.size() > kMaximumLevels)
    return {};
  return result;
}

Selector Selector::withRangeForced(long low, long high, int use) const {
  Selector result = ranged(low, high, use);
  while (result.levels_.size() > kMaximumLevels) {
    const int wanted = result.levelOf(low);
    int narrowest = -1;
    double least = 0;
    for (int level = 0; level + 1 < static_cast<int>(result.levels_.size()); ++level) {
      const double width = static_cast<double>(result.levels_[level].below) /
                           static_cast<double>(std::max(result.lowest(level), 2L)); // below 2 is no work
      if (level != wanted && (narrowest < 0 || width < least)) {
        least = width;
        narrowest = level;
      }
    }
    result = result.withoutLevel(narrowest);
  }
  return result;
}

Selector Selector::withUse(int level, int use) const {
  return withUses([&](int each) { return each == level ? use : levels_[each].use; });
}

Selector Selector::withUses(const std::function<int(int level)> &useOf) const {
  Selector result = *this;
  for (int level = 0; level < static_cast<int>(levels_.size()); ++level)
    result.levels_[level].use = useOf(level);
  result.levels_ = normal(result.levels_);
  return result;
}

Selector Selector::withoutLevel(int level) const {
  if (levels_.size() == 1)
    return *this;
  Selector result = *this;
  if (level > 0)
    result.levels_[level - 1].below = levels_[level].below;
  result.levels_.erase(result.levels_.begin() + level);
  result.levels_ = normal(result.levels_);
  return result;
}

Selector Selector::withCutoff(int level, long below) const {
  if (level < 0 || level + 1 >= static_cast<int>(levels_.size()))
    return *this;
  const long least = lowest(level) + 1;
  const long most = levels_[level + 1].below - 1;
  Selector result = *this;
  if (least <= most)
    result.levels_[level].below = std::clamp(below, least, most);
  return result;
}

} // namespace pbc::tuner
