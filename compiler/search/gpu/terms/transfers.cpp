// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/gpu_term.h"

namespace pbc::search {
namespace {

GpuTermValue transfers(const GpuInput &input) {
  const double amount = input.view.work().hostBytes, rate = input.rates.hostBytesPerSecond;
  if (amount <= 0 || rate <= 0)
    return {};
  return {amount / rate, amount, rate, "bytes between host and device", 0};
}

} // namespace

GpuTerm gpuTransfersTerm() {
  return {"transfers",
          "9.1, copies",
          "What is on the host has to come to the device, and results have to come back.",
          "copies between host and device",
          "Data that stay on the device, or a part of the work on the processor.",
          transfers};
}

} // namespace pbc::search
