// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What rules may name behind `gpu`: functions of libraries for devices, by what they compute.
//
//   findEntry("cublas.gemm")   =>  computes "c = a b", of c[w, h], a[k, h], b[w, k]
//
// The compiler checks rules against this table; cuda_libraries.h and, for pbc's own, own_function.h carry the entries out. Invariants:
// outputs come first and are written completely; inputs are only read. All matrices have elements of one
// type.
#pragma once
#include <string_view>

namespace pb::device {

struct EntryParameter {
  const char *name;
  const char *extents; // one character for each, x first: equal letters stand for equal sizes; or a digit
  bool isOutput;
  constexpr int rank() const {
    int n = 0;
    while (extents[n])
      ++n;
    return n;
  }
};

struct LibraryEntry {
  const char *name; // "cublas.gemm"
  const char *computes;
  int count;
  EntryParameter parameters[3];
  bool takesIntegers = false; // int and long; all take double and float
};

enum class Entry { Gemm, Gemv, SolveLower, SolveUpper, Cholesky, Lu, Fft, Fft2, Sort };

/// Indexed by Entry.
inline constexpr LibraryEntry kLibraryEntries[] = {
    {"cublas.gemm", "c = a b", 3, {{"c", "wh", true}, {"a", "kh", false}, {"b", "wk", false}}},
    {"cublas.gemv", "y = a x", 3, {{"y", "h", true}, {"a", "wh", false}, {"x", "w", false}}},
    {"cublas.trsm_lower",
     "x with l x = b, of the lower triangle of l",
     3,
     {{"x", "wn", true}, {"l", "nn", false}, {"b", "wn", false}}},
    {"cublas.trsm_upper",
     "x with u x = b, of the upper triangle of u",
     3,
     {{"x", "wn", true}, {"u", "nn", false}, {"b", "wn", false}}},
    {"cusolver.potrf",
     "the Cholesky factor l of a, with zeros above its diagonal",
     2,
     {{"l", "nn", true}, {"a", "nn", false}}},
    {"cusolver.getrf",
     "the factors of a = l u without row exchanges: u, and l below its diagonal of ones",
     2,
     {{"f", "nn", true}, {"a", "nn", false}}},
    {"cufft.forward", "the Fourier transform of pairs", 2, {{"y", "2n", true}, {"x", "2n", false}}},
    {"cufft.forward2",
     "the Fourier transform of pairs in two dimensions",
     2,
     {{"y", "2wh", true}, {"x", "2wh", false}}},
    {"pbc.sort",
     "the numbers of x in order, the smallest first",
     2,
     {{"y", "n", true}, {"x", "n", false}},
     true},
};

inline const LibraryEntry *findEntry(std::string_view name) {
  for (const LibraryEntry &entry : kLibraryEntries)
    if (name == entry.name)
      return &entry;
  return nullptr;
}

} // namespace pb::device
