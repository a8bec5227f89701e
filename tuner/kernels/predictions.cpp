// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/kernels/predictions.h"
#include "tuner/evaluate/child_process.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>

namespace pbc::tuner {
namespace {

constexpr std::size_t kMostSeeds = 3;

/// Steps, by the sum of the elasticities that they make smaller.
std::vector<std::string> remediesOf(const nlohmann::json &elasticities) {
  std::vector<std::pair<double, std::string>> weights;
  for (const auto &one : elasticities)
    for (const auto &remedy : one.value("remedies", nlohmann::json::array())) {
      const std::string step = remedy.at("step");
      auto at = std::ranges::find(weights, step, &std::pair<double, std::string>::second);
      if (at == weights.end())
        at = weights.insert(at, {0, step});
      at->first += one.at("value").get<double>();
    }
  std::ranges::stable_sort(weights, std::greater<>(), &std::pair<double, std::string>::first);
  std::vector<std::string> steps;
  for (const auto &[weight, step] : weights)
    steps.push_back(step);
  return steps;
}

/// `pbc emulate` of the kernel, with further options.
std::vector<std::string> emulationOf(const ProofSettings &settings, const KernelOption &kernel,
                                     const std::vector<std::string> &options) {
  std::vector<std::string> command{compilerPath(),
                                   "emulate",
                                   settings.source,
                                   "--json",
                                   "--kernel=" + kernel.kernelTitle(),
                                   "--machine=" + settings.machine};
  command.insert(command.end(), options.begin(), options.end());
  addSizesAndWords(settings, kernel, command);
  return command;
}

} // namespace

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
    made.path = proposed.value("path_schedules", std::vector<std::string>());
    std::ranges::reverse(made.path);
    made.remedies = remediesOf(found.at("elasticities"));
  } catch (const nlohmann::json::exception &problem) {
    throw TunerError(fmt::format("what pbc emulate says cannot be read: {}", problem.what()));
  }
  return made;
}

KernelPrediction predictionOf(const ProofSettings &settings, const KernelOption &kernel) {
  constexpr double kMost = 60; // seconds
  return parsePrediction(outputOf(emulationOf(settings, kernel, {"--guide"}), kMost), kernel);
}

KernelOption seedOf(const KernelPrediction &prediction, const KernelOption &kernel) {
  KernelOption seed = kernel;
  seed.about = "what following its limits has found";
  seed.others.clear();
  std::vector<std::string> all{prediction.script};
  all.insert(all.end(), prediction.path.begin(), prediction.path.end());
  for (const std::string &script : all)
    if (seed.others.size() < kMostSeeds && !script.empty() && script != seed.inUse &&
        std::ranges::find(seed.others, script) == seed.others.end())
      seed.others.push_back(script);
  return seed;
}

std::vector<double> EmulatedAdvice::seconds(const KernelOption &kernel,
                                            const std::vector<std::string> &scripts) {
  constexpr double kMost = 30; // seconds
  std::vector<std::string> asked{"--times"};
  for (const std::string &script : scripts)
    asked.push_back("--script=" + script);
  try {
    return parseTimes(outputOf(emulationOf(settings_, kernel, asked), kMost), scripts.size());
  } catch (const TunerError &) { // a script that nobody can predict is measured
    return std::vector<double>(scripts.size());
  }
}

std::vector<double> parseTimes(const std::string &text, std::size_t count) {
  std::vector<double> seconds;
  try {
    const nlohmann::json said = nlohmann::json::parse(text);
    for (const auto &row : said.at("kernels"))
      if (row.contains("script"))
        seconds.push_back(row.value("seconds", 0.0));
  } catch (const nlohmann::json::exception &problem) {
    throw TunerError(fmt::format("what pbc emulate says cannot be read: {}", problem.what()));
  }
  seconds.resize(count); // a kernel that cannot be predicted has one row in all
  return seconds;
}

} // namespace pbc::tuner
