// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads a text line by line, and reports what it expected where something else stands.
//
//   Reader r(file, diagnostics);
//   while (r.nextLine()) if (r.accept("buffer")) name = r.word("the buffer's name");
//
//   mm.kernel:4:10: error: expected the buffer's name, found `[`
//
// Empty lines and comments, from `//` to the end of the line, are left out. Every failure throws Stop, after its message was
// reported: a file has one message.
#pragma once
#include "compiler/source/diagnostics.h"
#include <string>
#include <string_view>

namespace pbc::kernel::textual {

struct Stop {};

/// A text and its place.
struct Fragment {
  std::string text;
  source::Span span;
};

class Reader {
public:
  Reader(source::FileId file, source::Diagnostics &diagnostics);

  /// Goes to the beginning of the next line that says something; false at the end of the text.
  bool nextLine();
  /// The column of the first character, counted from 0; of the line that nextLine() would go to, -1 at the end.
  int indentation() const { return indentation_; }
  int nextIndentation();
  /// Whether the next line begins with this word.
  bool nextBeginsWith(std::string_view word);

  // Inside of a line. Spaces in front of what is read are left out.
  bool atEnd();
  bool startsWith(std::string_view);
  /// Goes over these characters, if they stand here. Words have to end, too.
  bool accept(std::string_view);
  void expect(std::string_view, const std::string &what);
  void expectEnd();
  /// A name: letters, digits, `_`, `$`, and characters of other alphabets; not empty.
  std::string word(const std::string &what);
  long integer(const std::string &what, long least = 0, long most = 1'000'000'000);
  /// Everything up to one of these characters outside of brackets, or up to the end of the line.
  Fragment raw(std::string_view stops, const std::string &what);
  /// From an opening bracket up to its end.
  Fragment bracketed(const std::string &what);
  /// A literal of C++: "1", "1.5e-3f", "0x1p3", "1L".
  std::string number();
  /// Whether a name and `[` stand here.
  bool startsWithElement();
  /// Whether a name and, after spaces, this text stand here.
  bool startsWithWordAnd(std::string_view);
  /// Everything up to this text, which is gone over; the characters in between are not empty.
  Fragment before(std::string_view text, const std::string &what);
  /// The rest of the line up to white space.
  std::string nonSpace(const std::string &what);
  /// The rest of the line, which is not empty, with the spaces inside of it.
  std::string toEnd(const std::string &what);

  source::Span here() const;
  source::Line lineOf(source::Span span) const { return diagnostics_.sources().lineOf(span); }
  source::Span since(std::uint32_t begin) const { return {file_, begin, position_}; }
  std::uint32_t position() { return skipSpaces(), position_; }
  std::string_view text() const { return text_; }
  std::string_view restOfLine() { return skipSpaces(), text_.substr(position_, end_ - position_); }

  [[noreturn]] void fail(source::Span, const std::string &message, const std::string &help = "") const;
  /// "expected WHAT, found `x`"
  [[noreturn]] void failExpected(const std::string &what);

private:
  void skipSpaces();
  /// Goes to a stop outside of brackets or, with `once`, behind the bracket here; returns where it began.
  std::uint32_t skipBrackets(std::string_view stops, bool once);
  void findLine(std::uint32_t from);

  source::FileId file_;
  source::Diagnostics &diagnostics_;
  std::string_view text_;
  std::uint32_t position_ = 0, end_ = 0;                          // of the current line, without a comment
  std::uint32_t nextBegin_ = 0, nextEnd_ = 0, nextLineAfter_ = 0; // of the line behind it
  int indentation_ = 0, nextIndentation_ = -1;
};

} // namespace pbc::kernel::textual
