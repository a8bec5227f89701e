// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/session/record_space.h"

#include "tuner/evaluate/record.h"
#include "tuner/report/words.h"
#include "tuner/session/bin_evaluators.h"
#include "tuner/write_file.h"

#include <fmt/format.h>

namespace pbc::tuner {

void recordSpace(const SessionContext &context, PreparedBin &bin) {
  const TuneOptions &options = context.options;
  constexpr std::size_t kSizes = 4; // the full one and some below, so that growing sizes can be compared
  const std::size_t left = bin.steps.size() > kSizes ? bin.steps.size() - kSizes : 0;
  const std::vector<Step> steps(bin.steps.begin() + static_cast<std::ptrdiff_t>(left), bin.steps.end());
  const std::vector<TestSize> sizes = testSizes(steps);
  WorkerEvaluator evaluator(bin.focus.space, steps, bin.worker, nullptr,
                            {machineName(), "", TimeBudget::kPatience, false, options.threads});
  RecordSettings settings;
  settings.points = options.trials > 0 ? options.trials : settings.points;
  MeasuredSpace measured = record(bin.focus.space, sizes, outputOf({context.program, "--info"}, 20), settings,
                                  evaluator, [&](const std::string &line) { context.progress.note(line); });
  measured.machine = machineName();
  writeAtomically(options.record, toJson(measured));
  fmt::print("{}: {} points at {} sizes, in {:.0f} s\n", options.record, measured.points.back().size(),
             sizes.size(), evaluator.elapsed());
}

} // namespace pbc::tuner
