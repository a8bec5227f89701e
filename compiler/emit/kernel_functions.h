// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions of a transform's kernels: steps whose kernels become the same text share one.
//
//   KernelFunctions functions(transform, "Smooth_frame");
//   functions.name(kernel, false)      "pb_kernel_0", also for another kernel with the same loops
//   functions.text()                   static void pb_kernel_0(const void *context, ...) { ... }
//   functions.apart()                  {}
//
// The functions of many or long kernels stand in units of their own, which are compiled at the same time:
//
//   functions.text()                   namespace Smooth_kernels { void pb_kernel_0(...); } using Smooth_kernels::pb_kernel_0; ...
//   functions.apart()                  static void pb_kernel_0(...) { ... }
//                                      namespace Smooth_kernels { void pb_kernel_0(...) { pb_program::pb_kernel_0(...); } }
//
// Invariant: in which unit a function stands follows from the program's text alone, so that the cache knows it again.
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
  /// From now on there are no further functions: those that stand apart are already being compiled.
  void close() { isClosed_ = true; }
  /// What the transform's own unit contains: functions, and declarations of those that stand elsewhere.
  std::string text() const;
  /// The functions of each further unit, which must define the frame in front of them.
  std::vector<std::string> apart() const;

private:
  struct Function {
    std::string name, text;
    bool callsBodies; // which only the transform's own unit has
  };

  std::string nameFor(const kernel::Scheduled &, bool mayShareViews);
  /// The functions of each further unit.
  std::vector<std::vector<const Function *>> unitsApart() const;

  const sema::Transform &transform_;
  const std::string frameType_;
  std::map<std::pair<isl_schedule *, bool>, std::string> nameOfSchedule_;
  std::map<std::string, std::string> nameOfText_; // by the function's text without its name
  std::vector<Function> functions_;
  bool isClosed_ = false;
};

} // namespace pbc::emit
