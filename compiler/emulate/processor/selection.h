// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which instructions of a processor an operation of the loop tree becomes.
//
//   double a * b      one multiplication
//   float exp(a)      a chain of 10 pairs of multiply-adds
//
// The numbers for functions are those of vector versions of libraries, to a few instructions. Source: bottleneck-analysis.md 8, "own kernel IR".
#pragma once
#include "compiler/emulate/processor/processor_core.h"
#include "compiler/loop/expression.h"

namespace pbc::emulate {

inline bool isReal(body::Scalar s) { return s == body::Scalar::F32 || s == body::Scalar::F64; }

/// A chain of so many steps, each of `together` instructions that do not wait for each other.
struct CpuSelected {
  CpuUnit unit;
  int steps = 1, together = 1;
};

CpuSelected cpuSelected(const loop::Operation &);
CpuSelected cpuSelected(const loop::Function &);
CpuSelected cpuSelected(const loop::Cast &);

} // namespace pbc::emulate
