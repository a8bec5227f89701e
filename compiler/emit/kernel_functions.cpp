// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel_functions.h"
#include "compiler/emit/kernel/kernel_text.h"
#include "compiler/emit/kernel/nest.h"
#include <fmt/format.h>
#include <utility>

namespace pbc::emit {

const std::string &KernelFunctions::name(const kernel::Scheduled &kernel, bool mayShareViews) {
  const std::pair key(kernel.schedule.tree.get(), mayShareViews);
  const auto at = nameOfSchedule_.find(key);
  return at != nameOfSchedule_.end()
             ? at->second
             : nameOfSchedule_.emplace(key, nameFor(kernel, mayShareViews)).first->second;
}

std::string KernelFunctions::nameFor(const kernel::Scheduled &kernel, bool mayShareViews) {
  const KernelNest made = kernelNest(kernel);
  const auto called = [&](const std::string &name) {
    return kernelText(made, name, frameType_, mayShareViews).text;
  };
  const auto [at, isNew] =
      nameOfText_.emplace(called("kernel"), fmt::format("pb_kernel_{}", nameOfText_.size()));
  if (isNew)
    text_ += called(at->second) + "\n";
  return at->second;
}

} // namespace pbc::emit
