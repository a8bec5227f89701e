// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds what a body must not contain, by lexing, before Clang runs.
//
//   "x = 1;\n#pragma once"   =>   { {7, 8, "#"} }
//
// Clang's parser recurses for each operator of an expression and each `if` under an `if`, and crashes when
// its stack is exhausted; bodies that are too deep for its stack (clang_reader.cpp) are refused here.
// Comments, strings and character literals are skipped.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pbc::body {

struct Construct {
  std::uint32_t begin, end;
  std::string name; // "#" for a directive, "..." for code that is too deep or too long for Clang
};

std::vector<Construct> unsupportedConstructs(std::string_view body);

} // namespace pbc::body
