// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which lines of which rules an elasticity comes from.
//
//   DRAM throughput 0.92, regions { loads, line 12: 0.50 }, { stores, line 12: 0.21 }, { copies, line 15: 0.21 }
//   =>  line 12 0.71 (loads 0.50, stores 0.21), line 15 0.21 (copies 0.21)
//
// Two rules in one line are two shares. Of regions without a line, each kind stands for itself. Source: bottleneck-analysis.md 4, region-wise.
#pragma once
#include "compiler/emulate/sensitivity.h"
#include <utility>

namespace pbc::emulate {

struct LineShare {
  source::Origin origin;
  double value = 0;
  std::vector<std::pair<Region::Kind, double>> parts = {}; // the greatest first
};

/// The greatest first; without what is less than `least`.
std::vector<LineShare> byLine(const Elasticity &, const Trace &, double least);

/// The rules for which the trace does something.
std::vector<std::string> rulesOf(const Trace &);

/// "line 12"; of another file than `file`, "line 12 of library.pbcc"; of one of several rules, "line 12 in Rows".
std::string nameOf(const source::Origin &, const std::string &file, bool isOneOfSeveral);

} // namespace pbc::emulate
