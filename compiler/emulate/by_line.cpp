// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/by_line.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace pbc::emulate {

std::vector<LineShare> byLine(const Elasticity &e, const Trace &trace, double least) {
  std::vector<LineShare> all;
  for (std::size_t k = 0; k < e.byRegion.size(); ++k) {
    const Region &region = trace.regions[k];
    auto at = std::find_if(all.begin(), all.end(), [&](const LineShare &one) {
      return one.origin == region.origin &&
             (region.origin.line.isKnown() || one.parts.front().first == region.kind);
    });
    if (at == all.end())
      at = all.insert(at, LineShare{region.origin});
    at->value += e.byRegion[k];
    if (e.byRegion[k] >= least)
      at->parts.emplace_back(region.kind, e.byRegion[k]);
    else if (!region.origin.line.isKnown())
      all.erase(at);
  }
  std::erase_if(all, [least](const LineShare &one) { return one.value < least; });
  for (LineShare &one : all)
    std::stable_sort(one.parts.begin(), one.parts.end(),
                     [](const auto &a, const auto &b) { return a.second > b.second; });
  std::stable_sort(all.begin(), all.end(),
                   [](const LineShare &a, const LineShare &b) { return a.value > b.value; });
  return all;
}

std::vector<std::string> rulesOf(const Trace &trace) {
  std::vector<std::string> all;
  for (const Region &region : trace.regions)
    if (const std::string &rule = region.origin.rule;
        !rule.empty() && std::find(all.begin(), all.end(), rule) == all.end())
      all.push_back(rule);
  return all;
}

std::string nameOf(const source::Origin &origin, const std::string &file, bool isOneOfSeveral) {
  const auto plain = [](const std::string &path) { return std::filesystem::path(path).lexically_normal(); };
  std::string name = fmt::format("line {}", origin.line.number);
  if (plain(origin.line.path) != plain(file))
    name += " of " + origin.line.path;
  return isOneOfSeveral && !origin.rule.empty() ? name + " in " + origin.rule : name;
}

} // namespace pbc::emulate
