// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/gpu_term.h"
#include <cmath>

namespace pbc::search {
namespace {

/// 2 m n k / sqrt(S) - 2 S words through a memory of S words, for the share of each unit, whose registers, local memory and
/// first cache are one memory to the second cache.
GpuTermValue product(const GpuInput &input) {
  const GpuWork &work = input.view.work();
  if (!work.isProductOfMatrices)
    return {};
  const auto bytesOfWord = double(work.arrays.front().bytes);
  const double words = (4 * double(input.rates.registersPerUnit) + double(input.rates.localBytesPerUnit) +
                        input.rates.firstCacheBytes) /
                       bytesOfWord;
  const double amount =
                   (2 * work.points / std::sqrt(words) - 2 * words * double(input.rates.units)) * bytesOfWord,
               rate = input.rates.of(GpuResource::SecondCache, GpuLevel::Device);
  if (amount <= 0 || rate <= 0)
    return {};
  return {amount / rate, amount, rate, nameOf(GpuResource::SecondCache), 0};
}

} // namespace

GpuTerm gpuProductTerm() {
  return {
      "product",
      "9.4, known I/O bound",
      "A product of matrices moves so many words into units with so much memory, whatever its tiles (Smith, "
      "Lowery, Langou, van de Geijn, 2019).",
      "contention of all units",
      "Smaller elements; no schedule moves less.",
      product};
}

} // namespace pbc::search
