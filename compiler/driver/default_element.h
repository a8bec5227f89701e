// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The type of matrices that are declared without one: `pbc --element=float`.
//
//   from A[n], B[n] : int   with float  =>  from A[n] : float, B[n] : int
//
// A function of a library for devices that takes no elements of the type is left out of rules whose matrices get it
// here: `gpu cublas.gemm(c, a, b)` for int. Of matrices that are declared with such a type, it is an error (sema).
#pragma once
#include "compiler/sema/module.h"

namespace pbc::driver {

/// Nothing for double, which all others take as the default.
void setDefaultElement(syntax::Program &, sema::Element);

} // namespace pbc::driver
