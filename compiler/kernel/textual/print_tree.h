// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tree of a schedule as text: a node a line, what is below it two columns further to the right.
//
//   band y parallel
//     vector
//       band x parallel
//         sequence
//           S0
//           S1
//             band k
//
// A band has the function of each of its members: one text that holds for all statements under their own names of dimensions, or
// one for each, "(S0: 0; S1, S2: k)". Whether a member is `parallel` follows from the dependences, so a reader only checks it.
// A loop has a label in its band's line, `band xt = 32*floor((x)/32)`, where it is not the one that it gets by itself (loops.h).
// A part of a sequence or set consists of statements, or of a set of their instances.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel::textual {

std::string treeText(const Scheduled &, const isl::schedule &tree, const std::string &indent);

/// The instances that a tree orders, if it has them in other pieces than the statements, which decides the order of loops; else "".
std::string piecesText(const Scheduled &, const isl::schedule &tree);

} // namespace pbc::kernel::textual
