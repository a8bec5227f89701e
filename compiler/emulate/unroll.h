// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes several turns of short innermost loops one after the other, as compilers of kernels do, so that loads of the next turns can come early.
//
//   400 times { load r0; r1 += r0; i32 r2 }      =>   100 times { load r3; r1 += r3; load r4; r1 += r4; ..; load r0; r1 += r0; i32 r2 }
//
// Values that a turn makes for itself have registers of their own in each copy; those that go on from turn to turn stay. The counter, the last
// instruction of a loop, is needed once. Loops with barriers, long ones and those of few turns stay. Turns that are left over are not followed.
// Invariant: each register has the same value behind the loop.
#pragma once
#include "compiler/emulate/trace.h"

namespace pbc::emulate {

struct Unrolled {
  Trace trace;
  std::vector<int> origins; // of its instructions, in the trace before
};

/// How many turns, by the instructions of one.
struct Unrolling {
  int shortest = 6, longest = 48; // instructions
  long ofShortest = 16, ofOthers = 4;
};

/// The usual figures are those of NVRTC 13.0: its PTX has four turns, and the assembler writes up to sixteen.
Unrolled unrolled(const Trace &, const Unrolling & = {});

} // namespace pbc::emulate
