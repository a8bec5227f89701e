// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Computes what a kernel says, point by point, on arrays in memory: the meaning against which generated code is compared.
//
//   Memory memory = interpret(kernel, {{"n", 5}});     the outputs' cells after all instances have run
//
// It takes the instances of the statements' domains for given parameters, and walks down the schedule's tree with them: a band
// runs those with a smaller value of its function first, a sequence one part after the other. It knows nothing of realisations,
// loops or bounds. Sizes are small, so nothing is optimised.
#pragma once
#include "compiler/kernel/schedule.h"
#include <map>

namespace pbc::kernel {

using Parameters = std::map<std::string, long>;

/// Whether somebody looks at it after the kernel.
bool isResult(const Buffer &);

/// The cells of all matrices, with space around those that kernels of tests may touch.
struct Memory {
  static constexpr long kFirst = -16, kCount = 80; // along each dimension: cells [kFirst, kFirst + kCount)
  static long cellsOf(int rank);
  static long place(const std::vector<long> &at);
  /// What a cell contains at first: a small whole number, so that sums are exact in any order.
  static double initial(int buffer, long place);

  explicit Memory(const Kernel &);
  std::vector<std::vector<double>> buffers;
  /// A number for the contents of all results, in which each cell counts.
  unsigned long checksum(const Kernel &) const;
};

/// Throws std::runtime_error if a kernel has something that only code can do, such as calls of bodies.
Memory interpret(const Scheduled &, const Parameters &);

} // namespace pbc::kernel
