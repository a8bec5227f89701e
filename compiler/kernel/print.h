// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// --emit=kernels: a Kernel as text.
//
//   kernel Smooth.rule0 [n]
//     buffer A double 1-d input
//     buffer R0_s double local of (i)
//     R0_S1[i, k]: R0_s[i] += A[-1 + i + k]          { R0_S1[i, k] : ... }
//     schedule
//       band i
//         alloc:R0_s
//           sequence ...
#pragma once
#include "compiler/kernel/realisation.h"
#include "compiler/kernel/schedule.h"
#include <optional>

namespace pbc::kernel {

/// Whether statements are printed with the lines of the source that they come from.
enum class Lines { Left, Printed };

std::string print(const Scheduled &, Lines = Lines::Left);

/// The beginning of that text, without the loops and the dependences: context, buffers, statements, tasks and the block in registers. It is made
/// without any question to isl about dependences.
std::string printWithoutLoops(const Scheduled &, Lines = Lines::Left);

/// One loop of the schedule, for reports about a rule.
struct Loop {
  std::string over; // "x", "k", "i + k"
  int depth = 0;    // loops around it
  /// Whether its iterations can run in parallel, for fixed outer loops. Nothing where that is too complex for isl.
  std::optional<bool> isParallel = {};
  std::vector<Realisation> how; // from the outside inwards
};

/// The loops from the outside inwards, in the order of the text, without those that have a single iteration.
std::vector<Loop> loops(const Scheduled &);

/// A statement's assignment, as "R0_s[i] += A[-1 + i + k]".
std::string print(const Kernel &, const Statement &);

} // namespace pbc::kernel
