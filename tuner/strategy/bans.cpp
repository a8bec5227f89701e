// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/bans.h"

#include <algorithm>
#include <fmt/format.h>

namespace pbc::tuner {
namespace {

constexpr int kGuiltyTimes = 3;
constexpr int kWrongTimes = 2;
constexpr double kNextSize = 1.75; // sizes double, rounded

bool contains(const std::vector<int> &values, int value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

} // namespace

Bans::Suspects Bans::suspects(const ProgramSpace &space, const Configuration &child,
                              const Configuration &parent, long n) {
  Suspects found;
  for (std::size_t i = 0; i < space.sites.size(); ++i) {
    const std::vector<int> before = parent.selectors()[i].usedUpTo(n);
    for (int alternative : child.selectors()[i].usedUpTo(n)) {
      if (contains(before, alternative))
        continue;
      found.choices.emplace_back(static_cast<int>(i), alternative);
      found.words.insert(space.sites[i].title() + " with " + space.sites[i].alternatives[alternative].name);
    }
  }
  for (std::size_t i = 0; i < space.tunables.size(); ++i)
    if (child.tunables()[i] != parent.tunables()[i])
      found.words.insert(fmt::format("{} = {}", space.tunables[i].title(), child.tunables()[i]));
  if (found.words.empty()) // the same alternatives, but at other sizes
    for (std::size_t i = 0; i < space.sites.size(); ++i)
      if (child.selectors()[i] != parent.selectors()[i])
        found.words.insert(space.sites[i].title() + " with other cut-offs");
  return found;
}

bool Bans::isLastStrike(const ProgramSpace &space, const Configuration &child, const Configuration &parent,
                        const TestSize &size) const {
  const Suspects found = suspects(space, child, parent, size.n);
  if (!found.isOne() || found.choices.front().second == 0)
    return false;
  const auto [site, alternative] = found.choices.front();
  const auto record = records_.find(found.choices.front());
  return record != records_.end() && record->second.slow.times + 1 >= kGuiltyTimes &&
         record->second.success < std::min(record->second.slow.smallest, size.n) &&
         !banned(site, alternative, size.n);
}

void Bans::failed(const ProgramSpace &space, const Configuration &child, const Configuration &parent,
                  const TestSize &size, const Rejected &rejected) {
  const Suspects found = suspects(space, child, parent, size.n);
  const std::set<std::string> &parts = found.words;
  const bool alone = found.isOne();
  if (alone) {
    Record &record = records_[found.choices.front()];
    if (rejected.kind == Failure::TooSlow)
      record.slow.add(size.n);
    else if (rejected.kind == Failure::WrongResult)
      record.wrong.add(size.n);
    else
      record.broken.add(size.n);
  }

  const std::string suspect =
      parts.empty() ? "the configuration" : fmt::format("{}", fmt::join(parts, " and "));
  auto [place, fresh] = entries_.try_emplace({suspect, rejected.kind});
  Fault &fault = place->second.fault;
  if (alone) {
    place->second.choice = found.choices.front();
  } else {
    std::set<std::string> &explanations = place->second.explanations;
    explanations.insert(parts.begin(), parts.end());
    for (std::size_t i = 0; i < space.sites.size(); ++i)
      for (int alternative : child.selectors()[i].usedUpTo(size.n))
        explanations.insert(space.sites[i].title() + " with " +
                            space.sites[i].alternatives[alternative].name);
    explanations.erase(suspect);
  }
  const int times = fresh ? 1 : fault.times + 1;
  if (fresh || size.n < fault.n)
    fault = {suspect, rejected.kind, rejected.reason, size.n, size.name, 1};
  fault.times = times;
}

void Bans::convicted(const ProgramSpace &space, const Configuration &child, const Configuration &parent,
                     const TestSize &size, const Rejected &rejected) {
  failed(space, child, parent, size, rejected);
  if (rejected.kind != Failure::WrongResult)
    return;
  if (const Suspects found = suspects(space, child, parent, size.n); found.isOne())
    records_[found.choices.front()].isConvicted = true;
}

void Bans::worked(const Configuration &configuration, const TestSize &size) {
  for (std::size_t i = 0; i < configuration.selectors().size(); ++i) {
    Record &record = records_[{static_cast<int>(i), configuration.selectors()[i].select(size.n)}];
    record.success = std::max(record.success, size.n);
  }
}

bool Bans::banned(int site, int alternative, long largest) const {
  const auto found = records_.find({site, alternative});
  if (alternative == 0 || found == records_.end())
    return false;
  const Record &record = found->second;
  return record.isConvicted || record.isGuilty(record.wrong, kWrongTimes) ||
         (record.isGuilty(record.broken, kGuiltyTimes) &&
          (record.success < 0 || largest >= record.broken.smallest)) ||
         (record.isGuilty(record.slow, kGuiltyTimes) && largest >= record.slow.smallest &&
          largest < kNextSize * static_cast<double>(record.slow.largest));
}

std::vector<int> Bans::allowed(const ProgramSpace &space, int site) const {
  std::vector<int> result;
  for (int alternative = 0; alternative < static_cast<int>(space.sites[site].alternatives.size());
       ++alternative)
    if (!banned(site, alternative, 0))
      result.push_back(alternative);
  return result;
}

bool Bans::bansLevel(int site, const Selector &selector, int level, long n) const {
  // Beyond n, only alternatives that are banned at all sizes count: wrong ones, or ones never seen to work.
  const Level &taken = selector.levels()[static_cast<std::size_t>(level)];
  return banned(site, taken.use, selector.lowest(level) > n ? 0 : std::min(n, taken.below - 1));
}

bool Bans::uses(const Configuration &configuration, long n) const {
  for (std::size_t i = 0; i < configuration.selectors().size(); ++i) {
    const Selector &selector = configuration.selectors()[i];
    for (int level = 0; level < static_cast<int>(selector.levels().size()); ++level)
      if (bansLevel(static_cast<int>(i), selector, level, n))
        return true;
  }
  return false;
}

Configuration Bans::without(Configuration configuration, long n) const {
  for (std::size_t i = 0; i < configuration.selectors().size(); ++i) {
    const Selector &selector = configuration.selectors()[i];
    const int site = static_cast<int>(i);
    const int instead = bansLevel(site, selector, selector.levelOf(n), n) ? 0 : selector.select(n);
    configuration = configuration.withSelector(site, selector.withUses([&](int level) {
      return bansLevel(site, selector, level, n) ? instead : selector.levels()[level].use;
    }));
  }
  return configuration;
}

std::vector<Fault> Bans::faults() const {
  std::map<std::pair<std::string, Failure>, Fault> guilty;
  std::vector<const Entry *> explained;
  for (const auto &[key, entry] : entries_)
    if (explanation(entry))
      explained.push_back(&entry);
    else
      guilty.emplace(key, entry.fault).first->second.worksElsewhere = worksElsewhere(entry);
  // An alternative that alone causes failures also caused them at the smaller size, where another decision
  // had changed, too.
  for (const Entry *entry : explained)
    if (const auto found = guilty.find({*explanation(*entry), entry->fault.kind});
        found != guilty.end() && entry->fault.n < found->second.n) {
      found->second.n = entry->fault.n;
      found->second.size = entry->fault.size;
    }
  std::vector<Fault> result;
  for (const auto &[key, fault] : guilty)
    result.push_back(fault);
  return result;
}

bool Bans::worksElsewhere(const Entry &entry) const {
  const auto record = entry.choice ? records_.find(*entry.choice) : records_.end();
  return entry.fault.kind == Failure::TooSlow && record != records_.end() &&
         record->second.success >= entry.fault.n;
}

std::optional<std::string> Bans::explanation(const Entry &entry) const {
  for (const std::string &suspect : entry.explanations)
    if (entries_.contains({suspect, entry.fault.kind}))
      return suspect;
  return {};
}

} // namespace pbc::tuner
