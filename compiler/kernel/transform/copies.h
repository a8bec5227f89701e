// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies of what a step of a loop, or the whole kernel, uses of a matrix, in scratch memory: what stage, keep and layout have in common.
//
//   label kt: band kt: ... S[y, x, k]: C[x, y] += A[k, y] * B[x, k]     with 16 steps of k in one of kt
//   => withCopies(kernel, {"A", "kt"})
//   label kt: band kt: alloc A_pack: sequence
//     label A1: band A1: label A0: band A0: A_copy[.., kt, A0, A1]: A_pack[A0 - kt, A1 - y] = A[A0, A1]
//     ... S[y, x, k, kt]: C[x, y] += A_pack[k - kt, 0] * B[x, k]
//
// The copies have exactly the cells that the step reads or writes; the scratch memory has the smallest box of constant size
// around them. What is copied in is read by the step, and what is copied back was written by it, so that steps which run at
// the same time touch what they touched before. PPCG's way: Verdoolaege et al., Polyhedral parallel code generation for CUDA,
// TACO 2013.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

struct CopyRequest {
  std::string matrix;
  std::string at = ""; // the loop's label; "": one copy before all loops, of any size
  bool isTransposed = false;
  long pad = 0;        // cells that are added to each row
  long parts = 1;      // of each row, in groups: cells so many places apart lie next to each other
  long gap = 0;        // cells behind each part
  bool isKept = false; // it may be written, is written back, and is meant for registers
  long buffers = 1;    // in groups: with 2, the copy of the next step of `at` is made while this one is read
  bool isThroughGroup =
      false; // it is kept by items that go through planes, and new cells come through memory of the group
  long planes = 1;         // the same: how many of the last planes an item takes from there in each plane
  long access = 0;         // which way to read the matrix it is for, from 1 (ways_to_read.h); 0: all
  bool isMirrored = false; // it is symmetric: the copy has both halves of what is read (mirrored.h)
  /// In groups: it is symmetric, the kernel reads cells of both halves (mirrored.h), and this one is stored.
  std::optional<Half> stored = {};
};

Outcome withCopies(const Scheduled &, const CopyRequest &);

/// What stage and layout let a script say of the copy: the order of its dimensions, under this name, and `pad`.
Parameter orderOfCopy(std::string_view name);
Parameter padOfCopy();

} // namespace pbc::kernel
