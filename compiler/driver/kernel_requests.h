// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads what a configuration says of kernels' schedules: its section [kernels].
//
//   [kernels]
//   MatrixMultiply.product.rows = 8     # transform, rule (several as "a+b"), option (schedule_options.h)
//   Heat.inside.order = "x, y"
//   Heat.edges.script = "tasks(); vector(x)"
//
// A kernel is named after the rules whose points it computes, so that its name does not change when other
// rules do. A request applies to all kernels of its name; an option that none of them can have is an error. A script is the
// whole schedule, so that an option beside it is an error, too.
#pragma once
#include "compiler/emit/emit.h"
#include "compiler/kernel/policy/space.h"
#include "compiler/kernel/schedule_space.h"

namespace pbc::driver {

/// reports[transform][plan][step]: how the step's kernel got its schedule; empty for steps whose bodies call transforms.
using Reports = std::vector<std::vector<std::vector<kernel::Report>>>;

class KernelRequests {
public:
  KernelRequests() = default;
  /// Reports names and values that no program can have. A file that is not TOML requests nothing, because the
  /// program itself reports the error.
  KernelRequests(source::FileId, const source::SourceManager &, source::Diagnostics &);

  kernel::Asked of(const std::string &transform, const std::string &kernel) const;
  /// The script that is requested for the whole schedule.
  const script::Script *scriptOf(const std::string &transform, const std::string &kernel) const;
  /// Reports requests for what this program does not have.
  void check(const emit::Input &, const Reports &, source::Diagnostics &) const;
  /// Lines of TOML, sorted; "" if nothing is requested.
  std::string text() const;

private:
  struct Request {
    std::string transform, kernel, option, value;
    source::Span transformSpan, kernelSpan, span;
    script::Script script = {}; // if the option is one

    bool isScript() const { return option == kernel::kScriptOption; }
  };
  void refuseBesideScripts(source::Diagnostics &) const;
  std::vector<Request> requests_;
};

/// What the kernels of one name can have: values of options, and scripts.
struct KernelSpace {
  int transform;
  std::string kernel;
  std::vector<kernel::OptionSpace> options;
  script::Script script = {}; // of the kernel with the most edits, which the others follow where they can
  kernel::Neighbours neighbours = {};  // of that script
  std::vector<std::string> sizes = {}; // names, as users write them
  int pieces = 1;                      // kernels of this name
};

/// Adds one more kernel to those of its name.
void addSpace(std::vector<KernelSpace> &, const KernelSpace &);

} // namespace pbc::driver
