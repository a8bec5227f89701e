// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A front of two objectives as text, as data, and as a page with a plot.
//
//   asText(space, front)  ->  "  1  31.2 ms   80 MB    Sort: QuickSort always       sort.front/1.cfg" ...
//   frontPage(space, front)   one HTML file, like those of page.h: nothing is loaded, no scripts
#pragma once
#include "tuner/report/summary.h"
#include "tuner/strategy/front.h"

namespace pbc::tuner {

struct FrontReport {
  std::string program;               // as the user named it
  std::string machine, size, effort; // "quick, 60 s, seed 1"
  std::array<Metric, 2> metrics{};
  FrontResult result;
  std::vector<std::string> files; // one configuration for each point
  std::string page;               // the file with the plot; empty: none
  double elapsed = 0;             // seconds
  int runs = 0, remembered = 0;
  bool stopped = false; // by the user
};

/// The summary of one point, for its configuration.
Summary summaryOf(const FrontReport &, std::size_t point);

/// "31.2 ms, 80 MB"
std::string metricsInWords(const std::array<Metric, 2> &, const Metrics &);

std::string asText(const ProgramSpace &, const FrontReport &);
std::string asJson(const ProgramSpace &, const FrontReport &);
std::string frontPage(const ProgramSpace &, const FrontReport &);

} // namespace pbc::tuner
