// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/bound/terms/boundaries.h"

namespace pbc::search {
namespace {

/// What a level and those before it hold may be there from the beginning; all else comes from beyond.
TermValue traffic(const TermInput &input) {
  double bytes = 0;
  for (const NestWork::Array &array : input.work.arrays)
    bytes += array.cells * double(array.bytes);
  return overBoundaries(input.rates, &Rates::Level::bytesPerSecond, "bytes",
                        [=](double held) { return bytes - held; });
}

} // namespace

Term trafficTerm() {
  return {"traffic",
          "9.2, compulsory",
          "Each cell that is used crosses each boundary of the memory at least once.",
          "Smaller elements, or fusing the kernel with those that make or use its data.",
          traffic,
          true};
}

} // namespace pbc::search
