// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/machine/warp_cost.h"
#include <cstddef>

namespace pbc::model {

const std::vector<std::string> &warpUnitNames() {
  static const std::vector<std::string> names{"dram",    "l2",      "l1",      "shared",  "f32",   "f64",
                                              "integer", "special", "shuffle", "barrier", "start", "lines"};
  return names;
}

const std::vector<std::string> &figureSourceNames() {
  static const std::vector<std::string> names{"measured", "public", "assumed"};
  return names;
}

const char *nameOf(WarpUnit unit) { return warpUnitNames()[static_cast<std::size_t>(unit)].c_str(); }
const char *nameOf(FigureSource s) { return figureSourceNames()[static_cast<std::size_t>(s)].c_str(); }

bool hasLatency(WarpUnit unit) { return unit != WarpUnit::Start && unit != WarpUnit::Lines; }
bool hasGap(WarpUnit unit) { return unit != WarpUnit::Barrier; }

bool isCredible(const WarpCost &cost) {
  const auto isWithin = [](const std::optional<Figure> &f, double least) {
    return !f || (f->value >= least && f->value <= kMostCycles && (!f->best || *f->best >= least));
  };
  return isWithin(cost.latency, kLeastLatency) && isWithin(cost.gap, kLeastGap);
}

} // namespace pbc::model
