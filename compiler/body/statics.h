// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Warns about `static` variables of bodies that run once for each cell.
//
//   B.cell(i) from() { static int k = 0; return k++; }   =>   a warning at `static int k = 0;`
//
// All cells share one such variable, and they run in parallel and in any order. A constant is allowed.
#pragma once
#include "compiler/body/lift.h"

namespace pbc::body {

void warnOfStatics(const RuleContext &, source::Diagnostics &);

} // namespace pbc::body
