#include "tuner/strategy/bans.h"

#include <algorithm>
#include <fmt/format.h>

namespace pbc::tuner {
namespace {

constexpr int kGuiltyTimes = 3;
constexpr int kWrongTimes = 2;

bool contains(const std::vector<int> &values, int value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

} // namespace

const char *nameOf(Failure failure) {
  switch (failure) {
  case Failure::TooSlow:
    return "too slow";
  case Failure::Crash:
    return "crash";
  case Failure::Exit:
    return "exit";
  case Failure::WrongResult:
    return "wrong result";
  case Failure::Error:
    break;
  }
  return "error";
}

void Bans::failed(const ProgramSpace &space, const Configuration &child, const Configuration &parent,
                  const TestSize &size, const Rejected &rejected) {
  std::set<std::string> parts;
  std::vector<Choice> suspects;
  for (std::size_t i = 0; i < space.sites.size(); ++i) {
    const std::vector<int> before = parent.selectors()[i].usedUpTo(size.n);
    for (int alternative : child.selectors()[i].usedUpTo(size.n)) {
      if (contains(before, alternative))
        continue;
      suspects.emplace_back(static_cast<int>(i), alternative);
      parts.insert(space.sites[i].title() + " with " + space.sites[i].alternatives[alternative].name);
    }
  }
  for (std::size_t i = 0; i < space.tunables.size(); ++i)
    if (child.tunables()[i] != parent.tunables()[i])
      parts.insert(fmt::format("{} = {}", space.tunables[i].title(), child.tunables()[i]));
  if (parts.empty()) // the same alternatives, at other sizes
    for (std::size_t i = 0; i < space.sites.size(); ++i)
      if (child.selectors()[i] != parent.selectors()[i])
        parts.insert(space.sites[i].title() + " with other cut-offs");
  if (suspects.size() == 1 && parts.size() == 1) {
    Guilt &guilt = guilty_[suspects.front()];
    guilt.wrong += rejected.kind == Failure::WrongResult;
    guilt.smallest = guilt.times++ == 0 ? size.n : std::min(guilt.smallest, size.n);
  }

  const std::string suspect =
      parts.empty() ? "the configuration" : fmt::format("{}", fmt::join(parts, " and "));
  auto [place, fresh] = entries_.try_emplace({suspect, rejected.kind});
  Fault &fault = place->second.fault;
  if (fresh)
    place->second.parts = parts;
  const int times = fresh ? 1 : fault.times + 1;
  if (fresh || size.n < fault.n)
    fault = {suspect, rejected.kind, rejected.reason, size.n, size.name, 1};
  fault.times = times;
}

void Bans::worked(const Configuration &configuration, const TestSize &size) {
  for (std::size_t i = 0; i < configuration.selectors().size(); ++i)
    for (int alternative : configuration.selectors()[i].usedUpTo(size.n))
      innocent_[{static_cast<int>(i), alternative}] =
          std::max(innocent_[{static_cast<int>(i), alternative}], size.n);
}

bool Bans::banned(int site, int alternative) const {
  if (alternative == 0)
    return false;
  const auto found = guilty_.find({site, alternative});
  if (found == guilty_.end())
    return false;
  if (found->second.wrong >= kWrongTimes)
    return true;
  if (found->second.times < kGuiltyTimes)
    return false;
  const auto success = innocent_.find({site, alternative});
  return success == innocent_.end() || success->second < found->second.smallest;
}

std::vector<int> Bans::allowed(const ProgramSpace &space, int site) const {
  std::vector<int> result;
  for (int alternative = 0; alternative < static_cast<int>(space.sites[site].alternatives.size());
       ++alternative)
    if (!banned(site, alternative))
      result.push_back(alternative);
  return result;
}

bool Bans::uses(const Configuration &configuration, long n) const {
  for (std::size_t i = 0; i < configuration.selectors().size(); ++i)
    for (int alternative : configuration.selectors()[i].usedUpTo(n))
      if (banned(static_cast<int>(i), alternative))
        return true;
  return false;
}

std::vector<Fault> Bans::faults() const {
  std::vector<Fault> result;
  for (const auto &[key, entry] : entries_) {
    const bool explained = entry.parts.size() > 1 &&
                           std::any_of(entry.parts.begin(), entry.parts.end(), [&](const std::string &part) {
                             return entries_.contains({part, entry.fault.kind});
                           });
    if (!explained)
      result.push_back(entry.fault);
  }
  return result;
}

} // namespace pbc::tuner
