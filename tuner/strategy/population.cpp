#include "tuner/strategy/population.h"

#include <algorithm>
#include <cmath>

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

void Population::removeBanned(const Bans &bans, long n) {
  std::erase_if(members_, [&](const Candidate &c) { return bans.uses(c.configuration, n); });
}

void Population::prune(int size, int most) {
  keepMeasured(size);
  if (members_.empty() || !members_.front().measuredAt(size))
    return;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < members_.size(); ++i)
    order.emplace_back(members_[i].at(size), i);
  std::sort(order.begin(), order.end());
  // A simpler one within 2 % of the fastest leads; a plain sort with such a tolerance would not be
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
