// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/kernels/kernel_summary.h"

#include "tuner/report/words.h"

#include <algorithm>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pbc::tuner {
namespace {

double speedup(const KernelSearchResult &result) {
  return result.bestSeconds > 0 ? result.startSeconds / result.bestSeconds : 1;
}

std::string verdict(const KernelSearchResult &result) {
  if (result.changed)
    return fmt::format("{:.2f} times as fast", speedup(result));
  if (!result.raced)
    return "not raced, stopped early";
  return result.isDone ? "what it had is as fast as anything that was tried; it stays"
                       : "nothing faster was found in the time given";
}

/// A slow variant is not a fault; one that hangs is.
bool isNamed(const Fault &fault) {
  return fault.kind != Failure::TooSlow || fault.reason.find("hangs") != std::string::npos;
}

} // namespace

std::string asText(const KernelSummary &summary) {
  const KernelSearchResult &result = summary.result;
  std::string text;
  const auto line = [&](const std::string &left, const std::string &right) {
    text += fmt::format("  {:<14}{}\n", left, right);
  };
  text += fmt::format("{}, kernels{}\n", summary.program, summary.stopped ? " (stopped early)" : "");
  line("size", summary.size);
  if (result.raced) {
    line("before", seconds(result.startSeconds));
    line("tuned", seconds(result.bestSeconds));
  }
  line("speed-up", verdict(result));
  line("variants", fmt::format("{} tried, {} compiled, {:.1f} s{}", result.tried, summary.compiled,
                               summary.elapsed, result.isDone ? ", all that there are" : ""));
  const auto words = inWords(result.best);
  for (std::size_t i = 0; i < words.size(); ++i)
    line(i == 0 ? "kernels" : "", words[i]);
  if (words.empty())
    line("kernels", "as pbc makes them");
  if (std::any_of(result.faults.begin(), result.faults.end(), isNamed)) {
    text += "  rejected:\n";
    for (const Fault &fault : result.faults)
      if (isNamed(fault))
        text += fmt::format("    {} {}\n", fault.suspect, firstLine(fault.reason));
  }
  line("program", summary.program);
  line("written to",
       summary.configuration.empty() ? "no configuration: it would say nothing" : summary.configuration);
  line("journal", summary.journal);
  return text;
}

std::string asJson(const KernelSummary &summary) {
  const KernelSearchResult &result = summary.result;
  nlohmann::json faults = nlohmann::json::array();
  for (const Fault &fault : result.faults)
    faults.push_back({{"suspect", fault.suspect}, {"kind", nameOf(fault.kind)}, {"reason", fault.reason}});
  const nlohmann::json json{
      {"program", summary.program},
      {"machine", summary.machine},
      {"size", summary.size},
      {"default_seconds", result.raced ? nlohmann::json(result.startSeconds) : nlohmann::json()},
      {"tuned_seconds", result.raced ? nlohmann::json(result.bestSeconds) : nlohmann::json()},
      {"speedup", result.raced ? nlohmann::json(speedup(result)) : nlohmann::json()},
      {"changed", result.changed},
      {"raced", result.raced},
      {"done", result.isDone},
      {"stopped", summary.stopped},
      {"kernels", inWords(result.best)},
      {"tried", result.tried},
      {"compiled", summary.compiled},
      {"measurements", summary.runs},
      {"seconds", summary.elapsed},
      {"rejected", faults},
      {"output", summary.configuration.empty() ? nlohmann::json() : nlohmann::json(summary.configuration)},
      {"journal", summary.journal}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::vector<std::string> provenance(const KernelSummary &summary) {
  const KernelSearchResult &result = summary.result;
  return {fmt::format(
              "Made by pbc tune --kernels on {:%Y-%m-%d %H:%M} UTC; pbc SOURCE --config=FILE compiles with "
              "them.",
              fmt::gmtime(std::time(nullptr))),
          fmt::format("machine: {}; size: {}", summary.machine, summary.size),
          result.raced ? fmt::format("before: {}, tuned: {} ({})", seconds(result.startSeconds),
                                     seconds(result.bestSeconds), verdict(result))
                       : fmt::format("before and after were not compared ({})", verdict(result))};
}

} // namespace pbc::tuner
