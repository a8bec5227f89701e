// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/space.h"
#include <fmt/format.h>
#include <utility>

namespace pbc::search {
namespace {

const std::vector<const Rule *> &allRules() {
  static const std::vector<const Rule *> all = [] {
    std::vector<const Rule *> made;
    for (const Decision &decision : decisions())
      for (const Rule &rule : decision.rules)
        made.push_back(&rule);
    return made;
  }();
  return all;
}

} // namespace

Space::Space(Structure structure) : structure_(std::move(structure)) {
  const std::size_t objects = structure_.objects.size();
  kinds_.assign(objects, -1);
  orders_.assign(objects * objects, -1);
  places_.assign(structure_.communications.size(), -1);
  caches_.assign(structure_.accesses.size(), -1);
  sizes_.assign(structure_.sizes.size(), -1);
  for (int object = 0; object < int(objects); ++object)
    (structure_.isDimension(object) ? dimensions_ : instructions_).push_back(object);
  for (std::size_t d = 0; d < decisions().size(); ++d)
    decisions()[d].variables(*this, int(d));
  for (std::size_t r = 0; r < allRules().size(); ++r)
    allRules()[r]->instances(*this, int(r));
}

std::size_t Space::pair(int first, int second) const {
  return std::size_t(first) * structure_.objects.size() + std::size_t(second);
}

OrderSet Space::order(const State &state, int first, int second) const {
  if (first < second)
    return OrderSet::ofBits(state.domain(orders_[pair(first, second)]));
  return converse(OrderSet::ofBits(state.domain(orders_[pair(second, first)])));
}

Literal Space::isKind(int dimension, KindSet kinds) const { return {kind(dimension), kinds.bits()}; }

Literal Space::isPlace(int communication, PlaceSet places) const {
  return {place(communication), places.bits()};
}

Literal Space::isCache(int access, CacheSet caches) const { return {cache(access), caches.bits()}; }

Literal Space::isOrder(int first, int second, OrderSet orders) const {
  if (first < second)
    return {orders_[pair(first, second)], orders.bits()};
  return {orders_[pair(second, first)], converse(orders).bits()};
}

std::string Space::nameOf(int variable) const {
  const Variable &v = problem_.variables()[std::size_t(variable)];
  const Decision &decision = decisions()[std::size_t(v.decision)];
  return fmt::format("{}({})", decision.name, decision.subject(structure_, v));
}

std::string Space::valuesOf(int variable, Domain domain) const {
  const Variable &v = problem_.variables()[std::size_t(variable)];
  const auto &values = decisions()[std::size_t(v.decision)].values;
  std::vector<std::string> names;
  for (unsigned value = 0; value < 32; ++value)
    if (domain >> value & 1u)
      names.push_back(values.empty() ? fmt::format("{}", structure_.sizes[std::size_t(v.first)].values[value])
                                     : std::string(values[value].name));
  return fmt::format("{}", fmt::join(names, " or "));
}

const Rule *Space::ruleOf(int constraint) const {
  const int rule = problem_.constraints()[std::size_t(constraint)].rule;
  return rule < 0 ? nullptr : allRules()[std::size_t(rule)];
}

std::string Space::sentenceOf(int constraint) const {
  if (constraint < 0)
    return "a decision";
  if (const Rule *rule = ruleOf(constraint))
    return fmt::format("{} ({})", rule->id, rule->doc);
  return "the order of loops (Two loops around one object are nested, and what is before a loop is before "
         "its contents.)";
}

std::string Space::why(const State::Conflict &conflict) const {
  if (conflict.variable < 0)
    return fmt::format("{} cannot hold", sentenceOf(conflict.constraint));
  return fmt::format("{} has no value left: {} clashes with {}", nameOf(conflict.variable),
                     sentenceOf(conflict.constraint), sentenceOf(conflict.before));
}

} // namespace pbc::search
