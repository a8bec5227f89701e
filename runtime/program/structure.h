// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the structure of an input says of the cells that it does not store (docs/language.md, Structures).
//
//   transform T from A[n, n] ... structure A is lower_triangular;
//   A = [1 2; 3 4]   =>   "A(1, 0) is 2, but A is lower_triangular: it is 0"
//
// Random inputs are given the values that their structures say; others are compared under --check.
#pragma once
#include "runtime/program/instance.h"

namespace pb::program {

/// Gives the inputs of the instance what their structures say of them.
void imposeStructures(const Instance &);

/// The first cell, in the order of the memory, that has another value than its structure says; "" if there is none.
std::string structureViolation(const Instance &);

} // namespace pb::program
