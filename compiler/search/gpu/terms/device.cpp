// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/gpu_term.h"

namespace pbc::search {
namespace {

GpuTermValue device(const GpuInput &input) {
  return longestUse(input.device, input.rates, GpuLevel::Device, 0);
}

} // namespace

GpuTerm gpuDeviceTerm() {
  return {
      "device",
      "(8)",
      "All that the groups use of a resource together takes so long at the rate of the whole device.",
      "contention of all units",
      "Less use in total: values that are used again, neighbouring cells in neighbouring threads, vectors.",
      device};
}

} // namespace pbc::search
