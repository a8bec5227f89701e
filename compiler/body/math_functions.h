// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions of C's <math.h> that the compiler knows: their parameter and result types, so that bodies
// which call them can be lifted and run on devices.
//
//   mathFunction("lround", 1)    takes "r", gives 'l': long lround(double), long lroundf(float)
//   mathFunction("sqrtf", 1)     is sqrt
//
// Invariant: each function is pure, and runtime/device/dialect.cpp has it under the name that calledName()
// gives. Functions that OpenCL C 1.2 or CUDA lack (j0, nexttoward) and functions that write through pointers
// are not listed.
#pragma once
#include "compiler/body/facts.h"
#include <span>

namespace pbc::body {

struct MathFunction {
  const char *name;
  const char *takes; // of each argument: r, the real type for which the call is made; i int; l long
  char gives;        // r; i; l; L, a long long; b, a bool
  int arity() const;
  bool isPredicate() const { return gives == 'b'; }
};

std::span<const MathFunction> mathFunctions();

/// Finds a function by its name, or by C's name of its float version; null if there is none with so many
/// arguments.
const MathFunction *mathFunction(const std::string &name, int arity);

/// The name that generated code calls, in C++ and kernels ("pb::" is spelt "pb_" there): C's name for the
/// real type, or a function of the runtime where C has a macro.
std::string calledName(const MathFunction &, Scalar real);

/// The type of an argument; `real`: the real type for which the call is made.
Scalar parameterType(const MathFunction &, std::size_t argument, Scalar real);

} // namespace pbc::body
