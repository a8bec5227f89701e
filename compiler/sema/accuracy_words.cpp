// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/accuracy_words.h"
#include "compiler/sema/body_rewriter.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace pbc::sema {

namespace {

using source::MappedText;
using source::Span;
using syntax::Lexeme;

constexpr long kMostRounds = 1000; // of a `for_enough` without bounds

class AccuracyRewriter {
public:
  AccuracyRewriter(const MappedText &body, std::vector<syntax::Item> &items, source::Diagnostics &d)
      : body_(body), items_(items), d_(d) {}

  MappedText run() {
    bool isMember = false;
    char before = ' ';
    for (Lexeme l = body_.next(0); l.kind != Lexeme::Kind::End; l = body_.next(l.end)) {
      const bool wasMember = isMember;
      isMember = body_.is(l, '.') || (body_.is(l, '>') && before == '-');
      before = body_.text(l).back();
      if (wasMember || l.begin < body_.done())
        continue;
      if (body_.isWord(l, "for_enough"))
        forEnough(l);
      else if (body_.isWord(l, "verify_accuracy"))
        verify(l);
    }
    return body_.finish();
  }

private:
  enum class Bounds { Read, Wrong, OutOfRange };

  /// Reads `( NUMBER ; NUMBER )`, from the opening parenthesis on.
  Bounds bounds(const Lexeme &open, syntax::Item &item, std::uint32_t &end) {
    std::optional<syntax::Literal> *const places[] = {&item.minimum, &item.maximum};
    std::optional<Span> outOfRange;
    bool isNegative = false;
    Lexeme l = open;
    for (int k = 0; k < 2; ++k) {
      l = body_.next(l.end);
      const bool hasMinus = body_.is(l, '-');
      if (hasMinus || body_.is(l, '+'))
        l = body_.next(l.end);
      const std::string_view digits = body_.text(l);
      int value = 0;
      const auto [stop, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (l.kind != Lexeme::Kind::Number || wrong == std::errc::invalid_argument ||
          stop != digits.data() + digits.size())
        return Bounds::Wrong;
      if (!outOfRange && (wrong != std::errc() || (hasMinus && value != 0)))
        outOfRange = body_.locate(l), isNegative = hasMinus;
      *places[k] = syntax::Literal{false, static_cast<double>(value), body_.locate(l)};
      l = body_.next(l.end);
      if (!body_.is(l, k ? ')' : ';'))
        return Bounds::Wrong;
    }
    if (outOfRange) {
      d_.error(*outOfRange,
               fmt::format("this number of rounds is {}: `for_enough` takes numbers from 0 to 2147483647",
                           isNegative ? "negative" : "too large"))
          .help("write for_enough(LEAST; MOST) { ... }, or for_enough { ... }, which is (1; 1000)");
      return Bounds::OutOfRange;
    }
    item.initial = item.minimum;
    end = l.end;
    return Bounds::Read;
  }

  void forEnough(const Lexeme &word) {
    const Span at = body_.locate(word);
    const auto count = std::count_if(items_.begin(), items_.end(), [](const syntax::Item &i) {
      return i.name.text.starts_with("for_enough_");
    });
    syntax::Item item{syntax::Item::Kind::AccuracyVariable, {fmt::format("for_enough_{}", count), at}};
    item.sizeSpecific = true;
    item.initial = item.minimum = syntax::Literal{false, 1, at};
    item.maximum = syntax::Literal{false, static_cast<double>(kMostRounds), at};
    item.span = at;
    std::uint32_t end = word.end;
    if (const Lexeme open = body_.next(word.end); body_.is(open, '(')) {
      const Bounds read = bounds(open, item, end);
      if (read == Bounds::Wrong)
        d_.error(at, "`for_enough` takes two whole numbers")
            .help("write for_enough(LEAST; MOST) { ... }, or for_enough { ... }, which is (1; 1000)");
      if (read != Bounds::Read)
        return;
      if (item.minimum->value > item.maximum->value) {
        d_.error(item.minimum->span, "the least number of rounds is greater than the most")
            .note(item.maximum->span, "the most")
            .help("write for_enough(LEAST; MOST)");
        return;
      }
    }
    items_.push_back(item);
    body_.replace(
        word.begin, end,
        fmt::format("for (int pb_round_{0} = 0; pb_round_{0} < for_enough_{0}; ++pb_round_{0})", count));
  }

  /// `verify_accuracy` and `verify_accuracy()`.
  void verify(const Lexeme &word) {
    std::uint32_t end = word.end;
    if (const Lexeme open = body_.next(word.end); body_.is(open, '('))
      if (const Lexeme close = body_.next(open.end); body_.is(close, ')'))
        end = close.end;
    body_.replace(word.begin, end, "pb_verify_()");
  }

  BodyRewriter body_;
  std::vector<syntax::Item> &items_;
  source::Diagnostics &d_;
};

} // namespace

void plainAccuracyWords(MappedText &body, std::vector<syntax::Item> &items, source::Diagnostics &d) {
  // Most bodies have none and stay unchanged.
  if (body.text.find("for_enough") == std::string::npos &&
      body.text.find("verify_accuracy") == std::string::npos)
    return;
  body = AccuracyRewriter(body, items, d).run();
}

} // namespace pbc::sema
