// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a composition makes of a schedule with a name: the alternatives among which a program chooses, each with a name of its own.
//
//   gemm with Triangular(A):   gemm                        the script as it is
//                              gemm+Triangular(A).2        mixed with the second rule of the adaptor
//                              gemm+Triangular(A).2/3      the third way to mix them
//                              gemm+Triangular(A).3+Transpose(A).2
//
// A rule that changes nothing takes no part in a name, and neither does the first way to mix, so that a name stays what it is when
// adaptors get further rules. An alternative fails if it keeps no step of the script but its cut into tasks, if the caller refuses it, or if its condition can
// never hold. One whose condition is decided when the program runs has it as a guard. Several that make the same kernel are one, and
// without a guard if one of them has none; under different guards they are several. No more than `most` are left, those first that keep most of the script's
// steps: all others are there with the reason. Source: optimisation-scripts 9.3.
#pragma once
#include "compiler/compose/compose.h"
#include <functional>

namespace pbc::compose {

/// A step that does not apply. Of the script that was composed, its number there.
struct LeftOut {
  script::Step step;
  kernel::StepProblem problem;
  std::optional<std::size_t> ofScript;
};

/// What is known of a condition when the program is compiled.
struct Decision {
  enum class Kind {
    Holds,     // whatever the matrix contains
    IsChecked, // each time the program runs
    Fails,
  };
  Kind kind = Kind::Holds;
  std::string why = {}; // it fails
};

struct Alternative {
  std::string name;       // "gemm+Triangular(A).2/3"
  std::string provenance; // "gemm + Triangular(A) rule 2"
  script::Script steps;   // that apply
  std::vector<LeftOut> leftOut;
  std::vector<script::Condition> guards;   // that must hold in a call in which it runs
  std::optional<kernel::Scheduled> kernel; // if it is an alternative
  std::string sameAs;                      // or the name of an alternative that makes the same loops
  std::string why;                         // or why it is none
};

struct Choosing {
  std::size_t most = 8;
  std::function<Decision(const script::Condition &)> decide;
  std::function<std::string(const kernel::Scheduled &)> whyNot; // "" if the kernel can be used
};

/// In the order of the composition. `script` is the name of `base`.
std::vector<Alternative> alternatives(const std::string &script, const script::Script &base,
                                      const std::vector<Adapted> &, const Composition &, const Choosing &);

} // namespace pbc::compose
