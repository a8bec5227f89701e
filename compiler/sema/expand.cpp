// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/expand.h"
#include "compiler/sema/accumulation.h"
#include "compiler/sema/accuracy_words.h"
#include "compiler/sema/calls.h"
#include "compiler/sema/either.h"
#include "compiler/sema/labels.h"
#include "compiler/sema/lets.h"
#include "compiler/sema/replace_names.h"
#include "compiler/sema/scaled.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::sema {

namespace {

/// Each copy of a transform is compiled and tuned on its own.
constexpr long kManyTransforms = 25, kMostTransforms = 256;
/// Each copy of a rule is a choice of its own.
constexpr long kMostRules = 256;

struct Range {
  Identifier name;
  long low, high;
  Span span;
};

/// The number of combinations of the ranges; nothing (reported) if one is empty or there are too many.
std::optional<long> combinations(const std::vector<Range> &ranges, long most, const char *what,
                                 source::Diagnostics &d) {
  long count = 1;
  for (const Range &r : ranges) {
    if (r.high < r.low) {
      d.error(r.span,
              fmt::format("`{}` has an empty range: {} is greater than {}", r.name.text, r.low, r.high))
          .help("both ends belong to the range, the lower one stands first");
      return std::nullopt;
    }
    for (const Range &other : ranges)
      if (&other != &r && other.name.text == r.name.text && other.name.span.begin < r.name.span.begin) {
        d.error(r.name.span, fmt::format("`{}` stands twice here", r.name.text))
            .note(other.name.span, "the other one is here")
            .help("give each its own name");
        return std::nullopt;
      }
    const auto values = static_cast<__int128>(r.high) - r.low + 1;
    if (values * count > most) {
      d.error(r.span, fmt::format("this makes more than {} copies of the {}", most, what))
          .help("make the ranges smaller, or use a `tunable`, which needs no copies");
      return std::nullopt;
    }
    count *= static_cast<long>(values);
  }
  return count;
}

/// Combination `number` of `count`, the last name varying fastest.
std::vector<Constant> combination(const std::vector<Range> &ranges, long number) {
  std::vector<Constant> constants(ranges.size());
  for (std::size_t i = ranges.size(); i-- > 0;) {
    const long values = ranges[i].high - ranges[i].low + 1;
    constants[i] = {ranges[i].name.text, ranges[i].low + number % values, ranges[i].name.span};
    number /= values;
  }
  return constants;
}

syntax::ExprPtr number(long value, Span span) {
  auto made = std::make_shared<syntax::Expr>();
  made->kind = syntax::Expr::Kind::Integer;
  made->span = span;
  made->text = std::to_string(value < 0 ? -value : value);
  if (value >= 0)
    return made;
  auto negated = std::make_shared<syntax::Expr>();
  negated->kind = syntax::Expr::Kind::Negate;
  negated->span = span;
  negated->operands.push_back(std::move(made));
  return negated;
}

/// Replaces constants by their numbers in all expressions.
NameReplacer replacerOf(const std::vector<Constant> &constants) {
  return NameReplacer([&constants](const syntax::Expr &name) {
    for (const Constant &c : constants)
      if (c.name == name.text)
        return number(c.value, name.span);
    return syntax::ExprPtr();
  });
}

std::vector<RuleCopy> copiesOf(const syntax::Rule &rule, const std::string &label, int position,
                               const std::vector<EitherRange> &choices,
                               const std::vector<Constant> &ofTransform, source::Diagnostics &d) {
  std::vector<Range> ranges;
  for (const auto &flag : rule.flags)
    if (flag.kind == syntax::Flag::Kind::Duplicate)
      ranges.push_back({*flag.name, flag.low, flag.high, flag.span});
  for (const auto &choice : choices)
    ranges.push_back({choice.name, 0, choice.branches - 1, choice.name.span});
  const auto count = combinations(ranges, kMostRules, "rule", d);
  std::vector<RuleCopy> copies;
  for (long k = 0; count && k < *count; ++k) {
    copies.push_back({rule, label, position, combination(ranges, k)});
    std::vector<Constant> all = copies.back().constants; // the inner meaning hides the outer one
    all.insert(all.end(), ofTransform.begin(), ofTransform.end());
    replacerOf(all).rule(copies.back().rule);
  }
  return copies;
}

void expandTransform(const syntax::Transform &t, std::vector<TransformCopy> &out, source::Diagnostics &d) {
  std::vector<Range> ranges;
  for (const auto &a : t.templateArguments)
    ranges.push_back({a.name, a.low, a.high, t.templateSpan});
  const auto count = combinations(ranges, kMostTransforms, "transform", d);
  if (count && *count > kManyTransforms)
    d.warning(t.templateSpan, fmt::format("this makes {} copies of `{}`", *count, t.name.text))
        .help("each is compiled and tuned on its own");
  syntax::Transform header = t;
  std::vector<syntax::Rule> rules = std::move(header.rules);
  header.rules.clear();
  placeAccumulations(header, rules, d);
  placeLets(header, rules, d);
  addScaledRule(header, rules, d);
  const std::vector<std::string> labels = labelsOf(t.name.text, rules, d);
  std::vector<std::vector<EitherRange>> choices;
  for (auto &rule : rules) {
    plainAccuracyWords(rule.body.text, header.items, d);
    choices.push_back(plainEither(rule.body.text, d));
  }
  for (long k = 0; count && k < *count; ++k) {
    TransformCopy copy{header, combination(ranges, k), {}, !t.rules.empty()};
    const NameReplacer replacer = replacerOf(copy.constants);
    for (auto *list : {&copy.header.from, &copy.header.to, &copy.header.through})
      replacer.matrices(*list);
    replacer.structures(copy.header.structures);
    for (std::size_t r = 0; r < rules.size(); ++r)
      for (auto &rule : copiesOf(rules[r], labels[r], static_cast<int>(r), choices[r], copy.constants, d))
        copy.rules.push_back(std::move(rule));
    out.push_back(std::move(copy));
  }
}

} // namespace

std::vector<TransformCopy> expand(const syntax::Program &program, source::Diagnostics &d) {
  std::map<std::string, bool> takesArguments;
  for (const auto &t : program.transforms)
    if (!t.isForward)
      takesArguments.emplace(t.name.text, !t.templateArguments.empty() || t.accuracyBins.size() > 1);
  std::vector<TransformCopy> out;
  for (const auto &t : program.transforms)
    if (!t.isForward)
      expandTransform(t, out, d);
  for (auto &t : out)
    for (auto &r : t.rules)
      plainCalls(r.rule.body.text, takesArguments, d);
  return out;
}

std::string copySuffix(const std::vector<Constant> &constants) {
  std::string out;
  for (const Constant &c : constants)
    out += fmt::format("{}{}", out.empty() ? "<" : ",", c.value);
  return out.empty() ? out : out + ">";
}

} // namespace pbc::sema
