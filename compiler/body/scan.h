// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a body cannot hold: found by lexing, before Clang runs.
//
//   "x = 1;\n#pragma once"   =>   { {7, 8, "#"} }
//
// Clang's parser calls itself for each operator of an expression and each `if` under an `if`, and dies when
// its stack ends; bodies beyond what its stack (clang_reader.cpp) bears are stopped here. Comments, strings
// and character literals are skipped.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pbc::body {

struct Construct {
  std::uint32_t begin, end;
  std::string name; // "#" for a directive, "..." for code too long for Clang
};

std::vector<Construct> unsupportedConstructs(std::string_view body);

} // namespace pbc::body
