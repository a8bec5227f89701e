// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints a Kernel as C++: one function over raw pointers, with loops from the schedule tree.
//
//   kernel Smooth.0 => static void Smooth_0(const void *context, const long *low, const long *high)
//                      { ... for (long c0 = low0; c0 < high0; c0 += 1) { double R0_s; R0_s = 0; ... } }
//
// The function has two bodies: one for matrices whose dimension 0 has stride 1, with vector loops and index
// arithmetic that LLVM optimises well, and a small one for all other strides. Pointers are __restrict,
// because the caller has ensured that no output overlaps anything else that the kernel touches (but see
// mayShareViews).
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/loop/lower/lower.h"

namespace pbc::emit {

/// At the beginning of a block: its sums and products may be reordered.
inline const std::string kReassociate = "#pragma clang fp reassociate(on)\n";

struct KernelNest; // nest.h

struct KernelText {
  std::string text;
  std::string note; // "", or one sentence: the optimised schedule has too many cases, so a plain one is used
  std::vector<loop::Left> left; // realisations that loops were to have and cannot have
};

/// `frameType` has members `v_<name>` for sizes and tunables and `m_<name>` (pb::Region) for matrices, with
/// mangled names. `mayShareViews`: an output may be the very same view as an input (each point then reads
/// only cells that it writes itself), so no pointer is __restrict; vector loops stay legal. `rowsAreContiguous`: the caller
/// knows it of all matrices, and there is only the first body.
KernelText kernelText(const kernel::Scheduled &, const std::string &functionName,
                      const std::string &frameType, bool mayShareViews = false,
                      bool rowsAreContiguous = false);
/// The same of loops that are there already.
KernelText kernelText(const KernelNest &, const std::string &functionName, const std::string &frameType,
                      bool mayShareViews = false, bool rowsAreContiguous = false);
/// The text alone.
std::string kernelFunction(const kernel::Scheduled &, const std::string &functionName,
                           const std::string &frameType, bool mayShareViews = false,
                           bool rowsAreContiguous = false);

} // namespace pbc::emit
