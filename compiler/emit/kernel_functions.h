// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions of a transform's kernels: steps whose kernels become the same text share one.
//
//   KernelFunctions functions(transform, "Smooth_frame");
//   functions.name(kernel, false)      "pb_kernel_0", also for another kernel with the same loops
//   functions.text()                   static void pb_kernel_0(const void *context, ...) { ... }
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/schedule/plan.h"
#include <map>

namespace pbc::emit {

class KernelFunctions {
public:
  KernelFunctions(const sema::Transform &transform, std::string frameType)
      : transform_(transform), frameType_(std::move(frameType)) {}

  /// What the function of the kernel is called. Building a kernel's loops is the most expensive work of the emitter, so that it is done once
  /// for kernels that share their schedule.
  const std::string &name(const kernel::Scheduled &, bool mayShareViews);
  const std::string &text() const { return text_; }

private:
  std::string nameFor(const kernel::Scheduled &, bool mayShareViews);

  const sema::Transform &transform_;
  const std::string frameType_;
  std::map<std::pair<isl_schedule *, bool>, std::string> nameOfSchedule_;
  std::map<std::string, std::string> nameOfText_; // by the function's text without its name
  std::string text_;
};

} // namespace pbc::emit
