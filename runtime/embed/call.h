// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One call of a function of a library.
//
//   call(context, 0, {&A, &B}, nullptr, 0);     // pbc_mm_Smooth(context, &A, &B)
//
// Below the transform's cut-off the calling thread computes, without a task: such a call costs some 100 ns more than its
// work. Above it the context's workers do, and the calling thread sleeps; in a context for one thread, the calling thread
// always computes. Any number of threads may call.
#pragma once
#include "runtime/embed/context.h"

namespace pb::embed {

/// Arguments as in pbc_library::call. Throws Refusal, or what a rule throws.
void call(pbc_context &, int function, pbc_array *const *arrays, const int64_t *sizes, double accuracy);

} // namespace pb::embed
