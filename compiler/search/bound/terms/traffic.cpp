// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/bound/terms/boundaries.h"
#include <algorithm>

namespace pbc::search {
namespace {

/// What a level and those before it hold may be there from the beginning; all else comes from beyond. What is stored past the caches
/// goes through none of them, and to the memory perhaps faster than other cells come from there.
TermValue traffic(const TermInput &input) {
  double bytes = 0, streamed = 0;
  for (const NestWork::Array &array : input.work.arrays) {
    bytes += array.cells * double(array.bytes);
    if (input.view.mayBeStreamed(array))
      streamed += array.cells * double(array.bytes);
  }
  const TermValue throughCaches = overBoundaries(input.rates, &Rates::Level::bytesPerSecond, "bytes",
                                                 [=](double held) { return bytes - streamed - held; });
  if (streamed == 0)
    return throughCaches;
  const auto rateOf = [](const Rates::Level &level) {
    return level.streamedBytesPerSecond > 0 ? std::max(level.bytesPerSecond, level.streamedBytesPerSecond)
                                            : 0;
  };
  const TermValue all =
      overBoundaries(input.rates, rateOf, "bytes", [=](double held) { return bytes - held; });
  return all.seconds > throughCaches.seconds ? all : throughCaches;
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
