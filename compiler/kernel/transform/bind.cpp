// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/transform/support.h"
#include "compiler/syntax/nearest.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::kernel {

using Kind = Parameter::Kind;
using script::Comparison;
using script::Name;
using script::Value;

namespace {

constexpr long kLargestSize = 2147483647, kLargestFactor = 1000000;

bool takesSeveral(Kind kind) { return kind == Kind::Loops || kind == Kind::Names || kind == Kind::Integers; }

/// Whether a value without a name can be meant for the parameter.
bool takes(const Parameter &p, const Value &value) {
  if (std::holds_alternative<long>(value.what))
    return p.kind == Kind::Integer || p.kind == Kind::Integers;
  if (std::holds_alternative<Comparison>(value.what))
    return p.kind == Kind::Condition;
  return p.kind != Kind::Integer && p.kind != Kind::Integers && p.kind != Kind::Condition;
}

/// "the loops are `y`, `x`" with the one that was probably meant in front.
std::string suggestion(const std::string &word, const std::vector<std::string> &known,
                       std::string_view what) {
  if (known.empty())
    return fmt::format("it has no {}", what);
  const std::string near = syntax::nearest(word, {known.begin(), known.end()});
  return fmt::format("{}the {} are {}", near.empty() ? "" : fmt::format("did you mean `{}`? ", near), what,
                     quoted(known));
}

/// Whether the value is one of the parameter's words.
bool isOneOf(const Parameter &p, const Value &value) {
  const auto *name = std::get_if<Name>(&value.what);
  return name && std::find(p.words.begin(), p.words.end(), name->text) != p.words.end();
}

std::string expected(const Parameter &p) {
  std::string range;
  if (p.kind == Kind::Integer || p.kind == Kind::Integers)
    range = fmt::format("a number from {} to {}", p.least, p.most);
  if (!p.words.empty())
    range += fmt::format("{}{}", range.empty() ? "" : ", or ", fmt::join(p.words, ", "));
  return range.empty() ? std::string(p.doc) : fmt::format("{}, {}", p.doc, range);
}

} // namespace

std::string Arguments::name(std::string_view parameter) const {
  const std::vector<std::string> all = names(parameter);
  return all.empty() ? "" : all.front();
}

std::vector<std::string> Arguments::names(std::string_view parameter) const {
  std::vector<std::string> all;
  if (const auto at = values_.find(parameter); at != values_.end())
    for (const Value &value : at->second)
      if (const auto *name = std::get_if<Name>(&value.what))
        all.push_back(name->text);
  return all;
}

std::optional<long> Arguments::number(std::string_view parameter) const {
  const std::vector<long> all = numbers(parameter);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

std::vector<long> Arguments::numbers(std::string_view parameter) const {
  std::vector<long> all;
  if (const auto at = values_.find(parameter); at != values_.end())
    for (const Value &value : at->second)
      if (const auto *number = std::get_if<long>(&value.what))
        all.push_back(*number);
  return all;
}

const Comparison *Arguments::condition(std::string_view parameter) const {
  const auto at = values_.find(parameter);
  return at == values_.end() ? nullptr : std::get_if<Comparison>(&at->second.front().what);
}

struct Binder {
  const Transformation &transformation;
  const script::Step &step;
  const Scheduled *scheduled; // null: names are left aside
  Arguments arguments = {};
  std::optional<StepProblem> problem = {};

  void fail(std::string what, std::string help, source::Span span) {
    if (!problem)
      problem = {std::move(what), std::move(help), span};
  }

  std::string usageHelp() const { return fmt::format("it is written {}", usage(transformation)); }

  /// Sizes are integers of 32 bits; both sides of a condition are computed in 64.
  void checkNumbers(const Comparison &comparison, source::Span span) {
    const auto isWithin = [](long number, long most) { return -most <= number && number <= most; };
    for (const script::Sum *sum : {&comparison.left, &comparison.right}) {
      if (!isWithin(sum->constant, kLargestSize))
        fail(fmt::format("the number {} is too large for a size", sum->constant),
             fmt::format("sizes are integers of 32 bits, up to {}", kLargestSize), span);
      for (const auto &[size, factor] : sum->terms)
        if (!isWithin(factor, kLargestFactor))
          fail(fmt::format("the factor {} of `{}` is too large", factor, size),
               fmt::format("factors in conditions go up to {}", kLargestFactor), span);
    }
  }

  /// The loop with this name, or over the variable that the program calls so and isl otherwise (poly/names.h); "" if there is none.
  std::string labelOf(const std::string &name) const {
    const std::vector<std::string> labels = labelsOf(scheduled->schedule.tree);
    const auto isLabel = [&](const std::string &label) {
      return std::find(labels.begin(), labels.end(), label) != labels.end();
    };
    for (const std::string &label : {name, poly::mangle(name)})
      if (isLabel(label))
        return label;
    // The scripts of the OA framework call a loop `k` `Lk`, or `Lkk` where a step has left it as it was.
    for (std::string rest = name; rest.size() > 1 && rest.front() == 'L'; rest.pop_back()) {
      for (const std::string &label : {rest, rest.substr(1), poly::mangle(rest.substr(1))})
        if (isLabel(label))
          return label;
      if (rest.size() < 3 || rest.back() != rest[rest.size() - 2])
        break;
    }
    return "";
  }

  void check(const Parameter &p, const Value &value) {
    const std::string text = script::text(value);
    if (const auto *number = std::get_if<long>(&value.what)) {
      if (*number < p.least || *number > p.most)
        fail(fmt::format("`{}` of `{}` cannot be {}", p.name, transformation.name, text),
             fmt::format("`{}` is {}", p.name, expected(p)), value.span);
      return;
    }
    if (const auto *comparison = std::get_if<Comparison>(&value.what))
      return checkNumbers(*comparison, value.span);
    const std::string &name = std::get<Name>(value.what).text;
    const bool isOfKernel = p.kind == Kind::Loop || p.kind == Kind::Loops || p.kind == Kind::Buffer;
    if (isOfKernel && !scheduled)
      return;
    if (p.kind == Kind::Loop || p.kind == Kind::Loops) {
      if (labelOf(name).empty()) {
        std::vector<std::string> ofProgram;
        for (const std::string &label : labelsOf(scheduled->schedule.tree))
          ofProgram.push_back(poly::unmangle(label));
        fail(fmt::format("no loop is called `{}`", name), suggestion(name, ofProgram, "loops"), value.span);
      }
    } else if (p.kind == Kind::Buffer) {
      const std::vector<int> meant = buffersCalled(*scheduled, name);
      std::vector<std::string> buffers;
      for (const Buffer &b : scheduled->buffers)
        if (meant.empty() || b.called == name)
          buffers.push_back(programName(*scheduled, b));
      if (meant.empty())
        fail(fmt::format("no matrix or variable is called `{}`", name),
             suggestion(name, buffers, "matrices and variables"), value.span);
      else if (meant.size() > 1)
        fail(fmt::format("{} are called `{}`", counted(meant.size(), "variable"), name),
             fmt::format("to a step, they are {}", quoted(buffers)), value.span);
    } else if (!p.words.empty() && std::find(p.words.begin(), p.words.end(), name) == p.words.end()) {
      fail(fmt::format("`{}` of `{}` cannot be `{}`", p.name, transformation.name, name),
           fmt::format("`{}` is {}", p.name, expected(p)), value.span);
    }
  }

  /// Transformations know loops and buffers by their names in the kernel.
  Value withOwnName(const Parameter &p, const Value &value) const {
    const auto *name = std::get_if<Name>(&value.what);
    if (!scheduled)
      return value;
    if (p.kind == Kind::Loop || p.kind == Kind::Loops) {
      const std::string label = name ? labelOf(name->text) : "";
      return label.empty() ? value : Value{Name{label}, value.span};
    }
    if (p.kind != Kind::Buffer)
      return value;
    const std::vector<int> meant = name ? buffersCalled(*scheduled, name->text) : std::vector<int>{};
    return meant.size() == 1
               ? Value{Name{scheduled->buffers[static_cast<std::size_t>(meant.front())].name}, value.span}
               : value;
  }

  void add(const Parameter &p, const Value &value) {
    auto &values = arguments.values_[std::string(p.name)];
    if (std::find(values.begin(), values.end(), value) != values.end() && p.kind == Kind::Loops)
      fail(fmt::format("`{}` is named twice", script::text(value)), usageHelp(), value.span);
    check(p, value);
    values.push_back(withOwnName(p, value));
  }

  void positional(const Value &value) {
    for (const Parameter &p : transformation.parameters)
      if (takes(p, value) && (p.kind != Kind::Word || isOneOf(p, value)) &&
          (takesSeveral(p.kind) || !arguments.has(p.name)))
        return add(p, value);
    for (const Parameter &p : transformation.parameters)
      if (p.kind == Kind::Word && !p.isOptional && !arguments.has(p.name) &&
          std::holds_alternative<Name>(value.what))
        return fail(
            fmt::format("`{}` of `{}` cannot be `{}`", p.name, transformation.name, script::text(value)),
            fmt::format("`{}` is {}", p.name, expected(p)), value.span);
    fail(fmt::format("`{}` takes no further argument `{}`", transformation.name, script::text(value)),
         usageHelp(), value.span);
  }

  void named(const script::NamedValue &one) {
    const auto &all = transformation.parameters;
    const auto p =
        std::find_if(all.begin(), all.end(), [&](const Parameter &q) { return q.name == one.name; });
    if (p == all.end())
      return fail(fmt::format("`{}` has no argument `{}`", transformation.name, one.name), usageHelp(),
                  one.span);
    if (arguments.has(p->name) && !takesSeveral(p->kind))
      return fail(fmt::format("`{}` is given twice", one.name), usageHelp(), one.span);
    const bool isWord = std::holds_alternative<Name>(one.value.what) && !p->words.empty();
    if (!takes(*p, one.value) && !isWord)
      return fail(
          fmt::format("`{}` of `{}` cannot be `{}`", p->name, transformation.name, script::text(one.value)),
          fmt::format("`{}` is {}", p->name, expected(*p)), one.value.span);
    add(*p, one.value);
  }

  Bound run() {
    for (const Value &value : step.operands)
      positional(value);
    for (const Value &value : step.values)
      positional(value);
    for (const script::NamedValue &one : step.named)
      named(one);
    for (const Parameter &p : transformation.parameters)
      if (!p.isOptional && !arguments.has(p.name))
        fail(fmt::format("`{}` needs `{}`: {}", transformation.name, p.name, expected(p)), usageHelp(),
             step.span);
    for (const std::string &label : step.results)
      if (std::count(step.results.begin(), step.results.end(), label) > 1)
        fail(fmt::format("two loops would be called `{}`", label), usageHelp(), step.span);
    arguments.results_ = step.results;
    if (problem)
      return {std::nullopt, std::move(*problem)};
    return {std::move(arguments), {}};
  }
};

Bound bind(const Transformation &transformation, const script::Step &step, const Scheduled &scheduled) {
  return Binder{transformation, step, &scheduled}.run();
}

std::optional<StepProblem> whyNever(const Transformation &transformation, const script::Step &step) {
  Bound bound = Binder{transformation, step, nullptr}.run();
  return bound.arguments ? std::nullopt : std::optional(std::move(bound.problem));
}

std::string usage(const Transformation &t) {
  std::string operands, values;
  const auto add = [](std::string &list, const std::string &text) {
    list += (list.empty() ? "" : ", ") + text;
  };
  for (const Parameter &p : t.parameters) {
    const std::string dots = takesSeveral(p.kind) ? ", ..." : "";
    if (p.isOptional)
      add(values, fmt::format("[{} = ...]", p.name));
    else if (p.kind == Kind::Integer || p.kind == Kind::Integers)
      add(values, std::string(p.name) + dots);
    else
      add(operands, std::string(p.name) + dots);
  }
  return fmt::format("{}({}{}{})", t.name, operands, operands.empty() || values.empty() ? "" : "; ", values);
}

} // namespace pbc::kernel
