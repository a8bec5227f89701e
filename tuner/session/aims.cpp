// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/session/aims.h"

#include "tuner/output_files.h"

#include <fmt/format.h>

namespace pbc::tuner {

std::vector<Metric> Aims::metrics() const {
  if (front)
    return {front->begin(), front->end()};
  std::vector<Metric> wanted{Metric::Time};
  for (const Metric metric : {Metric::Energy, Metric::Memory})
    if (objective.wants(metric))
      wanted.push_back(metric);
  return wanted;
}

Aims chosenAims(const TuneOptions &options, const ProgramSpace &space, const std::string &output) {
  Aims aims;
  if (!options.front.empty()) {
    if (space.goal)
      throw TunerError(fmt::format("{} has accuracy targets: --pareto is for programs without\n"
                                   "  help: --objective=memory (or energy) tunes it to meet the targets",
                                   options.program));
    aims.front = parseFront(options.front);
    frontFolder(output);
  } else if (!options.objective.empty()) {
    aims.objective = Objective::parse(options.objective);
  }
  return aims;
}

} // namespace pbc::tuner
