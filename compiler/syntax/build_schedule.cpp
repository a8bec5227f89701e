// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds schedules and their steps. Headers of transforms are in build.cpp.
#include "compiler/syntax/build.h"
#include "compiler/syntax/cxx_scan.h"
#include <algorithm>
#include <charconv>

namespace pbc::syntax {

namespace {

using P = pbc_grammar::PbccParser;
script::Comparison::Relation relationOf(P::ValueContext &context) {
  using Relation = script::Comparison::Relation;
  return context.LESS()            ? Relation::Less
         : context.LESS_EQUAL()    ? Relation::LessEqual
         : context.GREATER()       ? Relation::Greater
         : context.GREATER_EQUAL() ? Relation::GreaterEqual
         : context.EQUAL()         ? Relation::Equal
                                   : Relation::NotEqual;
}

/// Adds factor * name, or a constant if `name` is empty. Returns false if a number is too large.
bool add(script::Sum &sum, const std::string &name, long factor) {
  if (name.empty())
    return !__builtin_add_overflow(sum.constant, factor, &sum.constant);
  const auto at =
      std::find_if(sum.terms.begin(), sum.terms.end(), [&](const auto &t) { return t.first == name; });
  if (at == sum.terms.end()) {
    sum.terms.emplace_back(name, factor);
    return true;
  }
  return !__builtin_add_overflow(at->second, factor, &at->second);
}

} // namespace

Schedule Builder::schedule(P::ScheduleDeclContext &context) {
  Schedule made;
  const auto words = context.word();
  made.name = identifier(*words[0]);
  std::size_t at = 1;
  if (context.STAR())
    made.everyTransform = spanOf(*context.STAR()->getSymbol());
  else if (context.DOT())
    made.transform = identifier(*words[at++]);
  for (const std::size_t end = words.size() - (context.ON() ? 1 : 0); at < end; ++at)
    made.rules.push_back(identifier(*words[at]));
  if (context.ON())
    made.device = identifier(*words.back());
  made.steps = steps(*context.steps());
  made.span = text_.locate(static_cast<std::uint32_t>(context.start->getStartIndex()),
                           static_cast<std::uint32_t>(context.END_STEPS()->getSymbol()->getStopIndex() + 1));
  return made;
}

Structure Builder::structure(P::StructureDeclContext &context) {
  Structure made{identifier(*context.name(0)), {}, spanOf(context)};
  for (auto *kind : context.structureKind()) {
    Structure::Kind &one = made.kinds.emplace_back();
    for (auto *word : kind->name())
      one.words.push_back(identifier(*word));
    for (auto *argument : kind->expr())
      one.arguments.push_back(expr(*argument));
    one.span = spanOf(*kind);
  }
  return made;
}

Let Builder::let(P::LetDeclContext &context) {
  const antlr4::Token &value = *context.LET_VALUE()->getSymbol();
  Let made{identifier(*context.name()), {}, {}, {}, spanOf(value), spanOf(context)};
  if (context.element())
    made.element = identifier(*context.element());
  made.value = text_.slice(static_cast<std::uint32_t>(value.getStartIndex()),
                           static_cast<std::uint32_t>(value.getStopIndex() + 1));
  return made;
}

script::Adaptor Builder::adaptor(P::AdaptorDeclContext &context) {
  script::Adaptor made;
  const auto words = context.ID();
  made.name = textOf(*words.front()->getSymbol());
  made.nameSpan = spanOf(*words.front()->getSymbol());
  made.span = spanOf(context);
  for (std::size_t k = 1; k < words.size(); ++k)
    made.parameters.push_back(textOf(*words[k]->getSymbol()));
  for (auto *rule : context.adaptorRule()) {
    script::AdaptorRule &one = made.rules.emplace_back();
    for (auto *s : rule->step())
      one.steps.push_back(step(*s));
    for (auto *token : rule->CONDITION())
      one.conditions.push_back(condition(*token->getSymbol(), made));
  }
  return made;
}

script::Condition Builder::condition(const antlr4::Token &token, const script::Adaptor &adaptor) {
  const std::string text = textOf(token); // cond(EXPRESSION)
  const std::size_t open = text.find('(') + 1;
  std::size_t begin = text.find_first_not_of(" \t\n", open);
  std::size_t end = text.find_last_not_of(" \t\n", text.size() - 2) + 1;
  const std::string &matrix = adaptor.parameters.front();
  script::Condition made;
  made.span = spanOf(token);
  std::string words;
  bool isAboutMatrix = false;
  for (Lexeme next = scan(text, static_cast<std::uint32_t>(open)); next.begin < end;
       next = scan(text, next.end)) {
    isAboutMatrix |= next.kind == Lexeme::Kind::Identifier && next.text(text) == matrix;
    if (!next.isBlank())
      words += next.text(text);
  }
  if (begin >= end)
    begin = end = open;
  const auto first = static_cast<std::uint32_t>(token.getStartIndex() + begin);
  made.predicateSpan = text_.locate(first, first + static_cast<std::uint32_t>(end - begin));
  made.matrix = matrix;
  if (words != "blank(" + matrix + ").zero=true") {
    made.kind = script::Condition::Kind::Predicate;
    made.predicate = text.substr(begin, end - begin);
  }
  if (made.kind == script::Condition::Kind::Predicate && words.starts_with("blank("))
    diagnostics_.error(made.span, "this is no condition of an adaptor")
        .help("what a structure leaves out is asked by `cond(blank(" + matrix + ").zero = true)`");
  if (!isAboutMatrix)
    diagnostics_.error(made.span, "a condition is about the matrix of its adaptor, `" + matrix + "`");
  return made;
}

script::Adaptation Builder::adaptation(P::AdaptationContext &context) {
  script::Adaptation made{textOf(*context.ID()->getSymbol()), {}, spanOf(context)};
  for (auto *v : context.value())
    made.arguments.push_back(value(*v));
  return made;
}

script::Script Builder::steps(P::StepsContext &context) {
  script::Script made;
  for (auto *s : context.step())
    made.push_back(step(*s));
  return made;
}

script::Step Builder::step(P::StepContext &context) {
  script::Step made;
  P::CallContext &call = *context.call();
  made.transformation = textOf(*call.start);
  made.nameSpan = spanOf(*call.start);
  made.span = spanOf(context);
  if (context.results())
    for (auto *label : context.results()->ID())
      made.results.push_back(textOf(*label->getSymbol()));
  bool isBehind = false; // behind the first semicolon
  for (auto *child : call.children) {
    auto *leaf = dynamic_cast<antlr4::tree::TerminalNode *>(child);
    isBehind |= leaf && leaf->getSymbol()->getType() == P::SEMI;
    auto *argument = dynamic_cast<P::ArgumentContext *>(child);
    if (!argument)
      continue;
    script::Value found = value(*argument->value(0));
    if (!argument->ASSIGN()) {
      (isBehind ? made.values : made.operands).push_back(std::move(found));
      continue;
    }
    const auto *name = std::get_if<script::Name>(&found.what);
    if (!name)
      diagnostics_.error(found.span, "before `=` stands the name of an argument")
          .help("a comparison for equality is written `==`");
    script::NamedValue named{name ? name->text : "", value(*argument->value(1)), found.span};
    const auto same = std::find_if(made.named.begin(), made.named.end(),
                                   [&](const script::NamedValue &other) { return other.name == named.name; });
    if (same != made.named.end())
      diagnostics_
          .error(named.span,
                 "`" + named.name + "` has two values in this call of `" + made.transformation + "`")
          .note(same->span, "the first one is here");
    made.named.push_back(std::move(named));
  }
  for (auto *p : context.stepParameter()) {
    script::StepParameter one = stepParameter(*p);
    const auto same =
        std::find_if(made.parameters.begin(), made.parameters.end(),
                     [&](const script::StepParameter &other) { return other.name == one.name; });
    if (same != made.parameters.end())
      diagnostics_.error(one.span, "`" + one.name + "` has two values behind this `with`")
          .note(same->span, "the first one is here");
    made.parameters.push_back(std::move(one));
  }
  return made;
}

script::StepParameter Builder::stepParameter(P::StepParameterContext &context) {
  script::StepParameter made{
      textOf(*context.ID(0)->getSymbol()), {}, context.ID().size() > 1, spanOf(context)};
  if (made.isTuned && textOf(*context.ID(1)->getSymbol()) != "tune")
    diagnostics_
        .error(spanOf(*context.ID(1)->getSymbol()), "behind `with`, a parameter is a number or `tune(...)`")
        .help("`by = tune(32, 64)` is 32, and a search may make it 64");
  for (auto *number : context.INT()) {
    const std::string text = textOf(*number->getSymbol());
    long value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
      diagnostics_.error(spanOf(*number->getSymbol()), "this integer is too large")
          .help("whole numbers go from -9223372036854775807 to 9223372036854775807");
    if (std::find(made.numbers.begin(), made.numbers.end(), value) != made.numbers.end())
      diagnostics_.error(spanOf(*number->getSymbol()), "`tune` has this number twice");
    made.numbers.push_back(value);
  }
  return made;
}

script::Value Builder::value(P::ValueContext &context) {
  const Span span = spanOf(context);
  script::Sum left = sum(*context.sum(0));
  if (context.sum().size() > 1)
    return {script::Comparison{std::move(left), relationOf(context), sum(*context.sum(1))}, span};
  if (left.terms.empty())
    return {left.constant, span};
  if (context.start != context.stop)
    diagnostics_
        .error(span, "an argument of a step is an integer, a name or a comparison, not a sum or a product")
        .help("sums and products can stand in comparisons, as in `when(2 * w >= h + 64)`");
  return {script::Name{left.terms.front().first}, span};
}

script::Sum Builder::sum(P::SumContext &context) {
  script::Sum made;
  bool isNegative = false, fits = true;
  for (auto *child : context.children) {
    if (auto *sign = dynamic_cast<antlr4::tree::TerminalNode *>(child)) {
      isNegative = sign->getSymbol()->getType() == P::MINUS;
      continue;
    }
    long factor = isNegative ? -1 : 1;
    std::string name;
    for (auto *f : static_cast<P::TermContext *>(child)->factor()) {
      const std::string text = textOf(*f->start);
      if (f->ID() && !name.empty())
        diagnostics_
            .error(spanOf(*static_cast<P::TermContext *>(child)), "a comparison has no product of two names")
            .help("both sides are sums of integers and of integers times names, as in `2 * w >= h + 64`");
      if (f->ID()) {
        name = text;
        continue;
      }
      long number = 0;
      const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
      fits &= wrong == std::errc() && !__builtin_mul_overflow(factor, number, &factor);
    }
    fits &= add(made, name, factor);
  }
  std::erase_if(made.terms, [](const auto &term) { return term.second == 0; });
  if (!fits)
    diagnostics_.error(spanOf(context), "this integer is too large")
        .help("whole numbers go from -9223372036854775807 to 9223372036854775807");
  return made;
}

} // namespace pbc::syntax
