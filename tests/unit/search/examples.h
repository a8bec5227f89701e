// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Structures for tests.
#pragma once
#include "compiler/search/structure.h"

namespace pbc::search {

/// X <- alpha X, the worked example of lower-bound-search.md, section 3, with symbolic sizes and no limits of a machine.
struct ScaledVector {
  Structure structure;
  int d0, d1, d2, d3, d4, i0, i1, i2, i3, i4;
};
ScaledVector scaledVector();

/// C <- alpha A B + beta C of lower-bound-search.md, section 6, in three nests: sums begin; chunks of A and B are loaded, each in a nest of
/// its own, and multiplied; C is written. `inner` is |m'| = |n'| = |k'| and `innermost` |m''| = |n''|; with 1, the dimensions are not there.
/// `fixed`: as in the accuracy experiment of section 7: m' and n' are threads, and the chunks lie in shared memory.
Structure sgemm(long n, long inner, long innermost);

} // namespace pbc::search
