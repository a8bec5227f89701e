// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What composing found, for people and for programs.
//
//   report({"Trmm", "gemm", adaptors, composition}, false)
//   => Trmm: gemm + Triangular(A): 9 sequences make 7 kernels
//        1  kept          rule 1   thread_grouping(Li, Lj); loop_tiling(Lii, Ljj, Lkk); loop_unroll(Ljjj, Lkkk)
//                         left out: loop_unroll(Ljjj, Lkkk), its loops are no rectangle: the limits of `Lkkk` move with `Liii`
//        2  the same as 1 rule 2   peel_triangular(A); ...
#pragma once
#include "compiler/compose/compose.h"

namespace pbc::compose {

struct Report {
  std::string kernel, script;
  const std::vector<Adapted> &adaptors;
  const Composition &composition;
};

std::string report(const Report &, bool asJson);

} // namespace pbc::compose
