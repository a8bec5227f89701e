// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes the loop over x, the dimension in which the written matrices are contiguous, a vector loop.
//
//   (a) short bodies: the loop is only marked, and LLVM vectorises it
//       band i: sequence {s = 0; s += A[i-1]; ...}
//       =>  mark vector: band i: ...
//
//   (b) bodies with long or run-time loops (lanes.h): x runs in groups of V lanes, every scalar of the body becomes
//       an array of V, and each statement gets its own loop over the lanes inside the body's loops,
//       so that s stays in registers and the loads of A are contiguous
//       band i: s = 0; band k: s += A[i+k]*B[k]; C[i] = s
//       =>  mark lanes:V: band i, printed as
//           s[l] = 0 for all l; for k: s[l] += A[i+l+k]*B[k] for all l; ...
//
// Both are legal if the loop carries no dependence for fixed outer loops: then lanes share nothing, and in
// (b) the order within a lane is kept.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

struct VectorForm {
  enum class Body { Any, Unrolled, Lanes }; // (a) if the body is short, else (b); (a); (b)
  int along = -1;                           // the loop's variable; -1: the contiguous one
  Body body = Body::Any;
  int unroll = 0; // vectors at once in (a); 0: LLVM decides
  long lanes = 0; // number of lanes of a group in (b); 0: as many as the registers hold
};

Outcome vectorise(const Scheduled &, const VectorForm & = {});

/// Marks the inner loops so that LLVM does not vectorise them.
Outcome keepScalar(const Scheduled &);

} // namespace pbc::kernel
