// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rewrites a rule's body from its beginning to its end: keywords are replaced, everything else keeps its
// position.
//
//   BodyRewriter body(text);
//   const Lexeme word = body.next(0);                 // comments and spaces are skipped
//   body.replace(word.begin, word.end, "if (x)");     // has the position of the word that it replaces
//   MappedText rewritten = body.finish();
//
// Invariant: replacements are made from left to right; done() is the end of the last one.
#pragma once
#include "compiler/source/source.h"
#include "compiler/syntax/cxx_scan.h"

namespace pbc::sema {

class BodyRewriter {
public:
  /// `body` must outlive this object.
  explicit BodyRewriter(const source::MappedText &body) : in_(body) {}

  /// The next lexeme that is not a space or comment.
  syntax::Lexeme next(std::uint32_t at) const;
  std::string_view text(const syntax::Lexeme &l) const { return l.text(in_.text); }
  bool is(const syntax::Lexeme &l, char c) const { return l.is(in_.text, c); }
  bool isWord(const syntax::Lexeme &, std::string_view word) const;
  /// The end of the block that begins with the brace `open`, after its closing brace.
  std::uint32_t endOfBlock(const syntax::Lexeme &open) const;
  /// The next identifier that is the name of something in this body: not `a` of `x.a`, `p->a` or `std::a`. The end if there is none.
  syntax::Lexeme nextName(std::uint32_t at) const;
  source::Span locate(const syntax::Lexeme &l) const { return in_.locate(l.begin, l.end); }

  void replace(std::uint32_t begin, std::uint32_t end, const std::string &text);
  std::uint32_t done() const { return done_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(in_.text.size()); }
  source::MappedText finish();

private:
  void keep(std::uint32_t end);
  const source::MappedText &in_;
  source::MappedText out_;
  std::uint32_t done_ = 0;
};

/// Whether C++ names it; a member of that name, `a.c`, is something else.
bool mentions(const source::MappedText &, const std::string &name);

} // namespace pbc::sema
