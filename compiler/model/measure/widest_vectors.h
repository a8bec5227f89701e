// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs a loop with the widest vectors that this processor has, although pbc itself is compiled for all of
// them.
//
//   onWidestVectors([&]() PBC_INLINE { for (...) b[i] = a[i] + c[i]; });
//   onVectorsOf<64>([&]() PBC_INLINE { ... })   // a body that needs vectors of 64 bytes
//   vectorLanes()   =>  16 numbers of 4 bytes, where there is AVX-512
//
// The body must be declared PBC_INLINE: only what is inlined is compiled for the wider vectors.
#pragma once

#define PBC_INLINE __attribute__((always_inline))

namespace pbc::model {

/// A vector of so many bytes. (GCC ignores the older spelling of the attribute where the type or the size is a
/// parameter of a template.)
template <class Number, int kBytes>
using VectorOf [[gnu::vector_size(kBytes)]] = Number;

inline int vectorLanes() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq"))
    return 16;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return 8;
#endif
  return 4;
}

#ifdef __x86_64__
// Both compilers split the widest vectors unless they are asked not to; each ignores a list of the other's.
#ifdef __clang__
#define PBC_FOR_64_BYTES target("avx512f,avx512vl,avx512dq,avx2,fma"), min_vector_width(512)
#else
#define PBC_FOR_64_BYTES target("avx512f,avx512vl,avx512dq,avx2,fma,prefer-vector-width=512")
#endif
template <class Body>
__attribute__((PBC_FOR_64_BYTES, noinline)) void onVectorsOf64Bytes(Body body) {
  body();
}
template <class Body>
__attribute__((target("avx2,fma"), noinline)) void onVectorsOf32Bytes(Body body) {
  body();
}
#endif
template <class Body>
__attribute__((noinline)) void onPlainVectors(Body body) {
  body();
}

/// The same for a body that has vectors of kBytes: it is compiled only where there are such. The processor must
/// have them.
template <int kBytes, class Body>
void onVectorsOf(Body body) {
#ifdef __x86_64__
  if (vectorLanes() == 16)
    return onVectorsOf64Bytes(body);
  if constexpr (kBytes <= 32)
    if (vectorLanes() == 8)
      return onVectorsOf32Bytes(body);
#endif
  if constexpr (kBytes <= 16)
    onPlainVectors(body);
}

template <class Body>
void onWidestVectors(Body body) {
  onVectorsOf<16>(body);
}

/// Calls body.operator()<bytes>() with the width of the widest vectors.
template <class Body>
void withVectorBytes(Body body) {
  if (vectorLanes() == 16)
    body.template operator()<64>();
  else if (vectorLanes() == 8)
    body.template operator()<32>();
  else
    body.template operator()<16>();
}

} // namespace pbc::model
