// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/either.h"
#include "compiler/sema/body_rewriter.h"
#include <fmt/format.h>

namespace pbc::sema {

namespace {

using source::MappedText;
using syntax::Lexeme;

class EitherRewriter {
public:
  EitherRewriter(const MappedText &body, source::Diagnostics &d) : body_(body), d_(d) {}

  MappedText run() {
    rewrite(body_.size());
    return body_.finish();
  }
  std::vector<EitherRange> ranges() { return std::move(ranges_); }

private:
  /// Rewrites everything up to `end`, including nested blocks of `either`.
  void rewrite(std::uint32_t end) {
    for (Lexeme l = body_.next(body_.done()); l.kind != Lexeme::Kind::End && l.begin < end;
         l = body_.next(l.end)) {
      if (!body_.isWord(l, "either"))
        continue;
      if (const Lexeme open = body_.next(l.end); body_.is(open, '{'))
        l.end = choice(l, open);
    }
  }

  std::uint32_t choice(const Lexeme &either, Lexeme open) {
    const std::size_t k = ranges_.size();
    ranges_.push_back({{fmt::format("either_{}", k), body_.locate(either)}, 1});
    replace(either, fmt::format("if (either_{} == 0)", k));
    std::uint32_t end = body_.endOfBlock(open);
    for (;;) {
      rewrite(end);
      const Lexeme word = body_.next(end);
      if (!body_.isWord(word, "or"))
        break;
      open = body_.next(word.end);
      if (!body_.is(open, '{'))
        break;
      end = body_.endOfBlock(open);
      const bool isLast = !body_.isWord(body_.next(end), "or");
      replace(word, isLast ? "else" : fmt::format("else if (either_{} == {})", k, ranges_[k].branches));
      ++ranges_[k].branches;
    }
    if (ranges_[k].branches == 1)
      d_.error(ranges_[k].name.span, "`either` has no `or`").help("write either { ... } or { ... }");
    return end;
  }

  void replace(const Lexeme &word, const std::string &text) { body_.replace(word.begin, word.end, text); }

  BodyRewriter body_;
  source::Diagnostics &d_;
  std::vector<EitherRange> ranges_;
};

} // namespace

std::vector<EitherRange> plainEither(MappedText &body, source::Diagnostics &d) {
  if (body.text.find("either") == std::string::npos)
    return {};
  EitherRewriter rewriter(body, d);
  MappedText plain = rewriter.run();
  body = std::move(plain);
  return rewriter.ranges();
}

} // namespace pbc::sema
