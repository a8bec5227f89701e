// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds schedules and their steps. Headers of transforms are in build.cpp.
#include "compiler/syntax/build.h"
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
    if (rule->adaptorCondition())
      one.condition = condition(*rule->adaptorCondition(), made);
  }
  return made;
}

script::Condition Builder::condition(P::AdaptorConditionContext &context, const script::Adaptor &adaptor) {
  std::vector<std::string> words;
  for (auto *word : context.ID())
    words.push_back(textOf(*word->getSymbol()));
  const Span span = spanOf(context);
  const bool isOfBlank = context.DOT() != nullptr;
  const bool isKnown =
      words[0] == "cond" &&
      (isOfBlank ? words[1] == "blank" && words[3] == "zero" && words[4] == "true" : words[1] != "blank");
  if (!isKnown)
    diagnostics_.error(span, "this is no condition of an adaptor")
        .help("conditions are `cond(blank(X).zero = true)` and `cond(PREDICATE(X))`");
  if (words[2] != adaptor.parameters.front())
    diagnostics_.error(span, "a condition is about the matrix of its adaptor, `" +
                                 adaptor.parameters.front() + "`");
  return {isOfBlank ? script::Condition::Kind::BlankIsZero : script::Condition::Kind::Predicate, words[2],
          isOfBlank ? "" : words[1], span};
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
