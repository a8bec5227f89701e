// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles a .pbcc program to kernels and C++ text for a test.
//
//   Lifted l("transform T from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return 2 * a; } }");
//   l.kernel()        the kernel of the first step of the first plan
//   l.program(kernel) C++ that includes only runtime/abi and defines `T_Frame` and `kernel`
#pragma once
#include "compiler/choice/grid.h"
#include "compiler/kernel/schedule.h"
#include "compiler/schedule/plan.h"
#include "compiler/sema/check.h"
#include "compiler/syntax/parse.h"

namespace pbc::kernel {

class Lifted {
public:
  explicit Lifted(const std::string &program);

  Scheduled kernel(int plan = 0, int step = 0);
  int steps(int plan = 0) const { return static_cast<int>(plans_.at(0).plans.at(plan).steps.size()); }
  const schedule::Plan &plan(int plan = 0) const { return plans_.at(0).plans.at(plan); }
  const sema::Transform &transform() const { return module_.transforms.at(0); }
  poly::Context &context() { return context_; }
  /// The frame, `before`, and a function kernel0, kernel1, ... for each kernel.
  std::string text(const std::vector<Scheduled> &kernels, const std::string &before = "");

  std::string messages;

private:
  poly::Context context_; // must outlive all objects that are made in it
  source::SourceManager sources_;
  source::Diagnostics diagnostics_{sources_};
  syntax::Program program_;
  sema::Module module_;
  std::vector<std::vector<body::Facts>> facts_;
  std::vector<choice::Choices> choices_;
  std::vector<schedule::TransformPlans> plans_;
};

} // namespace pbc::kernel
