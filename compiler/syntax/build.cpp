// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds headers: units, clauses, declarations, tunables. Rules and expressions are in build_rule.cpp.
#include "compiler/syntax/build.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace pbc::syntax {

namespace {

bool isWholeWithoutPoint(const Literal &l) {
  return l.written.find_first_of(".fF") == std::string::npos && l.value == std::floor(l.value);
}

} // namespace

Span Builder::spanOf(const antlr4::Token &token) const {
  return text_.locate(static_cast<std::uint32_t>(token.getStartIndex()),
                      static_cast<std::uint32_t>(token.getStopIndex() + 1));
}

Span Builder::spanOf(const antlr4::ParserRuleContext &context) const {
  const antlr4::Token *first = context.start, *last = context.stop;
  if (last == nullptr || last->getStopIndex() + 1 < first->getStartIndex())
    last = first; // an empty rule
  return text_.locate(static_cast<std::uint32_t>(first->getStartIndex()),
                      static_cast<std::uint32_t>(last->getStopIndex() + 1));
}

std::string Builder::textOf(const antlr4::Token &token) const {
  return text_.text.substr(token.getStartIndex(), token.getStopIndex() + 1 - token.getStartIndex());
}

Identifier Builder::identifier(antlr4::ParserRuleContext &context) const {
  return {textOf(*context.start), spanOf(*context.start)};
}

Transform Builder::unit(P::UnitContext &context) {
  Transform made;
  auto *keyword = context.TRANSFORM() ? context.TRANSFORM() : context.FUNCTION();
  head(made, *keyword->getSymbol(), *context.name());
  for (auto *c : context.clause())
    clause(made, *c);
  for (auto *r : context.ruleDecl())
    made.rules.push_back(rule(*r));
  for (auto *s : context.scheduleDecl())
    made.schedules.push_back(schedule(*s));
  for (auto *s : context.structureDecl())
    made.structures.push_back(structure(*s));
  for (auto *l : context.letDecl())
    made.lets.push_back(let(*l));
  for (auto *b : context.BODY())
    made.rules.push_back(functionRule(made, *b->getSymbol()));
  made.isForward = context.TRANSFORM() && !context.LBRACE();
  made.span = spanOf(context);
  return made;
}

void Builder::head(Transform &made, const antlr4::Token &keyword, P::NameContext &name) {
  made.isFunction = keyword.getType() == P::FUNCTION;
  fractionalParams_ = 0;
  made.name = identifier(name);
}

RawBlock Builder::raw(const antlr4::Token &token) {
  auto begin = static_cast<std::uint32_t>(token.getStartIndex());
  auto end = static_cast<std::uint32_t>(token.getStopIndex() + 1);
  bool closed = end >= begin + 4 && text_.text.compare(end - 2, 2, "%}") == 0;
  return {text_.slice(begin + 2, closed ? end - 2 : end), text_.locate(begin, end)};
}

void Builder::once(bool already, const antlr4::ParserRuleContext &context, const char *word) {
  if (already)
    diagnostics_.error(spanOf(context), std::string("`") + word + "` stands twice in this header");
}

void Builder::clause(Transform &made, P::ClauseContext &context) {
  auto matrices = [&](std::vector<MatrixDecl> &list, const std::vector<P::MatrixContext *> &found) {
    for (auto *m : found)
      list.push_back(matrix(*m));
  };
  auto named = [&](NameClause::Kind kind, P::NameContext *name) {
    made.names.push_back({kind, identifier(*name), spanOf(context)});
  };
  if (dynamic_cast<P::MainClauseContext *>(&context)) {
    once(made.isMain, context, "main");
    made.isMain = true;
    made.mainSpan = spanOf(context);
  } else if (dynamic_cast<P::MemoizedClauseContext *>(&context)) {
    once(made.isMemoized, context, "memoized");
    made.isMemoized = true;
    made.memoizedSpan = spanOf(context);
  } else if (auto *from = dynamic_cast<P::FromClauseContext *>(&context)) {
    matrices(made.from, from->matrix());
  } else if (auto *to = dynamic_cast<P::ToClauseContext *>(&context)) {
    matrices(made.to, to->matrix());
  } else if (auto *through = dynamic_cast<P::ThroughClauseContext *>(&context)) {
    matrices(made.through, through->matrix());
  } else if (auto *copies = dynamic_cast<P::TemplateClauseContext *>(&context)) {
    made.templateSpan = spanOf(context);
    for (auto *argument : copies->templateArgument())
      made.templateArguments.push_back(
          {identifier(*argument->name()), integer(*argument->integer(0)), integer(*argument->integer(1))});
  } else if (auto *param = dynamic_cast<P::ParamClauseContext *>(&context)) {
    params(made, *param);
  } else if (auto *metric = dynamic_cast<P::MetricClauseContext *>(&context)) {
    named(NameClause::Kind::AccuracyMetric, metric->name());
  } else if (auto *generator = dynamic_cast<P::GeneratorClauseContext *>(&context)) {
    named(NameClause::Kind::Generator, generator->name());
  } else if (auto *feature = dynamic_cast<P::FeatureClauseContext *>(&context)) {
    named(NameClause::Kind::InputFeature, feature->name());
  } else if (auto *scaled = dynamic_cast<P::ScaledByClauseContext *>(&context)) {
    named(NameClause::Kind::ScaledBy, scaled->name());
  } else if (auto *bins = dynamic_cast<P::BinsClauseContext *>(&context)) {
    made.binsSpan = spanOf(context);
    for (auto *bin : bins->number())
      made.accuracyBins.push_back(literal(*bin).value);
  } else if (auto *declared = dynamic_cast<P::ItemClauseContext *>(&context)) {
    made.items.push_back(item(*declared));
  }
}

/// Fractions are inputs without dimensions, in front of all others.
void Builder::params(Transform &made, P::ParamClauseContext &context) {
  auto *type = context.DOUBLE() ? context.DOUBLE() : context.FLOATING();
  for (auto *param : context.paramName()) {
    const Identifier name = identifier(*param->name());
    if (param->number())
      diagnostics_
          .error(spanOf(*param->number()),
                 "the param `" + name.text + "` cannot have a value here: who runs the program gives it")
          .help("a number with a value that a configuration may change is `config double " + name.text + "(" +
                literal(*param->number()).written + ")`");
    if (!type) {
      made.names.push_back({NameClause::Kind::Param, name, name.span});
      continue;
    }
    MatrixDecl number;
    number.name = name;
    number.element = Identifier{textOf(*type->getSymbol()), spanOf(*type->getSymbol())};
    number.span = name.span;
    const std::size_t at = std::min(fractionalParams_++, made.from.size());
    made.from.insert(made.from.begin() + static_cast<std::ptrdiff_t>(at), std::move(number));
  }
}

MatrixDecl Builder::matrix(P::MatrixContext &context) {
  MatrixDecl made;
  made.name = identifier(*context.name());
  if (context.version())
    made.version = version(*context.version());
  for (auto *extent : context.expr())
    made.extents.push_back(expr(*extent));
  if (context.element())
    made.element = identifier(*context.element());
  made.span = spanOf(context);
  return made;
}

Version Builder::version(P::VersionContext &context) {
  return {expr(*context.expr(0)), context.expr().size() > 1 ? expr(*context.expr(1)) : nullptr,
          spanOf(context)};
}

Item Builder::item(P::ItemClauseContext &context) {
  Item made;
  made.kind = context.TUNABLE()  ? Item::Kind::Tunable
              : context.CONFIG() ? Item::Kind::Config
                                 : Item::Kind::AccuracyVariable;
  P::ItemContext &written = *context.item();
  made.name = identifier(*written.itemName());
  made.span = spanOf(context);
  for (auto *m : written.modifier())
    modifier(made, *m);
  std::optional<Literal> *places[] = {&made.initial, &made.minimum, &made.maximum};
  auto values = written.number();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i >= 3) {
      diagnostics_.error(spanOf(*values[i]), "`" + made.name.text + "` has more than three values")
          .help("the values are: initial, minimum, maximum");
      break;
    }
    *places[i] = literal(*values[i]);
  }
  if (made.isFloat) // `tunable double w(1, 0, 2)` means 1.0, 0.0, 2.0
    return made;
  decideType(made, {&made.initial, &made.minimum, &made.maximum});
  return made;
}

/// Integers, or fractions: a number with an exponent but no point, as 1e2, goes with either.
void Builder::decideType(Item &made, std::initializer_list<std::optional<Literal> *> values) {
  const Literal *whole = nullptr, *fraction = nullptr;
  bool hasExponents = false;
  for (auto *value : values)
    if (*value && !(*value)->isFloat)
      whole = &**value;
    else if (*value && isWholeWithoutPoint(**value))
      hasExponents = true;
    else if (*value)
      fraction = &**value;
  made.isFloat = fraction || (hasExponents && !whole);
  if (!made.isFloat)
    for (auto *value : values)
      if (*value)
        (*value)->isFloat = false;
  if (fraction && whole)
    diagnostics_
        .error(fraction->span, "the values of `" + made.name.text + "` mix integers and fractions: `" +
                                   fraction->written + "` is written as a fraction")
        .note(whole->span, "this one is an integer")
        .help("write all of them with a point, or say `tunable double " + made.name.text + "(...)`");
}

void Builder::modifier(Item &made, P::ModifierContext &context) {
  if (context.DOUBLE() || context.FLOATING())
    made.isFloat = true;
  else if (context.SIZESPECIFIC())
    made.sizeSpecific = true;
  else if (context.ACCURACYHINT())
    made.accuracyHint = true;
  else if (context.INITIAL())
    made.initial = literal(*context.number());
  else if (context.MIN())
    made.minimum = literal(*context.number());
  else if (context.MAX())
    made.maximum = literal(*context.number());
  else if (context.ARRAY()) {
    const antlr4::Token &length = *context.INT()->getSymbol();
    std::string digits = textOf(length);
    long value = 0;
    auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (wrong != std::errc() || value < 1 || value > 100000)
      diagnostics_.error(spanOf(length), "an array of tunables has from 1 to 100000 elements, not " + digits);
    else
      made.arrayLength = value;
  }
}

Literal Builder::literal(P::NumberContext &context) {
  Literal made;
  made.span = spanOf(context);
  std::string digits = textOf(*context.stop);
  made.written = (context.MINUS() ? "-" : "") + digits;
  std::erase(digits, '\'');
  const bool isBased = digits.size() > 2 && digits[0] == '0' && std::strchr("xXbB", digits[1]);
  made.isFloat = !isBased && digits.find_first_of(".eEfF") != std::string::npos;
  made.value = isBased && std::strchr("bB", digits[1])
                   ? static_cast<double>(std::strtoull(digits.c_str() + 2, nullptr, 2))
                   : std::strtod(digits.c_str(), nullptr); // stops at a suffix
  if (made.value > 1.7e308)
    diagnostics_.error(made.span, "this number is too large for a double");
  if (context.MINUS())
    made.value = -made.value;
  return made;
}

long Builder::integer(const antlr4::ParserRuleContext &context) {
  std::string digits = textOf(*context.stop);
  if (context.start->getType() == P::MINUS)
    digits.insert(0, "-");
  int value = 0;
  auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (wrong != std::errc())
    diagnostics_.error(spanOf(context), "this integer is too large")
        .help("whole numbers go from -2147483648 to 2147483647");
  return value;
}

} // namespace pbc::syntax
