// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/space/calls.h"

#include <algorithm>

namespace pbc::tuner {
namespace {

bool contains(const std::set<std::string> &callees, const std::string &transform) {
  return callees.contains(transform) || callees.contains(family(transform));
}

/// How one transform calls another.
struct Way {
  bool isThere = false;
  std::optional<Condition> condition; // none: under any choice
};

Way wayFrom(const Calls &caller, const std::string &callee) {
  if (!contains(caller.all, callee))
    return {};
  Condition condition{caller.site, {}};
  for (std::size_t use = 0; use < caller.byUse.size(); ++use)
    if (contains(caller.byUse[use], callee))
      condition.uses.push_back(static_cast<int>(use));
  const bool isSome = !condition.uses.empty() && condition.uses.size() < caller.byUse.size();
  if (caller.site >= 0 && isSome)
    return {true, condition};
  return {true, {}};
}

class Reach {
public:
  Reach(const ProgramSpace &space, const std::vector<Calls> &calls) : calls_(calls) {
    always_.insert(space.main);
    while (grow())
      ;
  }

  std::vector<Condition> of(const std::string &transform) const {
    const auto found = conditions_.find(transform);
    return always_.contains(transform) || found == conditions_.end() ? std::vector<Condition>{}
                                                                     : found->second;
  }

private:
  /// True if something new was found.
  bool grow() {
    bool grown = false;
    for (const Calls &caller : calls_)
      for (const Calls &callee : calls_) {
        const Way way = wayFrom(caller, callee.transform);
        if (!way.isThere || caller.transform == callee.transform)
          continue;
        if (always_.contains(caller.transform) && !way.condition)
          grown |= always_.insert(callee.transform).second;
        else if (way.condition && isReached(caller.transform))
          grown |= add(callee.transform, *way.condition);
        else if (!way.condition && conditions_.contains(caller.transform))
          for (const Condition &inherited : std::vector(conditions_.at(caller.transform)))
            grown |= add(callee.transform, inherited);
      }
    return grown;
  }

  bool isReached(const std::string &transform) const {
    return always_.contains(transform) || conditions_.contains(transform);
  }

  bool add(const std::string &transform, const Condition &condition) {
    std::vector<Condition> &all = conditions_[transform];
    if (std::ranges::count(all, condition))
      return false;
    all.push_back(condition);
    return true;
  }

  const std::vector<Calls> &calls_;
  std::set<std::string> always_;
  std::map<std::string, std::vector<Condition>> conditions_;
};

} // namespace

std::string family(const std::string &transform) { return transform.substr(0, transform.find('<')); }

void noteCalls(ProgramSpace &space, const std::vector<Calls> &calls) {
  const Reach reach(space, calls);
  for (Site &site : space.sites)
    site.reachedBy = reach.of(site.transform);
  for (Tunable &tunable : space.tunables)
    if (!tunable.isThreads())
      tunable.reachedBy = reach.of(tunable.transform);
}

} // namespace pbc::tuner
