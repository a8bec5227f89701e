// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/syntax/let_value.h"
#include "compiler/syntax/cxx_scan.h"
#include <algorithm>

namespace pbc::syntax {

LetValue findLetValue(std::string_view text, std::uint32_t at) {
  Lexeme next = scanPastBlanks(text, at);
  LetValue found{next.begin, next.begin, true};
  int depth = 0, blocks = 0; // of all brackets, and of braces alone
  for (; next.kind != Lexeme::Kind::End; next = scanPastBlanks(text, next.end)) {
    if (blocks == 0 && next.is(text, ';')) {
      found.end = std::max(found.end, found.begin);
      return found;
    }
    const bool isBrace = next.is(text, '{') || next.is(text, '}');
    if ((isBrace && depth == 0) || (next.text(text) == "let" && startsLine(text, next.begin)))
      break;
    const bool opens = next.is(text, '(') || next.is(text, '[') || next.is(text, '{');
    const bool closes = next.is(text, ')') || next.is(text, ']') || next.is(text, '}');
    depth += opens - closes;
    blocks += isBrace ? opens - closes : 0;
    found.end = next.end;
  }
  const auto lineEnd = static_cast<std::uint32_t>(std::min(text.find('\n', at), text.size()));
  found.closed = false;
  found.end = std::max(found.begin, std::min(found.end, lineEnd));
  return found;
}

} // namespace pbc::syntax
