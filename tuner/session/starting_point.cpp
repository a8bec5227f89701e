// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/session/starting_point.h"

#include "tuner/output_files.h"
#include "tuner/session_start.h"
#include "tuner/space/toml.h"
#include "tuner/write_file.h"

#include <fmt/format.h>

namespace pbc::tuner {

StartingPoint startOfTuning(const SessionContext &context, const ProgramSpace &space) {
  StartingPoint start;
  start.configuration = start.byDefault = Configuration::defaults(space);
  start.sizes = context.options.sizes;
  if (context.options.record.empty())
    requireOwnConfiguration(space, context.output, !context.options.output.empty());
  start.earlier = earlierResult(space, context.output, context.progress);
  if (const std::string text = textOf(context.output); isFor(space, text, context.output))
    start.kernels = kernelSettings(text);
  if (start.earlier.empty())
    return start;
  const Configuration &earlier = start.earlier.front();
  if (space.goal)
    start.configuration = earlier;
  for (std::size_t i = 0; i < space.tunables.size(); ++i)
    if (space.tunables[i].isFixed)
      start.configuration = start.configuration.withTunable(static_cast<int>(i), earlier.tunables()[i]);
  return start;
}

StartingPoint startOfRefresh(const SessionContext &context, const ProgramSpace &space) {
  const TuneOptions &options = context.options;
  const std::string text = textOf(context.output);
  if (text.empty())
    throw TunerError(fmt::format("{}: there is no configuration to refresh\n  help: pbc tune {} makes one",
                                 context.output, options.program));
  StartingPoint start;
  start.byDefault = Configuration::defaults(space);
  start.sizes = options.sizes;
  const Fitted fitted = fitConfiguration(context.program, text, context.output);
  const std::optional<Provenance> origin = provenanceOf(text);
  if (origin && options.objective.empty())
    start.objective = Objective::parse(origin->objective);
  if (origin && options.n == 0 && options.sizes.empty() && options.inputs.empty())
    start.sizes = largestSizes(*origin, space);
  start.plan = refreshPlan(space, origin, fitted);
  start.configuration = fromToml(space, fitted.toml, context.output);
  start.kernels = kernelSettings(text);
  for (const std::string &reason : start.plan.reasons)
    context.progress.note(reason);
  return start;
}

} // namespace pbc::tuner
