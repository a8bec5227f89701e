// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the bodies that call nothing but helpers: transforms of numbers, which bodies use as functions.
//
//   transform Root from A to Y { Y from(A a) { double y = a; for (int k = 0; k < 6; ++k) y = (y + a / y) / 2; return y; } }
//   C.cell(i) from(A.cell(i) a) { double y; Root(y, a); return y; }        =>  callsInPlace: the loop over i is one like any other
//   C.cell(i) from(A.cell(i) a) { double y; spawn Root(y, a); ... }        =>  not: the program asks for a task
//   to(C c) from(A a) { Blur(c, a); }                                      =>  not: Blur may be worth tasks, and may run on a device
//
// Invariant: no helper calls itself, directly or through others, so that a call of one never needs tasks or another stack.
#pragma once
#include "compiler/body/facts.h"

namespace pbc::body {

/// Sets Facts::callsInPlace of all bodies.
void findHelpers(const sema::Module &, std::vector<std::vector<Facts>> &);

} // namespace pbc::body
