// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which instructions of a GPU an operation of the loop tree becomes.
//
//   float a * b + c      one f32 (the product and the sum are fused)
//   float a / b          one of special functions, then a chain of 8 f32
//   double sqrt(a)       one of special functions, then a chain of 14 f64
//
// Counts are those of the ways that are usually taken, in machine code of NVRTC 13.0 for sm_90; conversions of addresses and what is rarely
// reached are not counted. Source: bottleneck-analysis.md 8, "own kernel IR".
#pragma once
#include "compiler/emulate/device/gpu_core.h"
#include "compiler/loop/expression.h"

namespace pbc::emulate {

/// So many instructions of one unit, each on the result of the one before.
struct Selected {
  GpuUnit unit;
  int count;
};

/// Instructions on whole numbers with which an item finds its points and their places in memory, in code without loops: in kernels of one to three axes and
/// two to four matrices. In loops, the compiler goes on from one place to the next.
struct IndexCosts {
  int ofItem = 0;   // its coordinates, and whether it has a point
  int ofMatrix = 0; // address, strides, the first access
  int ofRow = 5;    // each other row of a matrix; cells beside each other need none
  int ofCopy = 20;  // each cell that an item copies into its group's memory: it may lie outside of the matrix
};
IndexCosts indexCosts(int axes);

std::vector<Selected> selected(const loop::Operation &);
std::vector<Selected> selected(const loop::Function &);
std::vector<Selected> selected(const loop::Cast &);
/// The unit of plain arithmetic in this type.
GpuUnit unitOf(loop::Scalar);

} // namespace pbc::emulate
