// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads kernels from the text that print.h writes. docs/kernel-text.md describes the form.
//
//   kernel Add [w, h]
//     buffer A double 2-d input
//     buffer C double 2-d output
//     S0[y, x]: C[x, y] = A[x, y] + 1.0
//       { S0[y, x] : 0 <= y < h and 0 <= x < w }
//     schedule
//       band y, x
//
// What follows from the rest may be left out: which members of bands are parallel, and the dependences between the instances. A
// kernel that is accepted is sound (verify.h), and its schedule gives an order to all instances that conflict.
//
// Invariant: parsing what print() writes gives a kernel that is printed in the same way and emitted as the same code. Only what a
// body is on devices is not part of the text.
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/source/diagnostics.h"

namespace pbc::kernel {

/// The kernels of a file, each with a name of its own; nothing, after one message, if it has an error or no kernel.
std::vector<Scheduled> parse(source::FileId, const poly::Context &, source::Diagnostics &);

} // namespace pbc::kernel
