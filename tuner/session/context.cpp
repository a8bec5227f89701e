// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/session/context.h"

#include "tuner/evaluate/steps.h"
#include "tuner/output_files.h"
#include "tuner/write_file.h"

namespace pbc::tuner {

SessionContext contextOf(const TuneOptions &options, Progress &progress) {
  SessionContext context{options, progress, existingProgram(options.program), "", "", ""};
  context.version = versionOf(context.program);
  context.output = options.output.empty() ? options.program + ".cfg" : options.output;
  context.report = reportPath(options, context.output);
  requireOutputs(options, context.output, context.report);
  return context;
}

} // namespace pbc::tuner
