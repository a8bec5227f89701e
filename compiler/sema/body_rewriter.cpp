// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/body_rewriter.h"
#include "compiler/syntax/body_end.h"

namespace pbc::sema {

using syntax::Lexeme;

Lexeme BodyRewriter::next(std::uint32_t at) const {
  Lexeme l = syntax::scan(in_.text, at);
  while (l.isBlank())
    l = syntax::scan(in_.text, l.end);
  return l;
}

bool BodyRewriter::isWord(const Lexeme &l, std::string_view word) const {
  return l.kind == Lexeme::Kind::Identifier && text(l) == word;
}

std::uint32_t BodyRewriter::endOfBlock(const Lexeme &open) const {
  return syntax::findBodyEnd(in_.text, open.begin).end;
}

Lexeme BodyRewriter::nextName(std::uint32_t at) const {
  bool isMember = false;
  const auto follows = [&](const Lexeme &l, char before) {
    return l.begin > 0 && in_.text[l.begin - 1] == before;
  };
  Lexeme l = next(at);
  for (; l.kind != Lexeme::Kind::End; l = next(l.end)) {
    if (!isMember && l.kind == Lexeme::Kind::Identifier)
      return l;
    isMember = is(l, '.') || (is(l, '>') && follows(l, '-')) || (is(l, ':') && follows(l, ':'));
  }
  return l;
}

void BodyRewriter::keep(std::uint32_t end) {
  out_.append(in_.slice(done_, end));
  done_ = end;
}

void BodyRewriter::replace(std::uint32_t begin, std::uint32_t end, const std::string &text) {
  keep(begin);
  out_.append(text, in_.locate(begin, end), false);
  done_ = end;
}

source::MappedText BodyRewriter::finish() {
  keep(size());
  return std::move(out_);
}

bool mentions(const source::MappedText &text, const std::string &name) {
  const BodyRewriter body(text);
  for (Lexeme l = body.nextName(0); l.kind != Lexeme::Kind::End; l = body.nextName(l.end))
    if (body.text(l) == name)
      return true;
  return false;
}

} // namespace pbc::sema
