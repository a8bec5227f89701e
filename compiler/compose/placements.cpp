// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/compose/placements.h"
#include "compiler/compose/mixer.h"
#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace pbc::compose {
namespace {

using script::Name;

/// In which order a copy is.
enum class Order { Natural, Transposed, Symmetric };

/// The words of different transformations for an order; the first ones are for each transformation those that are written.
struct Word {
  std::string_view text;
  Order order;
};
constexpr Word kWords[] = {{"NoChange", Order::Natural},     {"natural", Order::Natural},
                           {"Transpose", Order::Transposed}, {"transposed", Order::Transposed},
                           {"Symmetry", Order::Symmetric},   {"symmetric", Order::Symmetric}};

std::optional<Order> orderOf(const script::Value &value) {
  const auto *name = std::get_if<Name>(&value.what);
  for (const Word &word : kWords)
    if (name && name->text == word.text)
      return word.order;
  return std::nullopt;
}

/// The value of the step that says the order; null if it has none.
script::Value *modeOf(script::Step &step, std::string_view parameter) {
  for (script::NamedValue &one : step.named)
    if (one.name == parameter)
      return &one.value;
  for (auto *values : {&step.operands, &step.values})
    for (script::Value &value : *values)
      if (&value != step.operands.data() && orderOf(value))
        return &value;
  return nullptr;
}

Order together(Order a, Order b) {
  if (a == Order::Symmetric || b == Order::Symmetric)
    return Order::Symmetric;
  return a == b ? Order::Natural : Order::Transposed;
}

/// The word of the transformation for an order; "" if it has none.
std::string wordFor(const script::Step &step, std::string_view parameter, Order order) {
  const kernel::Transformation *transformation = kernel::findTransformation(step.transformation);
  for (const kernel::Parameter &p : transformation->parameters)
    if (p.name == parameter)
      for (const Word &word : kWords)
        if (word.order == order && std::find(p.words.begin(), p.words.end(), word.text) != p.words.end())
          return std::string(word.text);
  return "";
}

std::string matrixOf(const script::Step &step) {
  return step.operands.empty() ? "" : script::text(step.operands.front());
}

std::string join(script::Step &one, const script::Step &other) {
  const kernel::Mixing mine = mixingOf(one), theirs = mixingOf(other);
  const std::string matrix = matrixOf(one);
  if (mine.memory != theirs.memory)
    return fmt::format("`{}` would be in the memory of a tile and in registers", matrix);
  if (mine.mode.empty())
    return "";
  script::Step copy = other;
  const script::Value *mode = modeOf(copy, theirs.mode);
  const Order added = mode ? orderOf(*mode).value_or(Order::Natural) : Order::Natural;
  script::Value *own = modeOf(one, mine.mode);
  const Order order = together(own ? orderOf(*own).value_or(Order::Natural) : Order::Natural, added);
  const std::string word = wordFor(one, mine.mode, order);
  if (word.empty())
    return fmt::format("`{}` has no word for the order of the copy of `{}`", one.transformation, matrix);
  if (own)
    own->what = Name{word};
  else
    script::with(one, std::string(mine.mode), script::name(word));
  return "";
}

} // namespace

PlacementOutcome joined(const script::Script &base, const script::Script &added) {
  PlacementOutcome made{base, ""};
  for (const script::Step &step : added) {
    const auto same = std::find_if(made.steps.begin(), made.steps.end(), [&](const script::Step &other) {
      return matrixOf(other) == matrixOf(step);
    });
    if (same == made.steps.end())
      made.steps.push_back(step);
    else if (made.why = join(*same, step); !made.why.empty())
      return {{}, made.why};
  }
  return made;
}

} // namespace pbc::compose
