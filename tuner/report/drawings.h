// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Drawings of a report as inline SVG, without scripts and without colours of their own: classes of the page's
// stylesheet (page.cpp) give their appearance in dark and light mode and in print.
//
//   selectorDrawing(site, selector, 65536)   a bar over n, a piece for each level
//   progressDrawing(part, ByTime)            best so far, a line for each size
//   influenceDrawing(rows)                   bars
//   partsDrawing(rows, title)                bars of parts, with a legend
//
// Invariant: every drawing has a title and a description for readers who do not see it, and a table beside it
// has the same data; names are escaped; texts do not overlap (those without room are left out).
#pragma once
#include "tuner/report/canvas.h"
#include "tuner/report/evidence.h"

#include <string>
#include <utility>
#include <vector>

namespace pbc::tuner {

std::string selectorDrawing(const Site &, const Selector &, long largest, const std::string &identity);

enum class Across { Seconds, Trials };
std::string progressDrawing(const Part &, Across, const std::string &identity);

struct InfluenceRow {
  std::string name;
  double share = 0;
};
std::string influenceDrawing(const std::vector<InfluenceRow> &, const std::string &identity);

/// A bar of parts that add up to 1, but for a rest, with words behind the name.
struct PartsRow {
  std::string name;
  std::vector<std::pair<std::string, double>> parts;
};
/// A bar for each row, whose parts have the colour of their name in all rows.
std::string partsDrawing(const std::vector<PartsRow> &, const std::string &title,
                         const std::string &identity);

} // namespace pbc::tuner
