// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/space.h"
#include "compiler/search/tile_limits.h"
#include <memory>

namespace pbc::search {
namespace {

void addSizes(Space &space, int decision) {
  const auto &sizes = space.structure().sizes;
  for (int s = 0; s < int(sizes.size()); ++s)
    space.setSize(s, space.making().addVariable(
                         {decision, s, -1, (Domain(1) << sizes[std::size_t(s)].values.size()) - 1}));
}

void fusedHaveOneSize(Space &space, int rule) {
  const Structure &structure = space.structure();
  for (const int a : space.dimensions())
    for (const int b : space.dimensions()) {
      const int sizeA = structure.dimension(a).size, sizeB = structure.dimension(b).size;
      if (sizeA == sizeB || canFuseAnyLengths(structure, a, b))
        continue;
      const auto &valuesA = structure.sizes[std::size_t(sizeA)].values,
                 &valuesB = structure.sizes[std::size_t(sizeB)].values;
      for (std::size_t v = 0; v < valuesA.size(); ++v) {
        Domain same = 0;
        for (std::size_t w = 0; w < valuesB.size(); ++w)
          if (valuesB[w] == valuesA[v])
            same |= Domain(1) << w;
        space.clause(rule, {space.isOrder(a, b, ~OrderSet(Order::Fused)),
                            {space.size(sizeA), ~(Domain(1) << v)},
                            {space.size(sizeB), same}});
      }
    }
}

void tilesFit(Space &space, int rule) {
  for (const SizeProduct &product : space.structure().sizeProducts)
    space.making().addLimit(rule, std::make_unique<WholeTileLimit>(space, product));
}

void copiesFit(Space &space, int rule) {
  for (const int instruction : space.instructions())
    if (space.structure().instruction(instruction).isCopy && space.structure().limits.copyBytes > 0)
      space.making().addLimit(rule, std::make_unique<CopyLimit>(space, instruction));
}

std::string sizeSubject(const Structure &structure, const Variable &variable) {
  return structure.sizes[std::size_t(variable.first)].name;
}

} // namespace

Decision sizeDecision() {
  return {"size",
          "The number of iterations of a dimension that cuts another one into tiles.",
          {},
          addSizes,
          sizeSubject,
          {{"size", "Fused dimensions have the same number of iterations.", fusedHaveOneSize},
           {"tiles", "At least one tile of a loop is whole.", tilesFit},
           {"copies", "A copy fits into the scratch memory for copies.", copiesFit}}};
}

} // namespace pbc::search
