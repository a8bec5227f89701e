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

/// "393.9 us on one core; no schedule takes less than 358.6 us: at most 9.8 % less time"
std::string inWords(const KernelProof &proof) {
  if (!proof.why.empty())
    return "not searched: " + proof.why;
  std::string text = fmt::format("at {}, {} on one core", proof.sizes, seconds(proof.best));
  if (proof.bound <= 0)
    return text + "; no term of the bound is about what it does";
  return text +
         fmt::format("; no schedule of the space takes less than {}: the time is {:.2f} times the bound",
                     seconds(proof.bound), proof.gap());
}

/// Lines about what was predicted.
std::string predictionsInWords(const KernelSummary &summary) {
  std::string text;
  for (const KernelPrediction &p : summary.predictions) {
    text += fmt::format("  {} {}: {}\n", text.empty() ? "predictions  " : "             ", p.title(),
                        p.why.empty() ? p.limit : p.why);
    if (p.timesAsFast > 1)
      text += fmt::format("                  tried first, as {:.2f} times as fast is predicted: {}\n",
                          p.timesAsFast, p.script);
  }
  if (const KernelSearchResult &r = summary.result; !summary.predictions.empty())
    text += fmt::format(
        "                  {} edits left out, as they are predicted to be slow; {}\n", r.leftOut,
        r.isModelUsed
            ? fmt::format("measured ratios differ from predicted ones {:.2f} times in the median",
                          r.modelFactor)
            : fmt::format("none any more after measured ratios differed from predicted ones {:.2f} times",
                          r.modelFactor));
  return text;
}

/// Lines about the search by lower bounds.
std::string proofsInWords(const KernelSummary &summary) {
  std::string text;
  for (const KernelProof &proof : summary.proofs) {
    text += fmt::format("  {} {}: {}\n", text.empty() ? "proofs       " : "             ", proof.title(),
                        inWords(proof));
    const auto more = [&](const std::string &line) { text += fmt::format("                  {}\n", line); };
    if (!proof.limit.empty())
      more(proof.limit);
    if (proof.why.empty())
      more(fmt::format("{:.3g} programs, {} measured, {} regions cut; {}", proof.programs, proof.measured,
                       proof.cut,
                       isLeftAlone(proof, summary.enough)
                           ? "it is near enough to its bound: nothing but its tasks was edited"
                       : proof.isDefault ? "the compiler's own schedule is the fastest of them"
                                         : "the fastest of them was tried: " + proof.script));
    for (const std::string &one : proof.refuted)
      more("internal error: a bound was too high and was left out; please report it: " + one);
  }
  return text;
}

nlohmann::json asJson(const KernelProof &proof, double enough) {
  nlohmann::json json{{"kernel", proof.title()}};
  if (!proof.why.empty()) {
    json["why"] = proof.why;
    return json;
  }
  json.update({{"sizes", proof.sizes},
               {"best_seconds", proof.best},
               {"bound_seconds", proof.bound > 0 ? nlohmann::json(proof.bound) : nlohmann::json()},
               {"gap", proof.bound > 0 ? nlohmann::json(proof.gap()) : nlohmann::json()},
               {"script", proof.script},
               {"is_default", proof.isDefault},
               {"limit", proof.limit},
               {"space", proof.programs},
               {"measured", proof.measured},
               {"cut", proof.cut},
               {"left_alone", isLeftAlone(proof, enough)},
               {"refuted", proof.refuted}});
  return json;
}

} // namespace

bool isLeftAlone(const KernelProof &proof, double enough) {
  return proof.isOfRun && proof.bound > 0 && proof.gap() <= enough;
}

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
  text += predictionsInWords(summary) + proofsInWords(summary);
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
  nlohmann::json json{
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
  for (const KernelPrediction &p : summary.predictions)
    json["predictions"].push_back(p.why.empty() ? nlohmann::json{{"kernel", p.title()},
                                                                 {"limit", p.limit},
                                                                 {"script", p.script},
                                                                 {"times_as_fast", p.timesAsFast}}
                                                : nlohmann::json{{"kernel", p.title()}, {"why", p.why}});
  if (!summary.predictions.empty())
    json["model"] = {{"left_out", summary.result.leftOut},
                     {"factor", summary.result.modelFactor},
                     {"used", summary.result.isModelUsed},
                     {"seconds", summary.predictionSeconds}};
  for (const KernelProof &proof : summary.proofs)
    json["proofs"].push_back(asJson(proof, summary.enough));
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
