// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/limits.h"
#include "compiler/search/space.h"

namespace pbc::search {
namespace {

void addPlaces(Space &space, int decision) {
  const PlaceSet places =
      space.structure().limits.hasOneMemory ? Place::Register | Place::Global : PlaceSet::all();
  for (int c = 0; c < int(space.structure().communications.size()); ++c)
    space.setPlace(c, space.making().addVariable({decision, c, -1, places.bits()}));
}

void registersNeedOneLoop(Space &space, int rule) {
  for (int c = 0; c < int(space.structure().communications.size()); ++c)
    for (const auto &[source, target] : space.structure().communications[std::size_t(c)].pairs)
      for (const int side : {source, target})
        space.clause(rule, {space.isPlace(c, ~PlaceSet(Place::Register)),
                            space.isOrder(source, target, Order::Fused), space.isKind(side, Kind::Unroll)});
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

std::string placeSubject(const Structure &structure, const Variable &variable) {
  return structure.communications[std::size_t(variable.first)].name;
}

} // namespace

Decision placeDecision() {
  return {
      "place",
      "Where a value lies between the two loops of a communication.",
      {{"register", "In registers of the thread that makes and uses it."},
       {"shared", "In memory of the block; in the nearest cache of a processor."},
       {"global", "In the machine's memory."}},
      addPlaces,
      placeSubject,
      {{"place", "Registers pass a value on inside of one loop, or between two unrolled ones.",
        registersNeedOneLoop},
       {"sums",
        "What is inside of the dimensions of sums in registers is written out, and has a constant length.",
        sumsInRegistersAreWrittenOut},
       {"K10", "The buffers of a block fit into its memory.", sharedMemoryFits},
       {"K10a", "The copies of a value in registers fit into those of a thread.", registersFit}}};
}

} // namespace pbc::search
