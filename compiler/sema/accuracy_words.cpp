#include "compiler/sema/accuracy_words.h"
#include "compiler/syntax/cxx_scan.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace pbc::sema {

namespace {

using source::MappedText;
using source::Span;
using syntax::Lexeme;

constexpr long kMostRounds = 1000; // of a `for_enough` without bounds

class Rewriter {
public:
  Rewriter(const MappedText &body, std::vector<syntax::Item> &items, source::Diagnostics &d)
      : in_(body), text_(body.text), items_(items), d_(d) {}

  MappedText run() {
    bool isMember = false;
    for (Lexeme l = next(0); l.kind != Lexeme::Kind::End; l = next(l.end)) {
      const bool wasMember = isMember;
      isMember = l.is(text_, '.') || (l.is(text_, '>') && l.begin > 0 && text_[l.begin - 1] == '-');
      if (wasMember || l.kind != Lexeme::Kind::Identifier || l.begin < done_)
        continue;
      if (l.text(text_) == "for_enough")
        forEnough(l);
      else if (l.text(text_) == "verify_accuracy")
        verify(l);
    }
    keep(static_cast<std::uint32_t>(text_.size()));
    return std::move(out_);
  }

private:
  Lexeme next(std::uint32_t at) const {
    Lexeme l = syntax::scan(text_, at);
    while (l.isBlank())
      l = syntax::scan(text_, l.end);
    return l;
  }

  void keep(std::uint32_t end) {
    out_.append(in_.slice(done_, end));
    done_ = end;
  }
  void replace(std::uint32_t begin, std::uint32_t end, const std::string &text) {
    keep(begin);
    out_.append(text, in_.locate(begin, end), false);
    done_ = end;
  }

  /// `( NUMBER ; NUMBER )`, from the opening parenthesis on.
  bool bounds(const Lexeme &open, syntax::Item &item, std::uint32_t &end) {
    std::optional<syntax::Literal> *const places[] = {&item.minimum, &item.maximum};
    Lexeme l = open;
    for (int k = 0; k < 2; ++k) {
      l = next(l.end);
      const std::string_view digits = l.text(text_);
      int value = 0;
      const auto [stop, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (l.kind != Lexeme::Kind::Number || wrong != std::errc() || stop != digits.data() + digits.size())
        return false;
      *places[k] = syntax::Literal{false, static_cast<double>(value), in_.locate(l.begin, l.end)};
      l = next(l.end);
      if (!l.is(text_, k ? ')' : ';'))
        return false;
    }
    item.initial = item.minimum;
    end = l.end;
    return true;
  }

  void forEnough(const Lexeme &word) {
    const Span at = in_.locate(word.begin, word.end);
    const auto count = std::count_if(items_.begin(), items_.end(), [](const syntax::Item &i) {
      return i.name.text.starts_with("for_enough_");
    });
    syntax::Item item{syntax::Item::Kind::AccuracyVariable, {fmt::format("for_enough_{}", count), at}};
    item.sizeSpecific = true;
    item.initial = item.minimum = syntax::Literal{false, 1, at};
    item.maximum = syntax::Literal{false, static_cast<double>(kMostRounds), at};
    item.span = at;
    std::uint32_t end = word.end;
    if (const Lexeme open = next(word.end); open.is(text_, '(')) {
      if (!bounds(open, item, end)) {
        d_.error(at, "`for_enough` takes two whole numbers")
            .help("write for_enough(LEAST; MOST) { ... }, or for_enough { ... }, which is (1; 1000)");
        return;
      }
      if (item.minimum->value > item.maximum->value) {
        d_.error(item.minimum->span, "the least number of rounds is greater than the most")
            .note(item.maximum->span, "the most")
            .help("write for_enough(LEAST; MOST)");
        return;
      }
    }
    items_.push_back(item);
    replace(word.begin, end,
            fmt::format("for (int pb_round_{0} = 0; pb_round_{0} < for_enough_{0}; ++pb_round_{0})", count));
  }

  /// `verify_accuracy` and `verify_accuracy()`.
  void verify(const Lexeme &word) {
    std::uint32_t end = word.end;
    if (const Lexeme open = next(word.end); open.is(text_, '('))
      if (const Lexeme close = next(open.end); close.is(text_, ')'))
        end = close.end;
    replace(word.begin, end, "pb_verify_()");
  }

  const MappedText &in_;
  const std::string &text_;
  std::vector<syntax::Item> &items_;
  source::Diagnostics &d_;
  MappedText out_;
  std::uint32_t done_ = 0;
};

} // namespace

void plainAccuracyWords(MappedText &body, std::vector<syntax::Item> &items, source::Diagnostics &d) {
  // Most bodies have none: they stay as they are.
  if (body.text.find("for_enough") == std::string::npos &&
      body.text.find("verify_accuracy") == std::string::npos)
    return;
  body = Rewriter(body, items, d).run();
}

} // namespace pbc::sema
