// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/kernels/predictions.h"
#include "tuner/evaluate/child_process.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pbc::tuner {

KernelPrediction parsePrediction(const std::string &text, const KernelOption &kernel) {
  KernelPrediction made{kernel.transform, kernel.kernel};
  try {
    const auto found = nlohmann::json::parse(text).at("kernels").at(0);
    made.why = found.value("why", "");
    if (!made.why.empty())
      return made;
    made.limit = found.at("verdict");
    const auto &proposed = found.at("try");
    made.script = proposed.at("schedule");
    made.timesAsFast = proposed.at("times_as_fast");
  } catch (const nlohmann::json::exception &problem) {
    throw TunerError(fmt::format("what pbc emulate says cannot be read: {}", problem.what()));
  }
  return made;
}

KernelPrediction predictionOf(const ProofSettings &settings, const KernelOption &kernel) {
  constexpr double kMost = 60; // seconds
  std::vector<std::string> command{compilerPath(),
                                   "emulate",
                                   settings.source,
                                   "--json",
                                   "--guide",
                                   "--kernel=" + kernel.kernelTitle(),
                                   "--machine=" + settings.machine};
  addSizesAndWords(settings, kernel, command);
  return parsePrediction(outputOf(command, kMost), kernel);
}

KernelOption seedOf(const KernelPrediction &prediction, const KernelOption &kernel) {
  KernelOption seed = kernel;
  seed.about = "what following its limits has found";
  seed.others.clear();
  if (!prediction.script.empty() && prediction.script != seed.inUse)
    seed.others.push_back(prediction.script);
  return seed;
}

} // namespace pbc::tuner
