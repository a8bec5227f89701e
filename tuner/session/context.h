// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The values that stay the same during one run of `pbc tune`: the options, the program and the files.
//
//   Progress progress(stderr);
//   const SessionContext context = contextOf(options, progress);   // of `pbc tune ./sort`
//   context.output                                                 // "./sort.cfg"
//
// Invariant: the run may write the files `output` and `report` (output_files.h).
#pragma once
#include "tuner/report/progress.h"
#include "tuner/session.h"

#include <string>

namespace pbc::tuner {

struct SessionContext {
  const TuneOptions &options;
  Progress &progress;
  std::string program, version; // its path, and the version of that file
  std::string output, report;   // report is empty if there is none
};

/// The options and the progress must outlive the result. Throws TunerError if there is no such program, or if a
/// file must not be written.
SessionContext contextOf(const TuneOptions &, Progress &);

} // namespace pbc::tuner
