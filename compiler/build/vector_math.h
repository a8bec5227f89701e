// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions of vector arithmetic: defines `pb_vector_exp` and similar functions.
//
//   a loop over  y[i] = pb_vector_exp(x[i])   =>   _ZGVeN8v_exp of glibc's libmvec, eight numbers at once
//
// Invariant: a number gives the same bits wherever it is computed: alone, in the rest of a loop, or in a
// vector of any width. All forms are built from one function of libmvec, that of the widest vectors of the
// processor; for a single number it is called with a vector that holds the number in every lane. If the
// system has no such function, `pb_vector_exp` is `exp`. Powers with the exponents 2 to 8 are products.
#pragma once

namespace llvm {
class Module;
}

namespace pbc::build {

/// The prefix of the names in objects; the name of the function in <math.h> follows.
inline constexpr const char *kVectorPrefix = "pb_vector_";

/// To be called before the optimiser: defines the functions that the module uses, and tells the optimiser
/// about their vector forms. `vectors`: false makes `pb_vector_exp` plain `exp` everywhere.
void defineVectorMath(llvm::Module &, bool vectors);

/// To be called after the optimiser: removes the forms that are not used.
void dropUnusedVectorMath(llvm::Module &);

} // namespace pbc::build
