// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/two_lines.h"
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace pbc::model {
namespace {

constexpr double kGrows = 1.05; // times the latency: the first line has ended

/// Where times leave the line of the latency: between two numbers of chains on the straight line through their times.
double kneeOf(const std::vector<ChainTime> &times, double latency) {
  for (std::size_t k = 1; k < times.size(); ++k) {
    const ChainTime &before = times[k - 1], &after = times[k];
    if (after.time < kGrows * latency)
      continue;
    // The second line goes through the origin: this is where it comes from the latency.
    const double onLine = after.chains * latency / after.time;
    return std::clamp(onLine, static_cast<double>(before.chains), static_cast<double>(after.chains));
  }
  return 0;
}

} // namespace

bool TwoLines::holds() const {
  const double expected = latency / gap;
  return isSaturated && knee > 0 && std::abs(knee - expected) <= std::max(1.0, expected / 4) &&
         deviation <= kMostDeviation;
}

TwoLines twoLines(std::vector<ChainTime> times) {
  if (times.empty())
    throw std::logic_error("two lines through no times");
  std::ranges::sort(times, {}, &ChainTime::chains);
  TwoLines lines;
  lines.latency = times.front().time; // of the fewest chains
  lines.gap = lines.latency;
  for (const ChainTime &t : times)
    lines.gap = std::min(lines.gap, t.time / t.chains);
  lines.knee = kneeOf(times, lines.latency);
  for (const ChainTime &t : times) {
    const double expected = std::max(lines.latency, t.chains * lines.gap);
    lines.deviation = std::max(lines.deviation, std::abs(t.time - expected) / expected);
  }
  const ChainTime &most = times.back();
  lines.isSaturated = most.time >= kGrows * lines.latency;
  return lines;
}

} // namespace pbc::model
