// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/bound/terms/boundaries.h"
#include <algorithm>

namespace pbc::search {
namespace {

/// Cells that are computed and not read, beside as many bytes that are only read: a program moves them as a copy does, which stores as the
/// program does, in the caches or past them. What is copied without being computed may be a call of memcpy, which stores past the caches.
TermValue copied(const TermInput &input) {
  double read = 0, written = 0;
  bool mayBeStreamed = false;
  for (const NestWork::Array &array : input.work.arrays) {
    const double bytes = array.cells * double(array.bytes);
    if (!array.isWritten)
      read += bytes;
    else if (!array.isRead && array.alongRows)
      written += bytes;
    mayBeStreamed |= input.view.mayBeStreamed(array);
  }
  const auto rateOf = [&](const Rates::Level &level) {
    if (!mayBeStreamed)
      return level.copiedBytesPerSecond;
    const double streamed = level.streamedBytesPerSecond;
    return streamed > 0 ? std::max(level.copiedBytesPerSecond, streamed) : 0;
  };
  return overBoundaries(input.rates, rateOf, "bytes, half of them written",
                        [=](double held) { return 2 * (std::min(read, written) - held); });
}

} // namespace

Term copiedTerm() {
  return {"copied",
          "9.2, compulsory",
          "Each cell that is written comes from beyond a memory and goes back there, beside what is read.",
          "Smaller elements, or computing the result where an input lies.",
          copied,
          true};
}

} // namespace pbc::search
