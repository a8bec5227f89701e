// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Replaces the keywords of variable accuracy in rule bodies by equivalent C++.
//
//   for_enough(2; 50) { relax(); }   =>   for (int pb_round_0 = 0; pb_round_0 < for_enough_0; ++pb_round_0)
//                                         { relax(); }     and   accuracy_variable sizespecific
//                                                                for_enough_0(2, 2, 50)
//   verify_accuracy;                 =>   pb_verify_();
//
// Source: language reference 1.6, 2.9, 2.10. Inserted text has the position of the keyword that it replaces.
#pragma once
#include "compiler/source/diagnostics.h"
#include "compiler/syntax/ast.h"

namespace pbc::sema {

/// Rewrites the body; appends an item for each `for_enough`, numbered after those that exist already.
void plainAccuracyWords(source::MappedText &body, std::vector<syntax::Item> &items, source::Diagnostics &);

} // namespace pbc::sema
