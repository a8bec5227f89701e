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
      return one.line == region.line && (region.line.isKnown() || one.parts.front().first == region.kind);
    });
    if (at == all.end())
      at = all.insert(at, LineShare{region.line});
    at->value += e.byRegion[k];
    if (e.byRegion[k] >= least)
      at->parts.emplace_back(region.kind, e.byRegion[k]);
    else if (!region.line.isKnown())
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

std::string nameOf(const source::Line &line, const std::string &file) {
  const auto plain = [](const std::string &path) { return std::filesystem::path(path).lexically_normal(); };
  return plain(line.path) == plain(file) ? fmt::format("line {}", line.number)
                                         : fmt::format("line {} of {}", line.number, line.path);
}

} // namespace pbc::emulate
