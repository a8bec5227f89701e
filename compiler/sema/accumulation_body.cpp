// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/accumulation_body.h"
#include "compiler/sema/body_rewriter.h"
#include <fmt/format.h>

namespace pbc::sema {

namespace {

using source::MappedText;
using syntax::Accumulation;
using syntax::Lexeme;

class AccumulationWriter {
public:
  AccumulationWriter(MappedText body, const AccumulationBody &how)
      : text_(std::move(body)), body_(text_), how_(how) {}

  MappedText run() {
    const bool isProduct = how_.accumulation.kind == Accumulation::Kind::Multiply;
    neutral_ = isProduct ? "1" : "0";
    add(fmt::format("{} {} = {}; ", how_.element, how_.sum, neutral_));
    for (const auto &loop : how_.loops.loops)
      add(fmt::format("for (int {0} = {1}; {0} < {2}; ++{0}) ", loop.variable, loop.begin, loop.end));
    std::string condition;
    for (const auto &part : how_.loops.conditions)
      condition += (condition.empty() ? "" : " && ") + part;
    if (!writeValue(condition) && !writeStatements(condition))
      writeFunction(condition);
    add(fmt::format(" return {};", how_.sum));
    return std::move(out_);
  }

private:
  void add(const std::string &text) { out_.append(text, how_.accumulation.span, false); }
  void copy(std::uint32_t begin, std::uint32_t end) { out_.append(text_.slice(begin, end)); }

  std::string assignment() const {
    static const char *const operators[] = {"+=", "-=", "*="};
    return fmt::format("{} {} ", how_.sum, operators[static_cast<int>(how_.accumulation.kind)]);
  }

  /// The first of these characters from `at` on that stands in no brackets; the end if there is none.
  Lexeme findOutside(std::uint32_t at, char wanted) const {
    int depth = 0;
    Lexeme l = body_.next(at);
    for (; l.kind != Lexeme::Kind::End; l = body_.next(l.end)) {
      if (depth == 0 && body_.is(l, wanted))
        break;
      depth += body_.is(l, '(') || body_.is(l, '[') || body_.is(l, '{');
      depth -= body_.is(l, ')') || body_.is(l, ']') || body_.is(l, '}');
      if (depth < 0)
        return {};
    }
    return l;
  }

  struct Part {
    std::uint32_t begin, end;
  };
  /// `if (CONDITION) return VALUE;`, without a condition where there is none.
  struct Case {
    std::optional<Part> condition;
    Part value;
  };

  /// Reads `return VALUE;`, and gives the place behind it.
  std::optional<std::uint32_t> readReturn(const Lexeme &word, Part &value) const {
    if (!body_.isWord(word, "return"))
      return std::nullopt;
    const Lexeme first = body_.next(word.end), end = findOutside(word.end, ';');
    if (end.kind == Lexeme::Kind::End || first.begin == end.begin || body_.is(first, '{'))
      return std::nullopt;
    value = {first.begin, end.begin};
    return end.end;
  }

  /// Whether a variable is declared in it or something is assigned.
  bool isMoreThanValue(const Part &part) const {
    char before = 0;
    for (Lexeme l = body_.next(part.begin); l.begin < part.end && l.kind != Lexeme::Kind::End;
         l = body_.next(l.end)) {
      if (body_.is(l, ';'))
        return true;
      if (body_.is(l, '=') && std::string_view("=!<>").find(before) == std::string_view::npos &&
          !body_.is(body_.next(l.end), '='))
        return true;
      before = l.kind == Lexeme::Kind::Punctuation ? text_.text[l.begin] : ' ';
    }
    return false;
  }

  /// Reads one case at `l`; moves behind it.
  std::optional<Case> readCase(Lexeme &l) const {
    Case made{};
    if (body_.isWord(l, "if")) {
      const Lexeme open = body_.next(l.end);
      if (!body_.is(open, '('))
        return std::nullopt;
      const Lexeme close = findOutside(open.end, ')');
      made.condition = Part{open.end, close.begin};
      if (close.kind == Lexeme::Kind::End || isMoreThanValue(*made.condition))
        return std::nullopt;
      l = body_.next(close.end);
    }
    const bool isBlock = body_.is(l, '{');
    const auto end = readReturn(isBlock ? body_.next(l.end) : l, made.value);
    if (!end)
      return std::nullopt;
    l = body_.next(*end);
    if (isBlock && !body_.is(l, '}'))
      return std::nullopt;
    if (isBlock)
      l = body_.next(l.end);
    if (made.condition && body_.isWord(l, "else"))
      l = body_.next(l.end);
    return made;
  }

  /// A body of one value, or of one that conditions choose.
  bool writeValue(const std::string &condition) {
    std::vector<Case> cases;
    Lexeme l = body_.next(0);
    while (l.kind != Lexeme::Kind::End) {
      const auto read = readCase(l);
      if (!read || (!cases.empty() && !cases.back().condition))
        return false;
      cases.push_back(*read);
    }
    if (cases.empty())
      return false;
    add(assignment());
    if (!condition.empty())
      add(fmt::format("!({}) ? {} : ", condition, neutral_));
    for (const Case &c : cases) {
      if (c.condition)
        add("("), copy(c.condition->begin, c.condition->end), add(") ? ");
      add("("), copy(c.value.begin, c.value.end), add(")");
      if (c.condition)
        add(" : ");
    }
    add(cases.back().condition ? neutral_ + ";" : ";");
    return true;
  }

  /// A body of statements of which only the last one returns.
  bool writeStatements(const std::string &condition) {
    Lexeme before, l = body_.next(0);
    for (; l.kind != Lexeme::Kind::End && !body_.isWord(l, "return"); l = body_.next(l.end))
      before = l;
    Part value{};
    const auto end = readReturn(l, value);
    if (!end || body_.next(*end).kind != Lexeme::Kind::End ||
        !(body_.is(before, ';') || body_.is(before, '}')))
      return false;
    if (!condition.empty())
      add(fmt::format("if ({}) ", condition));
    add("{");
    copy(0, l.begin);
    add(assignment() + "("), copy(value.begin, value.end), add("); }");
    return true;
  }

  void writeFunction(const std::string &condition) {
    if (!condition.empty())
      add(fmt::format("if ({}) ", condition));
    const bool isFraction = how_.element == "double" || how_.element == "float";
    add(fmt::format("{}[&]() -> {} {{", assignment(), isFraction ? "double" : "long"));
    copy(0, body_.size());
    add(fmt::format(" return {}; }}();", neutral_));
  }

  const MappedText text_;
  BodyRewriter body_;
  const AccumulationBody &how_;
  MappedText out_;
  std::string neutral_;
};

} // namespace

source::MappedText accumulatingBody(const MappedText &text, const AccumulationBody &how) {
  BodyRewriter body(text);
  for (Lexeme l = body.nextName(0); l.kind != Lexeme::Kind::End; l = body.nextName(l.end))
    if (const auto region = how.regions.find(std::string(body.text(l))); region != how.regions.end())
      body.replace(l.begin, l.end, region->second);
  return AccumulationWriter(body.finish(), how).run();
}

} // namespace pbc::sema
