// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/limits.h"
#include "compiler/search/space.h"

namespace pbc::search {
namespace {

void addPlaces(Space &space, int decision) {
  const std::vector<Communication> &all = space.structure().communications;
  for (int c = 0; c < int(all.size()); ++c)
    space.setPlace(c, space.making().addVariable({decision, c, -1, all[std::size_t(c)].places.bits()}));
}

void registersNeedOneLoop(Space &space, int rule) {
  for (int c = 0; c < int(space.structure().communications.size()); ++c)
    for (const auto &[source, target] : space.structure().communications[std::size_t(c)].pairs) {
      const Literal elsewhere = space.isPlace(c, ~PlaceSet(Place::Register)),
                    isOne = space.isOrder(source, target, Order::Fused);
      if (space.structure().limits.hasOneMemory)
        space.clause(rule, {elsewhere, isOne});
      else
        for (const int side : {source, target})
          space.clause(rule, {elsewhere, isOne, space.isKind(side, Kind::Unroll)});
    }
}

/// One clause for each way to take a pair of every holder: one of those taken is one loop.
void buffersLieInLoops(Space &space, int rule) {
  for (int c = 0; c < int(space.structure().communications.size()); ++c) {
    const Communication &communication = space.structure().communications[std::size_t(c)];
    const auto &holders = communication.holders;
    if (holders.empty())
      continue;
    const auto isFused = [&](std::size_t pair) {
      const Communication::Pair &p = communication.pairs[pair];
      return space.isOrder(p.source, p.target, Order::Fused);
    };
    std::vector<std::size_t> taken(holders.size(), 0);
    for (std::size_t at = 0; at < holders.size();) {
      std::vector<Literal> literals = {space.isPlace(c, ~PlaceSet(Place::Shared))};
      for (std::size_t h = 0; h < holders.size(); ++h)
        literals.push_back(isFused(holders[h][taken[h]]));
      space.making().addClause(rule, literals);
      for (at = 0; at < holders.size() && ++taken[at] == holders[at].size(); ++at)
        taken[at] = 0;
    }
  }
}

void oneCellIsARegister(Space &space, int rule) {
  for (int c = 0; c < int(space.structure().communications.size()); ++c) {
    const Communication &communication = space.structure().communications[std::size_t(c)];
    if (communication.holders.empty() || !communication.places.has(Place::Register))
      continue;
    std::vector<Literal> literals = {space.isPlace(c, ~PlaceSet(Place::Shared))};
    for (const Communication::Pair &pair : communication.pairs)
      literals.push_back(space.isOrder(pair.source, pair.target, ~OrderSet(Order::Fused)));
    space.making().addClause(rule, literals);
  }
}

void sumsInRegistersAreWrittenOut(Space &space, int rule) {
  const Structure &structure = space.structure();
  for (int c = 0; c < int(structure.communications.size()); ++c) {
    const Communication &communication = structure.communications[std::size_t(c)];
    for (const int sum : communication.sumDimensions)
      for (const int cell : communication.cellDimensions) {
        std::vector<Literal> literals = {space.isPlace(c, ~PlaceSet(Place::Register)),
                                         space.isOrder(sum, cell, ~OrderSet(Order::Outside))};
        if (structure.sizes[std::size_t(structure.dimension(cell).size)].isConstant)
          literals.push_back(space.isKind(cell, Kind::Unroll | Kind::Vector));
        space.making().addClause(rule, literals);
      }
  }
}

void sharedMemoryFits(Space &space, int rule) {
  if (space.structure().limits.sharedBytes != 0 && !space.structure().communications.empty())
    space.making().addLimit(rule, std::make_unique<SharedLimit>(space));
}

void registersFit(Space &space, int rule) {
  if (space.structure().limits.registersInThread != 0)
    for (int c = 0; c < int(space.structure().communications.size()); ++c)
      space.making().addLimit(rule, std::make_unique<RegisterLimit>(space, c));
}

void buffersMoveAlongOneLoop(Space &space, int rule) {
  const Structure &structure = space.structure();
  for (int c = 0; c < int(structure.communications.size()); ++c) {
    const Communication &communication = structure.communications[std::size_t(c)];
    for (const std::size_t a : communication.shifted)
      for (const std::size_t b : communication.shifted) {
        const Communication::Pair &first = communication.pairs[a], &second = communication.pairs[b];
        if (a < b && structure.dimension(first.source).family != structure.dimension(second.source).family)
          space.clause(rule, {space.isPlace(c, ~PlaceSet(Place::Shared)),
                              space.isOrder(first.source, first.target, ~OrderSet(Order::Fused)),
                              space.isOrder(second.source, second.target, ~OrderSet(Order::Fused))});
      }
  }
}

std::string placeSubject(const Structure &structure, const Variable &variable) {
  return structure.communications[std::size_t(variable.first)].name;
}

} // namespace

Decision placeDecision() {
  return {
      "place",
      "Where a value lies between the two loops of a communication.",
      {{"register", "In registers of the thread that makes and uses it."},
       {"shared",
        "In memory of the block; on a processor, in memory of a few cells, which the nearest caches hold."},
       {"global", "In the machine's memory."}},
      addPlaces,
      placeSubject,
      {{"place", "Registers pass a value on inside of one loop, or between two unrolled ones.",
        registersNeedOneLoop},
       {"P1", "A temporary of a few cells lies in a loop around all that makes and uses it.",
        buffersLieInLoops},
       {"P2", "A temporary of one cell is a register.", oneCellIsARegister},
       {"P3", "A temporary of a few cells lies in one loop at most whose iterations use what others make.",
        buffersMoveAlongOneLoop},
       {"sums",
        "What is inside of the dimensions of sums in registers is written out, and has a constant length.",
        sumsInRegistersAreWrittenOut},
       {"K10", "The buffers of a block fit into its memory.", sharedMemoryFits},
       {"K10a", "The copies of a value in registers fit into those of a thread.", registersFit}}};
}

} // namespace pbc::search
