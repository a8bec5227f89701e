// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the script of one version of a kernel for devices, and runs its steps as it goes.
//
//   Writing w(start); w.add(script::step("items", {})); w.add(script::step("keep", {"A"}));
//   w.take("registers")       =>   { "registers", items(); keep(A), the kernel after both }
//
// A step that is refused is not in the script; why() says why.
#pragma once
#include "compiler/kernel/policy/device.h"
#include "compiler/kernel/transform/items.h"
#include "compiler/kernel/transform/run.h"
#include "compiler/kernel/transform/support.h"

namespace pbc::kernel {

class Writing {
public:
  explicit Writing(const Scheduled &start) : kernel_(withLabels(start)) {}

  /// The first step gave one point to each item: now it gives several.
  bool giveEach(as::Item::Each each, const char *name) {
    Outcome made = withEach(kernel_, each);
    why_ = made.why;
    if (!made.kernel)
      return false;
    kernel_ = std::move(*made.kernel);
    with(script_.front(), "each", script::name(name));
    return true;
  }

  bool add(script::Step step) {
    StepOutcome made = run(step, kernel_);
    if (!made.kernel) {
      why_ = made.problem.what;
      return false;
    }
    kernel_ = std::move(*made.kernel);
    script_.push_back(std::move(step));
    return true;
  }

  /// These steps have made `kernel` of the one here.
  void follow(script::Script steps, Scheduled kernel) {
    kernel_ = std::move(kernel);
    script_.insert(script_.end(), steps.begin(), steps.end());
  }

  const Scheduled &kernel() const { return kernel_; }
  const std::string &why() const { return why_; }
  DeviceVersion take(const char *name) { return {name, std::move(script_), std::move(kernel_), "", {}}; }

private:
  Scheduled kernel_;
  script::Script script_;
  std::string why_; // the last step that was refused was
};

} // namespace pbc::kernel
