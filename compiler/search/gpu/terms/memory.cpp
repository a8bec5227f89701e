// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/gpu_term.h"

namespace pbc::search {
namespace {

/// What the second cache holds may be there from the beginning, or be left there at the end.
GpuTermValue memory(const GpuInput &input) {
  const double amount = input.view.work().bytes() - input.rates.secondCacheBytes,
               rate = input.rates.of(GpuResource::Memory, GpuLevel::Device);
  if (amount <= 0 || rate <= 0)
    return {};
  return {amount / rate, amount, rate, nameOf(GpuResource::Memory), 0};
}

} // namespace

GpuTerm gpuMemoryTerm() {
  return {
      "memory",
      "9.2, compulsory",
      "Each cell that is used and that the second cache does not have comes from the device's memory once.",
      "contention of all units",
      "Smaller elements, or fusing the kernel with those that make or use its data.",
      memory};
}

} // namespace pbc::search
