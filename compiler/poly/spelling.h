// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Names in a text for users as the program spells them.
//
//   "for pb_u_a_24b: in order"   =>   "for a$b: in order"
#pragma once
#include <string>

namespace pbc::poly {

/// Each word of the text that poly::plain() made of a name becomes that name.
std::string asSpelled(const std::string &text);

} // namespace pbc::poly
