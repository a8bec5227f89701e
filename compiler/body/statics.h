// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Warnings about `static` variables of bodies that run once for each cell.
//
//   B.cell(i) from() { static int k = 0; return k++; }   =>   a warning at `static int k = 0;`
//
// There is one such variable for all cells, which run in parallel and in any order. A constant one is fine.
#pragma once
#include "compiler/body/lift.h"

namespace pbc::body {

void warnOfStatics(const RuleContext &, source::Diagnostics &);

} // namespace pbc::body
