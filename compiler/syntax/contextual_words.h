// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Words that are keywords only by what follows them: `schedule`, `structure` and `let` among the rules of a transform, and `old` in
// front of an input of a rule.
//
//   let c = exp(-a);             a constant
//   let from(A a) { return a; }  a rule for the matrix `let`
//   structure A is symmetric;    a structure
//   from(old A.cell(i) a)        the value before the call
//   from(old a)                  the matrix `old`, which the body calls `a`
#pragma once
#include <cstdint>
#include <string_view>

namespace pbc::syntax {

/// Whether the word that ends at `end` declares the name behind it: behind the name of a matrix that a rule computes, a part
/// of the rule would stand there.
bool declares(std::string_view text, std::uint32_t end);

/// Whether a region and its name in the body stand behind the `old` that ends at `end`: its matrix, and then an accessor, a version or
/// a name.
bool namesOld(std::string_view text, std::uint32_t end);

/// Whether a name and then `word` stand behind `end`.
bool followedBy(std::string_view text, std::uint32_t end, std::string_view word);

} // namespace pbc::syntax
