// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/syntax/contextual_words.h"
#include "compiler/syntax/cxx_scan.h"

namespace pbc::syntax {

bool declares(std::string_view text, std::uint32_t end) {
  const Lexeme name = scanPastBlanks(text, end);
  const std::string_view first = name.text(text);
  return name.kind == Lexeme::Kind::Identifier && first != "from" && first != "through" && first != "using" &&
         first != "where" && first != "gpu";
}

bool namesOld(std::string_view text, std::uint32_t end) {
  const Lexeme matrix = scanPastBlanks(text, end);
  const Lexeme next = scanPastBlanks(text, matrix.end);
  return matrix.kind == Lexeme::Kind::Identifier &&
         (next.kind == Lexeme::Kind::Identifier || next.is(text, '.') || next.is(text, '<'));
}

bool followedBy(std::string_view text, std::uint32_t end, std::string_view word) {
  const Lexeme name = scanPastBlanks(text, end);
  return name.kind == Lexeme::Kind::Identifier && scanPastBlanks(text, name.end).text(text) == word;
}

} // namespace pbc::syntax
