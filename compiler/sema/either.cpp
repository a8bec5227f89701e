#include "compiler/sema/either.h"
#include "compiler/syntax/cxx_scan.h"
#include <fmt/format.h>

namespace pbc::sema {

namespace {

using source::MappedText;
using syntax::Lexeme;

class EitherRewriter {
public:
  EitherRewriter(const MappedText &body, source::Diagnostics &d) : in_(body), text_(body.text), d_(d) {}

  MappedText run() {
    rewrite(static_cast<std::uint32_t>(text_.size()));
    keep(static_cast<std::uint32_t>(text_.size()));
    return std::move(out_);
  }
  std::vector<EitherRange> ranges() { return std::move(ranges_); }

private:
  Lexeme next(std::uint32_t at) const {
    Lexeme l = syntax::scan(text_, at);
    while (l.isBlank())
      l = syntax::scan(text_, l.end);
    return l;
  }

  bool isWord(const Lexeme &l, std::string_view word) const {
    return l.kind == Lexeme::Kind::Identifier && l.text(text_) == word;
  }

  /// Where the block that begins with `open` ends, behind its brace.
  std::uint32_t endOfBlock(const Lexeme &open) const {
    int depth = 0;
    for (Lexeme l = open; l.kind != Lexeme::Kind::End; l = next(l.end)) {
      depth += l.is(text_, '{') ? 1 : l.is(text_, '}') ? -1 : 0;
      if (depth == 0)
        return l.end;
    }
    return static_cast<std::uint32_t>(text_.size());
  }

  void keep(std::uint32_t end) {
    out_.append(in_.slice(done_, end));
    done_ = end;
  }

  void replace(const Lexeme &word, const std::string &text) {
    keep(word.begin);
    out_.append(text, in_.locate(word.begin, word.end), false);
    done_ = word.end;
  }

  /// Everything up to `end`, blocks of `either` with what is inside them.
  void rewrite(std::uint32_t end) {
    for (Lexeme l = next(done_); l.kind != Lexeme::Kind::End && l.begin < end; l = next(l.end)) {
      if (!isWord(l, "either"))
        continue;
      if (const Lexeme open = next(l.end); open.is(text_, '{'))
        l.end = choice(l, open);
    }
  }

  std::uint32_t choice(const Lexeme &either, Lexeme open) {
    const std::size_t k = ranges_.size();
    ranges_.push_back({{fmt::format("either_{}", k), in_.locate(either.begin, either.end)}, 1});
    replace(either, fmt::format("if (either_{} == 0)", k));
    std::uint32_t end = endOfBlock(open);
    for (;;) {
      rewrite(end);
      const Lexeme word = next(end);
      if (!isWord(word, "or"))
        break;
      open = next(word.end);
      if (!open.is(text_, '{'))
        break;
      end = endOfBlock(open);
      const bool isLast = !isWord(next(end), "or");
      replace(word, isLast ? "else" : fmt::format("else if (either_{} == {})", k, ranges_[k].branches));
      ++ranges_[k].branches;
    }
    if (ranges_[k].branches == 1)
      d_.error(ranges_[k].name.span, "`either` has no `or`").help("write either { ... } or { ... }");
    return end;
  }

  const MappedText &in_;
  const std::string &text_;
  source::Diagnostics &d_;
  std::vector<EitherRange> ranges_;
  MappedText out_;
  std::uint32_t done_ = 0;
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
