// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions of vector arithmetic: what `pb_vector_exp` and its like are.
//
//   a loop over  y[i] = pb_vector_exp(x[i])   =>   _ZGVeN8v_exp of glibc's libmvec, eight numbers at once
//
// Invariant: one number gives the same bits wherever it stands: alone, in the rest of a loop, or in a vector
// of any width. All forms are made of one function of libmvec, that of the widest vectors the processor has;
// a single number goes there in a vector that holds it in every place. Where the system has no such function,
// `pb_vector_exp` is `exp`.
#pragma once

namespace llvm {
class Module;
}

namespace pbc::build {

/// What the names in objects begin with; what follows is the name of the function in <math.h>.
inline constexpr const char *kVectorPrefix = "pb_vector_";

/// Before the optimiser: defines the functions that the module uses, and tells the optimiser their vector
/// forms. `vectors`: false makes `pb_vector_exp` plain `exp` everywhere.
void defineVectorMath(llvm::Module &, bool vectors);

/// After it: takes out the forms that are not used.
void dropUnusedVectorMath(llvm::Module &);

} // namespace pbc::build
