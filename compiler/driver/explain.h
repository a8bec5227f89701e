// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `pbc explain PROGRAM.pbcc`: what the compiler makes of each rule and loop, and what it could not do.
//
//   Smooth (smooth.pbcc:3)
//     rule0 (line 5): lifted
//     rule1 (line 6): a call of C++ code: it calls `printf` (line 6)
//     alternative rule0+rule1
//       rule0: for x (parallel, vectors)
//         tasks: x in [1, n - 1), any order
//         not vectorise: ...
//
// With --json it prints the same as data. This component decides nothing; all decisions come from earlier
// steps.
#pragma once
#include "compiler/driver/explain_storage.h"
#include "compiler/driver/kernel_requests.h"
#include "compiler/driver/rule_bounds.h"
#include <string>

namespace pbc::driver {

/// `spaces`: the options of kernels, and `bounds`: the times below which no schedule stays, if they are wanted.
std::string explain(const emit::Input &, const Reports &, bool asJson, const std::vector<KernelSpace> &spaces,
                    const RuleBounds &bounds, const ExplainedStorage &storage);

} // namespace pbc::driver
