// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/syntax/body_end.h"
#include "compiler/syntax/cxx_scan.h"

namespace pbc::syntax {

namespace {

/// Whether `[main|memoized] transform NAME` (or function) begins at this line.
bool unitBegins(std::string_view text, std::uint32_t at) {
  bool unit = false;
  for (int words = 0; words < 4;) {
    Lexeme l = scan(text, at);
    at = l.end;
    if (l.kind == Lexeme::Kind::Space)
      continue;
    if (l.kind != Lexeme::Kind::Identifier)
      return false;
    std::string_view word = l.text(text);
    if (unit)
      return true;
    unit = word == "transform" || word == "function";
    if (!unit && word != "main" && word != "memoized")
      return false;
    ++words;
  }
  return false;
}

/// For a body without an end: the first later line that looks like the head of another transform.
std::uint32_t nextUnit(std::string_view text, std::uint32_t from) {
  for (std::size_t line = text.find('\n', from); line != std::string_view::npos;
       line = text.find('\n', line + 1))
    if (unitBegins(text, static_cast<std::uint32_t>(line + 1)))
      return static_cast<std::uint32_t>(line + 1);
  return static_cast<std::uint32_t>(text.size());
}

} // namespace

BodyEnd findBodyEnd(std::string_view text, std::uint32_t open, bool stopAtUnit) {
  if (stopAtUnit)
    text = text.substr(0, nextUnit(text, open));
  BodyEnd found;
  unsigned depth = 0;
  bool lineStart = false;
  for (Lexeme l = scan(text, open); l.kind != Lexeme::Kind::End; l = scan(text, l.end)) {
    const bool quoted = l.kind == Lexeme::Kind::String || l.kind == Lexeme::Kind::Character;
    if (quoted && !l.closed) { // it is unknown which of the following braces count
      found.openQuote = l;
      break;
    }
    if (l.is(text, '{')) {
      ++depth;
    } else if (l.is(text, '}') && --depth == 0) {
      found.end = l.end;
      return found;
    } else if (l.is(text, '%') && lineStart && !found.rawBlock && l.end < text.size() && text[l.end] == '{') {
      found.rawBlock = l.begin;
    }
    lineStart = l.kind == Lexeme::Kind::Newline || (lineStart && l.kind == Lexeme::Kind::Space);
  }
  found.closed = false;
  found.end = nextUnit(text, open);
  return found;
}

std::uint32_t findRawEnd(std::string_view text, std::uint32_t open) {
  for (Lexeme l = scan(text, open + 2); l.kind != Lexeme::Kind::End; l = scan(text, l.end))
    if (l.is(text, '%') && l.end < text.size() && text[l.end] == '}')
      return l.end + 1;
  return 0;
}

} // namespace pbc::syntax
