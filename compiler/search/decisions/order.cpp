// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/space.h"
#include <algorithm>

namespace pbc::search {
namespace {

bool has(const std::vector<int> &all, int one) { return std::find(all.begin(), all.end(), one) != all.end(); }

bool mayHaveOneSize(const Structure &structure, int a, int b) {
  if (canFuseAnyLengths(structure, a, b))
    return true;
  const auto &x = structure.sizes[std::size_t(structure.dimension(a).size)].values;
  const auto &y = structure.sizes[std::size_t(structure.dimension(b).size)].values;
  return std::any_of(x.begin(), x.end(),
                     [&](long value) { return std::find(y.begin(), y.end(), value) != y.end(); });
}

/// Whether an instruction is in both: they are nested then.
bool areOfOneInstruction(const Structure &structure, int a, int b) {
  return std::any_of(structure.instructions.begin(), structure.instructions.end(),
                     [&](const Instruction &i) { return has(i.dimensions, a) && has(i.dimensions, b); });
}

/// What the structure says of two objects (section 2.4, facts 1 to 4 and 6).
OrderSet firstOrders(const Structure &structure, int a, int b) {
  const bool isLoopA = structure.isDimension(a), isLoopB = structure.isDimension(b);
  if (isLoopA && isLoopB) {
    OrderSet orders = OrderSet::all();
    if (!mayHaveOneSize(structure, a, b) || areOfOneInstruction(structure, a, b) ||
        structure.dimension(a).family != structure.dimension(b).family)
      orders = orders & ~OrderSet(Order::Fused);
    for (const std::vector<int> &levels : structure.nested) {
      const auto atA = std::find(levels.begin(), levels.end(), a),
                 atB = std::find(levels.begin(), levels.end(), b);
      if (atA != levels.end() && atB != levels.end())
        orders = orders & (atA < atB ? Order::Outside : Order::Inside);
    }
    for (const Communication &communication : structure.communications)
      for (const auto &[source, target] : communication.pairs) {
        if (source == a && target == b)
          orders = orders & (Order::Before | Order::Fused);
        if (source == b && target == a)
          orders = orders & (Order::After | Order::Fused);
      }
    return orders;
  }
  if (isLoopA)
    return converse(firstOrders(structure, b, a));
  const Instruction &instruction = structure.instruction(a);
  if (isLoopB) {
    if (has(instruction.dimensions, b))
      return Order::Inside;
    if (instruction.isCopy)
      return Order::Inside | Order::Before;
    return Order::Inside | Order::Before | Order::After;
  }
  OrderSet orders = Order::Before | Order::After;
  for (const Structure::Edge &edge : structure.edges) {
    if (edge.before == a && edge.after == b)
      orders = orders & Order::Before;
    if (edge.before == b && edge.after == a)
      orders = orders & Order::After;
  }
  return orders;
}

void addOrders(Space &space, int decision) {
  const Structure &structure = space.structure();
  const int count = int(structure.objects.size());
  for (int a = 0; a < count; ++a)
    for (int b = a + 1; b < count; ++b)
      space.setOrder(a, b, space.making().addVariable({decision, a, b, firstOrders(structure, a, b).bits()}));
  auto variable = [&](int a, int b) { return space.isOrder(a, b, OrderSet::all()).variable; };
  for (int a = 0; a < count; ++a)
    for (int b = a + 1; b < count; ++b)
      for (int c = b + 1; c < count; ++c)
        space.making().addTriple({variable(a, b), variable(b, c), variable(a, c)});
}

void effectsHappenOnce(Space &space, int rule) {
  for (const int i : space.instructions()) {
    const Instruction &instruction = space.structure().instruction(i);
    if (!instruction.hasEffects)
      continue;
    for (const int d : space.dimensions()) {
      if (has(instruction.dimensions, d))
        continue;
      std::vector<Literal> literals = {space.isOrder(i, d, ~OrderSet(Order::Inside))};
      for (const int own : instruction.dimensions)
        literals.push_back(space.isOrder(own, d, Order::Fused));
      space.making().addClause(rule, literals);
    }
  }
}

void sumsBeginOutside(Space &space, int rule) {
  for (const Structure::Edge &edge : space.structure().edges) {
    const Instruction &first = space.structure().instruction(edge.before);
    if (!first.isInitialisation)
      continue;
    for (const int d : space.structure().instruction(edge.after).dimensions)
      if (!space.structure().dimension(d).isParallel && !has(first.dimensions, d))
        space.clause(rule, {space.isOrder(edge.before, d, ~OrderSet(Order::Inside))});
  }
}

void copiesAreMadeByLoops(Space &space, int rule) {
  for (const int copy : space.instructions()) {
    if (!space.structure().instruction(copy).isCopy)
      continue;
    std::vector<Literal> insideOfSome;
    for (const int around : space.dimensions()) {
      insideOfSome.push_back(space.isOrder(copy, around, Order::Inside));
      for (const int behind : space.dimensions())
        if (around != behind)
          space.clause(rule, {space.isOrder(copy, around, ~OrderSet(Order::Inside)),
                              space.isKind(around, ~(Kind::Unroll | Kind::Vector)),
                              space.isOrder(copy, behind, Order::Inside)});
    }
    space.making().addClause(rule, insideOfSome);
  }
}

std::string orderSubject(const Structure &structure, const Variable &variable) {
  return structure.nameOf(variable.first) + ", " + structure.nameOf(variable.second);
}

} // namespace

Decision orderDecision() {
  return {
      "order",
      "How two objects, dimensions or instructions, lie to each other.",
      {{"before", "The first one ends before the second one begins."},
       {"after", "The second one ends before the first one begins."},
       {"inside", "The first one is in the body of the second one."},
       {"outside", "The second one is in the body of the first one."},
       {"fused", "Both dimensions are one loop."}},
      addOrders,
      orderSubject,
      {{"effects", "An instruction with effects is in no dimension but its own and those fused with them.",
        effectsHappenOnce},
       {"sum", "What initialises a sum is outside of the sum's dimensions.", sumsBeginOutside},
       {"copy", "A copy is made in the steps of a loop, not inside of what is written out.",
        copiesAreMadeByLoops}}};
}

} // namespace pbc::search
