// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/device_texts.h"
#include "compiler/emit/devices.h"
#include "compiler/emit/kernel/device_text.h"
#include "runtime/device/dialect.h"

namespace pbc::emit {

std::string deviceTexts(const Input &in, bool forCuda) {
  std::string out =
      fmt::format("// ==== prelude\n{}", forCuda ? pb::device::kCudaPrelude : pb::device::kOpenClPrelude);
  for (const auto &t : in.module.transforms) {
    std::set<const kernel::OnDevice *> seen;
    const auto &plans = in.plans[t.index].plans;
    for (std::size_t p = 0; p < plans.size(); ++p)
      for (std::size_t s = 0; s < plans[p].steps.size(); ++s) {
        const auto &device = (*in.devices)[t.index][p][s];
        if (!device || !device->items || !seen.insert(device.get()).second)
          continue;
        const std::string name = schedule::stepName(t, plans[p].steps[s]);
        for (const auto &version : deviceText(*device, kernelEntry(t, name), realNames(t)).versions)
          out += fmt::format("// ==== {}.{}, {}\n{}", t.name, name, version.variant, version.text);
      }
  }
  return out;
}

} // namespace pbc::emit
