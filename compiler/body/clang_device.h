// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From Clang's AST of one rule's function to a DeviceBody. Only for files that show Clang's types.
//
//   while (z < 4 && b.contains(n)) z = f(z, ++n);
//   => while (z_0 < 4.0 && ...) z_0 = R0_f0_f(z_0, ++n_1);       and in front: PB_FUNCTION double
//   R0_f0_f(...)
//
// A view is a pointer, strides and extents; functions of the program are printed with it, once for each kind
// of memory that they are given; references are pointers. What has no counterpart is an obstacle: other
// transforms, memory of its own, classes, recursion, functions without a text.
//
// Invariant: conversions and the order of evaluation are those of the body (clang_order.h), so that the
// device rounds where the processor does.
#pragma once
#include "compiler/body/clang_nodes.h"
#include "compiler/body/device_body.h"

namespace pbc::body {

DeviceBody readDeviceBody(const clang::FunctionDecl &, clang::ASTContext &, const Unit &, const RuleText &);

} // namespace pbc::body
