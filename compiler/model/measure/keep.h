// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Keeps the compiler from removing or merging what is measured, without an instruction of its own.
//
//   keep(x);    // x may be another value afterwards: nothing that was known of it holds
//   used(x);    // x is needed here, in a register
//
// Numbers and vectors. Vectors only in functions that are compiled for their width (widest_vectors.h).
#pragma once
#include "compiler/model/measure/widest_vectors.h"

#include <type_traits>

// "v": with AVX-512 one of 32 registers, otherwise of 16.
#ifdef __x86_64__
#define PBC_VECTOR_REGISTER "v"
#else
#define PBC_VECTOR_REGISTER "w"
#endif

namespace pbc::model {

template <class V>
PBC_INLINE inline void keep(V &x) {
  if constexpr (std::is_integral_v<V>)
    asm volatile("" : "+r"(x));
  else
    asm volatile("" : "+" PBC_VECTOR_REGISTER(x));
}

template <class V>
PBC_INLINE inline void used(const V &x) {
  if constexpr (std::is_integral_v<V>)
    asm volatile("" : : "r"(x));
  else
    asm volatile("" : : PBC_VECTOR_REGISTER(x));
}

} // namespace pbc::model
