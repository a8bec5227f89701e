// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Assignments whose value is made of what their target held: one form of them, which what looks for sums knows.
//
//   t = t + e,  t = e + t    =>  t += e          the same bits
#pragma once
#include "compiler/body/facts.h"

namespace pbc::body {

/// Whether the value is what the target holds.
bool isReadOf(const Value &, const Target &);
/// Takes `+`, `-` or `*` out of the value of `target = value`, if nothing else of it reads the target. `op` is "" before.
void takeOperator(const Target &, std::string &op, ValuePtr &value);

} // namespace pbc::body
