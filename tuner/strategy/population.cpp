// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/population.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace pbc::tuner {

bool Population::join(Candidate candidate) {
  if (find(candidate.configuration))
    return false;
  members_.push_back(std::move(candidate));
  return true;
}

void Population::keepMeasured(int size) {
  if (std::none_of(members_.begin(), members_.end(), [&](const Candidate &c) { return c.measuredAt(size); }))
    return;
  std::erase_if(members_, [&](const Candidate &c) { return !c.measuredAt(size); });
}

void Population::removeBanned(Tester &tester, int size) {
  constexpr std::size_t kMended = 3;
  const Bans &bans = tester.bans();
  const long n = tester.sizes()[static_cast<std::size_t>(size)].n;
  const auto from = std::stable_partition(members_.begin(), members_.end(),
                                          [&](const Candidate &c) { return !bans.uses(c.configuration, n); });
  std::vector<Candidate> banned(std::make_move_iterator(from), std::make_move_iterator(members_.end()));
  members_.erase(from, members_.end());
  std::erase_if(banned, [&](const Candidate &c) { return !c.measuredAt(size); });
  std::sort(banned.begin(), banned.end(),
            [&](const Candidate &a, const Candidate &b) { return a.at(size) < b.at(size); });
  for (std::size_t i = 0; i < std::min(banned.size(), kMended); ++i) {
    Candidate rest{bans.without(banned[i].configuration, n), {}};
    if (tester.isAllowed(1) && tester.isNew(rest.configuration, size) &&
        tester.test(rest, size, Configuration::defaults(tester.space())))
      join(std::move(rest));
  }
}

void Population::prune(int size, int most) {
  keepMeasured(size);
  if (members_.empty() || !members_.front().measuredAt(size))
    return;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < members_.size(); ++i)
    order.emplace_back(members_[i].at(size), i);
  std::sort(order.begin(), order.end());
  // The simplest one within 2 % of the fastest comes first; a plain sort with such a tolerance would not be
  // transitive.
  for (auto it = order.begin(); it != order.end() && it->first < order.front().first * 1.02; ++it)
    if (members_[it->second].configuration.complexity() <
        members_[order.front().second].configuration.complexity()) {
      std::rotate(order.begin(), it, it + 1);
      break;
    }
  std::vector<Candidate> kept;
  for (std::size_t i = 0; i < order.size() && i < static_cast<std::size_t>(most); ++i)
    kept.push_back(std::move(members_[order[i].second]));
  members_ = std::move(kept);
}

void Population::checkTimes(Tester &tester, int size, int most) {
  constexpr double kDrift = 1.1, kMostDrift = 2.5; // with more, other programs have interrupted the runs
  Candidate *const first = bestMeasured(size);
  if (!first)
    return;
  Candidate now{first->configuration, {}};
  if (!tester.measureAnew(now, size))
    return;
  const double ratio = now.at(size) / first->at(size);
  if (ratio * kMostDrift < 1)
    first->seconds[size] = now.seconds[size];
  if (std::max(ratio, 1 / ratio) < kDrift || std::max(ratio, 1 / ratio) > kMostDrift)
    return;
  tester.forgetTimes(size);
  prune(size, most);
  const std::vector<Candidate> before = members_;
  for (Candidate &member : members_)
    if (!tester.isNew(member.configuration, size) || !tester.measureAnew(member, size))
      member.seconds.erase(size);
  keepMeasured(size);
  if (tester.evaluator().stopped() || !bestMeasured(size))
    members_ = before; // old times are better than none
}

Candidate *Population::bestMeasured(int size) {
  if (members_.empty())
    return nullptr;
  Candidate &first = best(size);
  return first.measuredAt(size) ? &first : nullptr;
}

Candidate *Population::find(const Configuration &configuration) {
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const Candidate &member) {
    return member.configuration == configuration;
  });
  return found == members_.end() ? nullptr : &*found;
}

Candidate &Population::best(int size) {
  Candidate *best = nullptr;
  for (Candidate &member : members_)
    if (member.measuredAt(size) && (!best || member.at(size) < best->at(size)))
      best = &member;
  return best ? *best : members_.front();
}

} // namespace pbc::tuner
