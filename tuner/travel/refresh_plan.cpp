// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/travel/refresh_plan.h"

#include <algorithm>
#include <fmt/format.h>

namespace pbc::tuner {
namespace {

bool isChanged(const ProgramSpace &space, const Provenance &origin, const std::string &transform) {
  const auto now = space.transforms.find(transform), then = origin.transforms.find(transform);
  return now != space.transforms.end() && (then == origin.transforms.end() || then->second != now->second);
}

/// False for entries about devices on a machine without devices, and for those of a generator.
bool isInSpace(const ProgramSpace &space, const FittedEntry &entry) {
  return std::any_of(space.sites.begin(), space.sites.end(),
                     [&](const Site &s) { return s.transform == entry.transform && s.key == entry.key; }) ||
         std::any_of(space.tunables.begin(), space.tunables.end(),
                     [&](const Tunable &t) { return t.transform == entry.transform && t.name == entry.key; });
}

} // namespace

RefreshPlan refreshPlan(const ProgramSpace &space, const std::optional<Provenance> &origin,
                        const Fitted &fitted) {
  RefreshPlan plan;
  const bool isOtherVersion =
      std::any_of(fitted.entries.begin(), fitted.entries.end(),
                  [](const FittedEntry &entry) { return entry.title() == "hash" && !entry.isOk(); });
  const bool saysTexts = origin && !origin->transforms.empty();
  std::set<std::string> changed;
  for (const auto &[transform, hash] : space.transforms)
    if (saysTexts ? isChanged(space, *origin, transform) : isOtherVersion)
      changed.insert(transform);
  std::map<std::string, std::string> why; // by transform, once
  const auto touch = [&](const std::string &transform, const std::string &key) {
    plan.touched.emplace(transform, key);
  };
  for (const FittedEntry &entry : fitted.entries) {
    if (!isInSpace(space, entry))
      continue;
    if (changed.contains(entry.transform)) {
      touch(entry.transform, entry.key);
      why.emplace(entry.transform,
                  fmt::format("{} has changed since the configuration was made", entry.transform));
    } else if (entry.isMissing() && saysTexts) {
      touch(entry.transform, entry.key); // the tuner writes all entries that exist
      plan.reasons.push_back(fmt::format("{} is new", entry.title()));
    } else if (!entry.isOk() && !entry.isMissing()) {
      touch(entry.transform, entry.key);
      plan.reasons.push_back(fmt::format("{}: {}", entry.title(), entry.problems.front()));
    }
  }
  for (const auto &[transform, reason] : why)
    plan.reasons.push_back(reason);
  if (origin && origin->machine.isKnown() && space.machine.isKnown() &&
      !origin->machine.isLike(space.machine)) {
    plan.isOtherMachine = true;
    plan.reasons.push_back(fmt::format("made on another machine: {}", inWords(origin->machine)));
  }
  return plan;
}

void RefreshPlan::touchAll(const ProgramSpace &space) {
  isOtherMachine = false;
  for (const Site &site : space.sites)
    touched.emplace(site.transform, site.key);
  for (const Tunable &tunable : space.tunables)
    touched.emplace(tunable.transform, tunable.name);
}

void RefreshPlan::fix(ProgramSpace &space) const {
  if (!isOtherMachine)
    fixOthers(space);
}

void RefreshPlan::fixOthers(ProgramSpace &space) const {
  for (Site &site : space.sites)
    site.isFixed |= !touched.contains({site.transform, site.key});
  for (Tunable &tunable : space.tunables)
    tunable.isFixed |= !touched.contains({tunable.transform, tunable.name});
}

} // namespace pbc::tuner
