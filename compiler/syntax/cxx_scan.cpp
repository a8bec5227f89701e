// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/syntax/cxx_scan.h"
#include <string>

namespace pbc::syntax {

namespace {

using Kind = Lexeme::Kind;

struct Scanner {
  std::string_view text;
  std::size_t at;

  char peek(std::size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
  bool done() const { return at >= text.size(); }

  /// The length of a backslash with the line end after it; 0 if there is none here.
  std::size_t joinedLine() const {
    if (peek() != '\\')
      return 0;
    if (peek(1) == '\n')
      return 2;
    return peek(1) == '\r' && peek(2) == '\n' ? 3 : 0;
  }

  bool quoted(char quote) {
    for (++at; !done() && peek() != '\n'; ++at) {
      if (peek() == quote) {
        ++at;
        return true;
      }
      if (std::size_t joined = joinedLine())
        at += joined - 1;
      else if (peek() == '\\' && peek(1) != '\n' && at + 1 < text.size())
        ++at;
    }
    return false;
  }

  /// Scans R"delimiter(...)delimiter", beginning at the quote.
  bool rawString() {
    std::size_t open = at + 1;
    while (open < text.size() && text[open] != '(' && open - at <= 17 && text[open] != '\n')
      ++open;
    if (open >= text.size() || text[open] != '(')
      return quoted('"');
    std::string close = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
    std::size_t end = text.find(close, open);
    at = end == std::string_view::npos ? text.size() : end + close.size();
    return end != std::string_view::npos;
  }

  /// Scans a preprocessing number, which includes 1'000, 0x1p-3 and 1.5e+3f.
  void number() {
    for (++at; !done(); ++at) {
      char c = peek(), last = text[at - 1];
      bool exponentSign =
          (c == '+' || c == '-') && (last == 'e' || last == 'E' || last == 'p' || last == 'P');
      bool separator = c == '\'' && isIdentifierPart(peek(1));
      // `a..b` must keep its dots: a number includes a dot only if the dot is not one of two.
      bool point = c == '.' && peek(1) != '.' && last != '.';
      if (!isIdentifierPart(c) && !exponentSign && !separator && !point)
        return;
    }
  }

  bool isRawPrefix(std::string_view word) const {
    return word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
  }
};

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

} // namespace

Lexeme scan(std::string_view text, std::uint32_t begin) {
  Scanner s{text, begin};
  Lexeme lexeme{Kind::End, begin, begin, true};
  auto finish = [&](Kind kind, bool closed = true) {
    lexeme.kind = kind;
    lexeme.end = static_cast<std::uint32_t>(s.at);
    lexeme.closed = closed;
    return lexeme;
  };
  if (s.done())
    return lexeme;
  char c = s.peek();
  if (c == '\n') {
    ++s.at;
    return finish(Kind::Newline);
  }
  if (isSpace(c) || s.joinedLine()) {
    while (!s.done() && (isSpace(s.peek()) || s.joinedLine()))
      s.at += isSpace(s.peek()) ? 1 : s.joinedLine();
    return finish(Kind::Space);
  }
  if (c == '/' && s.peek(1) == '/') {
    s.at = std::min(text.find('\n', s.at), text.size());
    return finish(Kind::LineComment);
  }
  if (c == '/' && s.peek(1) == '*') {
    std::size_t end = text.find("*/", s.at + 2);
    bool closed = end != std::string_view::npos;
    s.at = closed ? end + 2 : text.size();
    return finish(Kind::BlockComment, closed);
  }
  if (isIdentifierStart(c)) {
    while (isIdentifierPart(s.peek()))
      ++s.at;
    if (s.peek() == '"' && s.isRawPrefix(text.substr(begin, s.at - begin)))
      return finish(Kind::String, s.rawString());
    return finish(Kind::Identifier);
  }
  if (isDigit(c) || (c == '.' && isDigit(s.peek(1)) && (begin == 0 || text[begin - 1] != '.'))) {
    s.number();
    return finish(Kind::Number);
  }
  if (c == '"')
    return finish(Kind::String, s.quoted('"'));
  if (c == '\'')
    return finish(Kind::Character, s.quoted('\''));
  ++s.at;
  return finish(Kind::Punctuation);
}

Lexeme scanPastBlanks(std::string_view text, std::uint32_t begin) {
  Lexeme next = scan(text, begin);
  while (next.isBlank())
    next = scan(text, next.end);
  return next;
}

bool startsLine(std::string_view text, std::uint32_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t'))
    --at;
  return at == 0 || text[at - 1] == '\n';
}

} // namespace pbc::syntax
