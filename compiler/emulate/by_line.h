// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which lines of the source an elasticity comes from.
//
//   DRAM throughput 0.92, regions { loads, line 12: 0.50 }, { stores, line 12: 0.21 }, { copies, line 15: 0.21 }
//   =>  line 12 0.71 (loads 0.50, stores 0.21), line 15 0.21 (copies 0.21)
//
// Of regions without a line, each kind stands for itself. Source: bottleneck-analysis.md 4, region-wise.
#pragma once
#include "compiler/emulate/sensitivity.h"
#include <utility>

namespace pbc::emulate {

struct LineShare {
  source::Line line;
  double value = 0;
  std::vector<std::pair<Region::Kind, double>> parts = {}; // the greatest first
};

/// The greatest first; without what is less than `least`.
std::vector<LineShare> byLine(const Elasticity &, const Trace &, double least);

/// "line 12"; of another file than `file`, "line 12 of library.pbcc".
std::string nameOf(const source::Line &, const std::string &file);

} // namespace pbc::emulate
