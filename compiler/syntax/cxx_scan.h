// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans one lexeme of C++-like text at a time: just enough to know what is inside a string, a character or a
// comment.
//
//   if (c == '{') s = R"x(})x"; // }    =>  the braces in the character, the raw string and the comment
//                                           are not braces of the text
//   1'000                               =>  a number, not the start of a character
//
// The preprocessor and the reader that finds where a rule body ends share it. It accepts any bytes.
#pragma once
#include <cstdint>
#include <string_view>

namespace pbc::syntax {

struct Lexeme {
  enum class Kind {
    End,
    Space,
    Newline,
    LineComment,
    BlockComment,
    String,
    Character,
    Number,
    Identifier,
    Punctuation
  };
  Kind kind = Kind::End;
  std::uint32_t begin = 0, end = 0;
  bool closed = true; // false: a comment or literal without an end; literals then stop at the end of the line

  std::string_view text(std::string_view all) const { return all.substr(begin, end - begin); }
  bool is(std::string_view all, char c) const { return kind == Kind::Punctuation && all[begin] == c; }
  bool isBlank() const {
    return kind == Kind::Space || kind == Kind::Newline || kind == Kind::LineComment ||
           kind == Kind::BlockComment;
  }
};

/// The lexeme that begins at `begin`. Punctuation is one byte; a backslash at the end of a line counts as
/// space.
Lexeme scan(std::string_view text, std::uint32_t begin);

/// The first lexeme from `begin` on that is neither a space nor a comment.
Lexeme scanPastBlanks(std::string_view text, std::uint32_t begin);
/// Whether there are only spaces between the beginning of a line and `at`.
bool startsLine(std::string_view text, std::uint32_t at);

/// Includes `$` and the bytes of letters of other alphabets, as Clang does.
inline bool isIdentifierStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
inline bool isDigit(char c) { return c >= '0' && c <= '9'; }
inline bool isIdentifierPart(char c) { return isIdentifierStart(c) || isDigit(c); }

} // namespace pbc::syntax
