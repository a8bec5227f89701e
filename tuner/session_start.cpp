#include "tuner/session_start.h"

#include "tuner/space/toml.h"
#include "tuner/write_file.h"

#include <filesystem>
#include <fmt/format.h>

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

std::string inputsKey(const TuneOptions &options) {
  std::string key = options.threads > 0 ? fmt::format(" threads={}", options.threads) : "";
  for (const std::string &input : options.inputs) {
    std::error_code ignored;
    key += fmt::format(" {}:{}:{}", fs::absolute(input).string(), fs::file_size(input, ignored),
                       fs::last_write_time(input, ignored).time_since_epoch().count());
  }
  return options.inputs.empty() ? key + fmt::format(" seed={}", options.seed) : key;
}

std::string reportPath(const TuneOptions &options, const std::string &output) {
  if (options.report == "none")
    return "";
  return options.report.empty() ? fs::path(output).replace_extension(".tune.html").string() : options.report;
}

} // namespace pbc::tuner
