// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/limits.h"
#include "compiler/search/space.h"

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
        if (i < j)
          space.clause(
              rule, {isNoVector, space.isOrder(vector, i, notAround), space.isOrder(vector, j, notAround)});
    }
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

void unrolledCopiesFit(Space &space, int rule) {
  nestLimit(space, rule, Kind::Unroll, NestLimit::What::Iterations, space.structure().limits.unrolled);
}

std::string kindSubject(const Structure &structure, const Variable &variable) {
  return structure.nameOf(variable.first);
}

} // namespace

Decision kindDecision() {
  return {"kind",
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
           {"K5", "A vector is innermost and holds one instruction that the machine has for vectors.",
            vectorsHoldOneInstruction},
           {"K6", "No other dimension lies between two dimensions of threads.", threadsAreContiguous},
           {"K7", "A block has no more threads, and threads no more dimensions, than the machine allows.",
            threadsFit},
           {"K9", "What is inside an unrolled dimension is unrolled or a vector.", unrolledAreInnermost},
           {"K9a", "No body has more copies than the machine allows.", unrolledCopiesFit},
           {"K4a", "Blocks have no more dimensions than the machine allows.", blocksFit}}};
}

} // namespace pbc::search
