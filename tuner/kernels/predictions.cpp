// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/kernels/predictions.h"
#include "tuner/evaluate/child_process.h"
#include "tuner/evaluate/interrupt.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>

namespace pbc::tuner {
namespace {

constexpr std::size_t kMostSeeds = 2; // which are compiled at once where there are two processors

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

/// `pbc emulate` at the sizes of the kernel's transform, with further options.
std::vector<std::string> emulationOf(const ProofSettings &settings, const KernelOption &kernel,
                                     const std::vector<std::string> &options) {
  std::vector<std::string> command{compilerPath(), "emulate", settings.source, "--json",
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

KernelPrediction predictionOf(const ProofSettings &settings, const KernelOption &kernel, int most) {
  constexpr double kMost = 60; // seconds
  return parsePrediction(outputOf(emulationOf(settings, kernel,
                                              {"--kernel=" + kernel.kernelTitle(), "--guide",
                                               fmt::format("--predictions={}", most)}),
                                  kMost),
                         kernel);
}

std::map<std::string, KernelTime> parseKernelTimes(const std::string &text) {
  std::map<std::string, KernelTime> times;
  try {
    const nlohmann::json said = nlohmann::json::parse(text);
    for (const auto &row : said.at("kernels")) { // a kernel may be several pieces
      KernelTime &time = times[row.at("name")];
      time.why = row.value("why", time.why);
      time.seconds += row.value("seconds", 0.0);
    }
  } catch (const nlohmann::json::exception &problem) {
    throw TunerError(fmt::format("what pbc emulate says cannot be read: {}", problem.what()));
  }
  return times;
}

std::map<std::string, KernelTime> timesOf(const ProofSettings &settings,
                                          const std::vector<KernelOption> &kernels) {
  constexpr double kMost = 60; // seconds
  KernelOption all;            // with the sizes of all
  for (const KernelOption &kernel : kernels)
    for (const std::string &size : kernel.sizes)
      if (std::ranges::find(all.sizes, size) == all.sizes.end())
        all.sizes.push_back(size);
  return parseKernelTimes(outputOf(emulationOf(settings, all, {"--times"}), kMost));
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
  // What is in use comes first, so that there is something to compare only if there are two.
  const auto affordable = static_cast<std::size_t>(std::max(0.0, left_ / each_));
  if (affordable < 2)
    return std::vector<double>(scripts.size());
  const double begin = steadySeconds();
  std::vector<std::string> asked{"--kernel=" + kernel.kernelTitle(), "--times"};
  const std::size_t count = std::min(scripts.size(), affordable);
  for (std::size_t k = 0; k < count; ++k)
    asked.push_back("--script=" + scripts[k]);
  std::vector<double> predicted(scripts.size()); // a script that nobody can predict is measured
  try {
    predicted = parseTimes(outputOf(emulationOf(settings_, kernel, asked), kMost), scripts.size());
  } catch (const TunerError &) {
  }
  const double took = steadySeconds() - begin;
  spent_ += took;
  left_ -= took;
  each_ = took / static_cast<double>(count);
  return predicted;
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
