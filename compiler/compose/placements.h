// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Joins what two scripts say of where matrices lie.
//
//   {SM_alloc(B, Transpose), reg_alloc(C)} and {SM_alloc(A, Transpose)}  =>  all three
//   {SM_alloc(B, Transpose)} and {SM_alloc(B, Transpose)}                =>  SM_alloc(B, NoChange): transposed twice
//   {reg_alloc(C)} and {SM_alloc(C, NoChange)}                           =>  a conflict: C has one place
//
// Source: optimisation-scripts 5, allocator, and its vectors. Invariant: a matrix has one step in the result; steps of the base come
// first, in their order.
#pragma once
#include "compiler/script/script.h"

namespace pbc::compose {

struct PlacementOutcome {
  script::Script steps;
  std::string why; // the two clash
};

/// Both have only steps about memory.
PlacementOutcome joined(const script::Script &base, const script::Script &added);

} // namespace pbc::compose
