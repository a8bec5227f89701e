// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/structure.h"
#include <utility>

namespace pbc::search {

int Structure::addSize(Size size) {
  sizes.push_back(std::move(size));
  return int(sizes.size()) - 1;
}

int Structure::addDimension(Dimension dimension) {
  objects.push_back({true, int(dimensions.size())});
  dimensions.push_back(std::move(dimension));
  return int(objects.size()) - 1;
}

int Structure::addInstruction(Instruction instruction) {
  objects.push_back({false, int(instructions.size())});
  instructions.push_back(std::move(instruction));
  return int(objects.size()) - 1;
}

const std::string &Structure::nameOf(int object) const {
  return isDimension(object) ? dimension(object).name : instruction(object).name;
}

bool canFuseAnyLengths(const Structure &structure, int a, int b) {
  const auto hasAnyLength = [&](int d) {
    return !structure.sizes[std::size_t(structure.dimension(d).size)].isConstant;
  };
  return structure.limits.fusesOtherLengths && structure.dimension(a).family >= 0 &&
         structure.dimension(a).family == structure.dimension(b).family && hasAnyLength(a) && hasAnyLength(b);
}

} // namespace pbc::search
