// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Translates Clang's AST of one rule's function into a DeviceBody. Only files that show Clang's types include
// this header.
//
//   while (z < 4 && b.contains(n)) z = f(z, ++n);
//   =>  PB_FUNCTION double R0_f0_f(...);                                  printed before the body
//       while (z_0 < 4.0 && ...) z_0 = R0_f0_f(z_0, ++n_1);
//
// A view becomes a pointer, strides and extents. A function of the program is printed along with the body,
// once for each kind of memory that its arguments point to; references become pointers. What has no
// counterpart on a device is an obstacle: calls of transforms, memory that the body allocates, classes,
// recursion, functions without a definition.
//
// Invariant: conversions and the order of evaluation are those of the body (clang_order.h), so that the
// device rounds where the processor does.
#pragma once
#include "compiler/body/clang_nodes.h"
#include "compiler/body/device_body.h"

namespace pbc::body {

DeviceBody readDeviceBody(const clang::FunctionDecl &, clang::ASTContext &, const Unit &, const RuleText &);

} // namespace pbc::body
