// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/limits.h"
#include "compiler/search/space.h"
#include <algorithm>
#include <utility>

namespace pbc::search {
namespace {

void addKinds(Space &space, int decision) {
  for (const int d : space.dimensions()) {
    const Dimension &dimension = space.structure().dimension(d);
    KindSet kinds = dimension.kinds;
    if (!dimension.isParallel)
      kinds = kinds & (Kind::For | Kind::Unroll);                         // K2
    if (!space.structure().sizes[std::size_t(dimension.size)].isConstant) // K3
      kinds = kinds & ~(space.structure().limits.vectorsAreLoops ? KindSet(Kind::Unroll)
                                                                 : Kind::Unroll | Kind::Vector);
    space.setKind(d, space.making().addVariable({decision, d, -1, kinds.bits()}));
  }
}

void fusedAreAlike(Space &space, int rule) {
  for (const int a : space.dimensions())
    for (const int b : space.dimensions())
      for (unsigned kind = 0; a != b && kind < 5; ++kind)
        space.clause(rule, {space.isOrder(a, b, ~OrderSet(Order::Fused)),
                            space.isKind(a, ~KindSet(Kind(kind))), space.isKind(b, Kind(kind))});
}

void blocksEncloseAll(Space &space, int rule) {
  for (const int block : space.dimensions()) {
    const Literal isNoBlock = space.isKind(block, ~KindSet(Kind::Block));
    for (const int other : space.dimensions()) {
      if (other == block)
        continue;
      space.clause(
          rule, {isNoBlock, space.isOrder(block, other, Order::Outside), space.isKind(other, Kind::Block)});
      space.clause(rule, {isNoBlock, space.isOrder(block, other, ~(Order::Before | Order::After))});
    }
    for (const int instruction : space.instructions())
      space.clause(rule, {isNoBlock, space.isOrder(block, instruction, Order::Outside)});
  }
}

void vectorsHoldOneInstruction(Space &space, int rule) {
  const OrderSet notAround = ~OrderSet(Order::Outside);
  // Inside of everything, a copy is none.
  std::vector<int> instructions;
  for (const int i : space.instructions())
    if (!space.structure().instruction(i).isCopy)
      instructions.push_back(i);
  for (const int vector : space.dimensions()) {
    const Literal isNoVector = space.isKind(vector, ~KindSet(Kind::Vector));
    for (const int other : space.dimensions())
      if (other != vector)
        space.clause(rule, {isNoVector, space.isOrder(vector, other, notAround)});
    for (const int i : instructions) {
      if (!space.structure().instruction(i).isVectorisable)
        space.clause(rule, {isNoVector, space.isOrder(vector, i, notAround)});
      for (const int j : instructions)
        if (i < j && !space.structure().limits.vectorsAreLoops)
          space.clause(
              rule, {isNoVector, space.isOrder(vector, i, notAround), space.isOrder(vector, j, notAround)});
    }
  }
}

void vectorsAreIndependent(Space &space, int rule) {
  for (const Communication &communication : space.structure().communications)
    for (const std::size_t shifted : communication.shifted) {
      const auto &[source, target] = communication.pairs[shifted];
      space.clause(rule, {space.isOrder(source, target, ~OrderSet(Order::Fused)),
                          space.isKind(source, ~KindSet(Kind::Vector))});
    }
}

void threadsAreContiguous(Space &space, int rule) {
  const KindSet noThread = ~KindSet(Kind::Thread);
  const OrderSet notAround = ~OrderSet(Order::Outside);
  for (const int outer : space.dimensions())
    for (const int between : space.dimensions())
      for (const int inner : space.dimensions())
        if (outer != between && between != inner && outer != inner)
          space.clause(rule, {space.isKind(outer, noThread), space.isKind(inner, noThread),
                              space.isKind(between, Kind::Thread), space.isOrder(outer, between, notAround),
                              space.isOrder(between, inner, notAround)});
}

void unrolledAreInnermost(Space &space, int rule) {
  if (!space.structure().limits.unrollsInnermostOnly)
    return;
  for (const int outer : space.dimensions())
    for (const int inner : space.dimensions())
      if (outer != inner)
        space.clause(rule, {space.isKind(outer, ~KindSet(Kind::Unroll)),
                            space.isOrder(outer, inner, ~OrderSet(Order::Outside)),
                            space.isKind(inner, Kind::Unroll | Kind::Vector)});
}

/// Where both are around the same instructions: one that has not both as its own may be in the outer one alone.
void unrolledAreInOneOrder(Space &space, int rule) {
  const Structure &structure = space.structure();
  if (!structure.limits.unrolledInOneOrder || !structure.limits.unrollsInnermostOnly)
    return;
  const auto has = [&](int instruction, int d) {
    return std::ranges::count(structure.instruction(instruction).dimensions, d) > 0;
  };
  for (const int first : space.dimensions())
    for (const int second : space.dimensions()) {
      if (second <= first)
        continue;
      std::vector<Literal> literals = {space.isKind(first, ~KindSet(Kind::Unroll)),
                                       space.isKind(second, ~KindSet(Kind::Unroll)),
                                       space.isOrder(first, second, ~OrderSet(Order::Inside))};
      for (const int i : space.instructions())
        if (!has(i, first) || !has(i, second))
          literals.push_back(space.isOrder(second, i, Order::Outside));
      space.making().addClause(rule, literals);
    }
}

void nestLimit(Space &space, int rule, Kind kind, NestLimit::What what, long most) {
  if (most == 0)
    return;
  for (const int inner : space.dimensions())
    if (KindSet::ofBits(space.problem().variables()[std::size_t(space.kind(inner))].initial).has(kind))
      space.making().addLimit(rule, std::make_unique<NestLimit>(space, inner, kind, what, most));
}

void threadsFit(Space &space, int rule) {
  const MachineLimits &limits = space.structure().limits;
  nestLimit(space, rule, Kind::Thread, NestLimit::What::Iterations, limits.threadsInBlock);
  nestLimit(space, rule, Kind::Thread, NestLimit::What::Dimensions, limits.threadDimensions);
}

void blocksFit(Space &space, int rule) {
  nestLimit(space, rule, Kind::Block, NestLimit::What::Dimensions, space.structure().limits.blockDimensions);
}

/// The pairs of dimensions of two instructions that may be one loop.
std::vector<std::pair<int, int>> sharable(const Structure &structure, int first, int second) {
  std::vector<std::pair<int, int>> pairs;
  for (const int a : structure.instruction(first).dimensions)
    for (const int b : structure.instruction(second).dimensions)
      if (structure.dimension(a).family >= 0 &&
          structure.dimension(a).family == structure.dimension(b).family)
        pairs.emplace_back(a, b);
  return pairs;
}

/// Full tiles run apart from those at the edges in the steps of the innermost loop, which must not be one that another instruction has as
/// well unless it has all of them. `shared` is one loop of both; some other one that is not cut off by a constant has to be the first one's
/// own and a loop: one clause for each way to pick, of every other one, that it is shared or that it is a vector.
void copiesHaveALoop(Space &space, int rule, int copied, int first, int second,
                     const std::pair<int, int> &shared) {
  const Structure &structure = space.structure();
  const auto isConstant = [&](int d) {
    return structure.sizes[std::size_t(structure.dimension(d).size)].isConstant;
  };
  const auto isOne = [&](const std::pair<int, int> &pair) {
    return space.isOrder(pair.first, pair.second, Order::Fused);
  };
  const auto isNotOne = [&](const std::pair<int, int> &pair) {
    return space.isOrder(pair.first, pair.second, ~OrderSet(Order::Fused));
  };
  const std::vector<std::pair<int, int>> pairs = sharable(structure, first, second);
  std::vector<int> others; // outermost levels of the first instruction's other loops
  for (const int d : structure.instruction(first).dimensions)
    if (d != shared.first && !isConstant(d))
      others.push_back(d);
  const bool canShareAll = pairs.size() == structure.instruction(first).dimensions.size() &&
                           pairs.size() == structure.instruction(second).dimensions.size();
  const std::size_t ends = canShareAll ? pairs.size() : 1;
  for (unsigned picks = 0; picks < 1u << others.size(); ++picks)
    for (std::size_t end = 0; end < ends; ++end) {
      std::vector<Literal> literals = {space.isKind(copied, ~KindSet(Kind::Unroll)), isNotOne(shared)};
      if (canShareAll)
        literals.push_back(isOne(pairs[end]));
      bool holds = false;
      for (std::size_t o = 0; o < others.size(); ++o) {
        const auto pair = std::ranges::find(pairs, others[o], &std::pair<int, int>::first);
        if ((picks >> o & 1u) != 0)
          literals.push_back(space.isKind(others[o], ~KindSet(Kind::Vector)));
        else if (pair != pairs.end())
          literals.push_back(isNotOne(*pair));
        else
          holds = true; // it is the first one's own whatever is decided
      }
      if (!holds)
        space.making().addClause(rule, literals);
    }
}

void copiesInSharedLoops(Space &space, int rule) {
  const Structure &structure = space.structure();
  if (!structure.limits.fusesOtherLengths)
    return;
  for (const int first : space.instructions())
    for (const int second : space.instructions())
      for (const auto &pair :
           first == second ? std::vector<std::pair<int, int>>{} : sharable(structure, first, second))
        for (const int copied : structure.instruction(first).dimensions)
          if (!structure.sizes[std::size_t(structure.dimension(pair.first).size)].isConstant &&
              structure.sizes[std::size_t(structure.dimension(copied).size)].isConstant)
            copiesHaveALoop(space, rule, copied, first, second, pair);
}

void unrolledCopiesFit(Space &space, int rule) {
  nestLimit(space, rule, Kind::Unroll, NestLimit::What::Iterations, space.structure().limits.unrolled);
}

std::string kindSubject(const Structure &structure, const Variable &variable) {
  return structure.nameOf(variable.first);
}

} // namespace

Decision kindDecision() {
  return {
      "kind",
      "How the iterations of a dimension are carried out.",
      {{"for", "A loop: one iteration after the other."},
       {"unroll", "Copies of the body; the number of iterations is a constant."},
       {"vector",
        "One instruction for all iterations, which are independent of each other and a constant number."},
       {"thread", "Threads of a block; lanes of a processor. The iterations are independent."},
       {"block", "Blocks of a device; tasks of a processor. The iterations are independent."}},
      addKinds,
      kindSubject,
      {{"K1", "Fused dimensions have the same kind.", fusedAreAlike},
       {"K4", "Dimensions of blocks are around everything else.", blocksEncloseAll},
       {"K5",
        "A vector is innermost and holds one instruction that the machine has for vectors; where vectors "
        "are loops, any "
        "number of them.",
        vectorsHoldOneInstruction},
       {"K5a", "A vector is no loop in which one iteration uses what another one makes.",
        vectorsAreIndependent},
       {"K6", "No other dimension lies between two dimensions of threads.", threadsAreContiguous},
       {"K7", "A block has no more threads, and threads no more dimensions, than the machine allows.",
        threadsFit},
       {"K9", "What is inside an unrolled dimension is unrolled or a vector.", unrolledAreInnermost},
       {"K9c",
        "Unrolled loops with one body are in the order of their numbers, as any order is the same program.",
        unrolledAreInOneOrder},
       {"K9a", "No body has more copies than the machine allows.", unrolledCopiesFit},
       {"K9b",
        "What is written out lies in a loop of its own instruction, unless that shares no loop or all.",
        copiesInSharedLoops},
       {"K4a", "Blocks have no more dimensions than the machine allows.", blocksFit}}};
}

} // namespace pbc::search
