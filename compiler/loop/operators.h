// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The operators of rules' bodies, which Operation holds, and their spelling in bodies:  Operation::Op::Add  <=>  "+".
// All members of the C family spell them alike.
#pragma once
#include "compiler/loop/expression.h"
#include <string_view>

namespace pbc::loop {

/// The operator with this spelling and so many operands; throws std::logic_error if there is none.
Operation::Op operation(std::string_view spelling, std::size_t operands);
std::string_view spelling(Operation::Op);

} // namespace pbc::loop
