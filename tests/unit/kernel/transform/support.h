// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scripts as text on kernels of programs, for the tests of single transformations.
//
//   Lifted l(programs::kStencil);
//   scheduleAfter(l.kernel(), "peel(x)")        the printed schedule, labels included, or the sentence
//   differences(programs::kStencil, {"peel(x)"})   "" if the kernels compute the same bits as without the script
#pragma once
#include "compiler/kernel/transform/run.h"
#include "tests/unit/kernel/run.h"

namespace pbc::kernel {

/// The steps of a text; a failure of the test if they cannot be read.
script::Script steps(const std::string &text);

/// The kernel after all steps; a failure of the test, and the kernel before the step that failed, if one does not apply.
Scheduled after(const Scheduled &, const std::string &script);
/// The sentence of the first step that does not apply; "it applies" if all do.
std::string whyNot(const Scheduled &, const std::string &script);

/// The schedule after the steps as print() writes it, with each loop's label: "x: band x parallel".
std::string scheduleAfter(const Scheduled &, const std::string &script);

/// Compiles the kernels of the program's first plan without and with each script, runs them on the same matrices with
/// sizes 0, 1, 2 and some odd ones, and compares every bit. A script must apply to one step's kernel at least; "" if all
/// results agree.
std::string differences(const std::string &program, const std::vector<std::string> &scripts);

} // namespace pbc::kernel
