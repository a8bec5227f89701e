// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Puts the code of small transforms into the units of their callers too, so that Clang can inline calls.
//
//   transform Add from A[n], B[n] to C[n] { C.cell(i) from(A.cell(i) a, B.cell(i) b) { return a + b; } }
//   =>  in the unit of a transform whose bodies call Add:
//       namespace pb_in_Add { struct Add_Frame ...; the kernel; pb::SmallCall run(...); }
//       pb_call_Add(depth, c, a, b)                 // run() or, if it declines, pb_seq_Add()
//       co_await pb_await_Add(depth, c, a, b)       // the same if the call is below Add's cut-off, else pb_par_Add()
//
// run() does what Add's own entry does where nothing is to be decided: sizes that do not fit, rows with gaps, many cells to be copied, devices
// and calls that are worth tasks are left to that entry. It does nothing before it declines.
//
// Invariant: transforms with choices, tunables of bodies, other schedules, temporaries, or long kernels have no such code. What configurations
// decide about the others is whether a call runs in tasks, and on which device.
#pragma once
#include "compiler/emit/parts.h"
#include <set>

namespace pbc::emit {

/// By transform; `scopes` are those of all transforms, whose kernels have names.
std::vector<bool> standingInCallers(const std::vector<Scope> &scopes);

/// Whether calls of that name, which is no copy of a template, are pb_call_NAME and pb_await_NAME.
bool standsInCallers(const Scope &, const std::string &callee);

/// The definition of the callee's cut-off, which its callers see.
std::string cutoffSlot(const Scope &);

/// What the transform calls, and what code of its callees calls that stands beside it.
std::set<std::string> declaredCallees(const Scope &, const std::vector<Scope> &scopes);

/// The code of all that the transform calls and, behind it, of what these call.
std::string codeOfCallees(const Scope &, const std::vector<Scope> &scopes);

} // namespace pbc::emit
