// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Restores the program's own spelling of names in a text for users.
//
//   "for pb_u_a_24b: in order"   =>   "for a$b: in order"
#pragma once
#include <string>

namespace pbc::poly {

/// Replaces each word that poly::plain() made from a name by that name.
std::string asSpelled(const std::string &text);

} // namespace pbc::poly
