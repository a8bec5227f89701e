// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/session_start.h"

#include "tuner/space/toml.h"
#include "tuner/write_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>

namespace pbc::tuner {

namespace fs = std::filesystem;

bool isFor(const ProgramSpace &space, const std::string &text, const std::string &path) {
  try {
    fromToml(space, text, path);
    return true;
  } catch (const TunerError &) {
    return false;
  }
}

std::vector<Configuration> earlierResult(const ProgramSpace &space, const std::string &path,
                                         Progress &progress) {
  const std::string text = textOf(path);
  if (text.empty())
    return {};
  try {
    const Configuration configuration = fromToml(space, text, path);
    if (configuration == Configuration::defaults(space))
      return {};
    return {configuration};
  } catch (const TunerError &problem) {
    progress.note(fmt::format("{} is not used as a start, and will be replaced: {}", path, problem.what()));
    return {};
  }
}

double budgetOf(const TuneOptions &options) {
  if (options.budget > 0)
    return options.budget;
  return options.effort == "instant" ? 5
         : options.effort == "full"  ? 600
         : options.effort == "prove" ? 1800
                                     : 50;
}

ChosenStrategy strategyFor(const TuneOptions &options, double budget, double seconds) {
  if (!options.strategy.empty())
    return parseStrategy(options.strategy);
  if (options.effort == "instant")
    return parseStrategy("seeding");
  if (options.effort != "prove")
    return {};
  ChosenStrategy chosen = parseStrategy("exhaustive");
  // The grid is as fine as the budget allows: a run costs about a millisecond in addition to its time.
  const double affordable = options.trials > 0 ? options.trials : 0.5 * budget / (seconds + 0.001);
  chosen.values["points"] = std::clamp(std::floor(affordable), 2.0, 1e7);
  return chosen;
}

Sizes largestSizes(const Provenance &origin, const ProgramSpace &space) {
  Sizes sizes;
  std::istringstream words(origin.sizes.empty() ? "" : origin.sizes.back()); // "h=1000 w=1500"
  for (std::string word; words >> word;) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string name = word.substr(0, equals);
    const long value = std::atol(word.c_str() + std::min(equals + 1, word.size()));
    if (value > 0 && std::ranges::count(space.sizes, name) > 0)
      sizes[name] = value;
  }
  return sizes;
}

std::string conditionsKey(const TuneOptions &options, const ProgramSpace &space) {
  std::string key = options.threads > 0 ? fmt::format(" threads={}", options.threads) : "";
  for (const std::string &input : options.inputs) {
    std::error_code ignored;
    key += fmt::format(" {}:{}:{}", fs::absolute(input).string(), fs::file_size(input, ignored),
                       fs::last_write_time(input, ignored).time_since_epoch().count());
  }
  if (options.inputs.empty())
    key += fmt::format(" seed={}", options.seed);
  return space.goal ? key + " " + space.main : key;
}

} // namespace pbc::tuner
