// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report/summary.h"

#include "tuner/report/resampling.h"
#include "tuner/report/words.h"
#include "tuner/space/grid.h"

#include <ctime>
#include <fmt/chrono.h>
#include <nlohmann/json.hpp>

namespace pbc::tuner {
namespace {

/// How many times as fast the result is, from pairs of the same turn, because the speed of the machine
/// varies.
Ratio speedups(const TuneResult &result) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(result.defaultTimes.size(), result.bestTimes.size()); ++i)
    ratios.push_back(result.defaultTimes[i] / std::max(result.bestTimes[i], 1e-9));
  if (!ratios.empty())
    return medianOf(ratios);
  return {result.bestSeconds > 0 ? result.defaultSeconds / result.bestSeconds : 1, {}, false};
}

double speedup(const TuneResult &result) { return speedups(result).value; }

std::string within(const Ratio &ratio) {
  return ratio.interval ? fmt::format(" ({:.2f} to {:.2f})", ratio.interval->low, ratio.interval->high) : "";
}

/// The objective's value of what the result calls one second.
double valueOfSecond(const Summary &summary) {
  const auto value = summary.byDefault ? summary.objective.value(*summary.byDefault) : std::nullopt;
  return value && summary.result.defaultSeconds > 0 ? *value / summary.result.defaultSeconds : 1;
}

/// "31 ms (30.2 ms to 31.9 ms, 15 runs)"
std::string timeInWords(const Summary &summary, double median, const std::vector<double> &times) {
  if (median <= 0)
    return "not measured";
  const auto words = [&](double seconds) {
    return summary.objective.inWords(seconds * valueOfSecond(summary));
  };
  const auto interval = times.empty() ? std::nullopt : medianOf(times).interval;
  return interval ? fmt::format("{} ({} to {}, {} runs)", words(median), words(interval->low),
                                words(interval->high), times.size())
                  : words(median);
}

/// The time in addition to another objective: "31 ms; before, 28 ms".
std::string secondsBeside(const Summary &summary) {
  return summary.tuned && summary.byDefault
             ? fmt::format("{}; {} {}", seconds(summary.tuned->seconds),
                           summary.isRefresh ? "stored" : "default", seconds(summary.byDefault->seconds))
             : "";
}

double trueSeconds(double ofResult, const std::optional<Metrics> &metrics) {
  return metrics ? metrics->seconds : ofResult;
}

/// "0.97 on the worst of 3 inputs that it was not tuned on; the target 0.95 is met"
std::string accuracyWords(const ProgramSpace &space, const std::optional<Verified> &accuracy) {
  if (!accuracy)
    return fmt::format("not verified on other inputs, it was stopped before; the target is {:.6g}",
                       space.goal->target);
  std::string text = fmt::format(
      "{:.6g} on {}", accuracy->accuracy,
      accuracy->otherInputs ? fmt::format("the worst of {} inputs that it was not tuned on", accuracy->inputs)
                            : "the inputs that it was tuned on (no others were given)");
  if (accuracy->mended)
    text += ", made more exact after the race";
  return fmt::format("{}; the target {:.6g} is {}", text, space.goal->target,
                     accuracy->met ? "met" : "MISSED");
}

/// "all 240 points: one alternative at all sizes, about 5 values of each number"
std::string coverageWords(const Coverage &coverage) {
  if (coverage.proposed >= coverage.points)
    return fmt::format("all {} points: {}", coverage.points, coverage.grid);
  return fmt::format("{} of {} points ({:.2g} %): {}", coverage.proposed,
                     coverage.points >= Grid::kHuge ? "more than 10^18" : fmt::format("{}", coverage.points),
                     100 * static_cast<double>(coverage.proposed) / static_cast<double>(coverage.points),
                     coverage.grid);
}

/// The name of the configuration with which the result is compared.
const char *referenceName(const ProgramSpace &space, const Summary &summary) {
  return space.goal ? "at first" : summary.isRefresh ? "stored" : "default";
}

std::string verdict(const ProgramSpace &space, const Summary &summary) {
  const TuneResult &result = summary.result;
  if (space.goal && (result.defaultSeconds <= 0 || result.bestSeconds <= 0))
    return "not known";
  if (space.goal)
    return fmt::format("{:.2f} times {} as the first configuration that met the target", speedup(result),
                       summary.objective.asLittle());
  const char *reference = summary.isRefresh ? "the stored configuration" : "the default";
  if (summary.kept)
    return fmt::format("{}; the earlier configuration stays",
                       summary.sizes != summary.fullSizes ? "the full size was not reached"
                                                          : "nothing better was found before the end");
  if (result.changed)
    return fmt::format("{:.2f} times {} as {}{}", speedup(result), summary.objective.asLittle(), reference,
                       within(speedups(result)));
  if (!result.raced)
    return fmt::format("nothing better than {} was found before the end", reference);
  return fmt::format("{} is {} as anything that was found; it stays", reference,
                     summary.objective.asLittle());
}

/// The result's distance from its bound, and what the bounds have saved.
std::vector<std::pair<std::string, std::string>> boundLines(const Summary &summary) {
  const BoundSummary &bounds = *summary.bounds;
  std::vector<std::pair<std::string, std::string>> lines;
  const double time = summary.result.bestSeconds;
  if (bounds.bound.seconds > 0 && time > 0)
    lines.emplace_back(
        "bound", fmt::format("{} at least with these rules, so the time is {:.2f} times its bound; {}: {}",
                             seconds(bounds.bound.seconds), time / bounds.bound.seconds, bounds.bound.steps,
                             bounds.bound.derivation));
  else
    lines.emplace_back("bound", "none: no rule of the result has one; pbc explain FILE.pbcc --n=N says why");
  lines.emplace_back("left out",
                     fmt::format("{} configurations were not run: their bounds are above times that "
                                 "were measured",
                                 bounds.leftOut));
  for (const std::string &one : bounds.hopeless)
    lines.emplace_back("", one);
  for (const std::string &one : bounds.refutations)
    lines.emplace_back("", "internal error: a bound was too high and was left out; please report it: " + one);
  return lines;
}

/// The same as data.
nlohmann::json boundJson(const Summary &summary) {
  const BoundSummary &bounds = *summary.bounds;
  const double time = summary.result.bestSeconds;
  const bool isKnown = bounds.bound.seconds > 0;
  return {{"seconds", isKnown ? nlohmann::json(bounds.bound.seconds) : nlohmann::json()},
          {"time_over_bound",
           isKnown && time > 0 ? nlohmann::json(time / bounds.bound.seconds) : nlohmann::json()},
          {"limit", bounds.bound.limit},
          {"derivation", bounds.bound.derivation},
          {"remedy", bounds.bound.remedy},
          {"left_out", bounds.leftOut},
          {"cannot_win", bounds.hopeless},
          {"refuted", bounds.refutations}};
}

} // namespace

std::string asText(const ProgramSpace &space, const Summary &summary) {
  const TuneResult &result = summary.result;
  std::string text;
  const auto line = [&](const std::string &left, const std::string &right) {
    text += fmt::format("  {:<14}{}\n", left, right);
  };
  text += fmt::format("{}{}\n", space.goal ? space.program + ", " + space.main : space.program,
                      summary.stopped ? " (stopped early)" : "");
  line("size", summary.sizes + (summary.sizes == summary.fullSizes
                                    ? ""
                                    : " (the full size, " + summary.fullSizes + ", was not reached)"));
  line(referenceName(space, summary), timeInWords(summary, result.defaultSeconds, result.defaultTimes));
  if (!summary.kept)
    line("tuned", timeInWords(summary, result.bestSeconds, result.bestTimes));
  line(summary.objective.isTime() ? "speed-up" : "gain", verdict(space, summary));
  if (!summary.objective.isTime())
    line("objective", summary.objective.name());
  if (const std::string beside = secondsBeside(summary); !beside.empty())
    line("time", beside);
  if (result.keptPrevious)
    line("", "nothing is better than the earlier configuration beyond noise: it stays");
  if (summary.noise.runs > 0)
    line("noise", inWords(summary.noise, summary.isRefresh ? "stored configuration" : "default"));
  if (space.goal)
    line("accuracy", accuracyWords(space, summary.accuracy));
  if (!summary.missed.empty())
    line("", fmt::format("the target is MISSED at {}", fmt::join(summary.missed, "; ")));
  line("measurements",
       fmt::format("{} run, {} remembered, {:.1f} s", summary.runs, summary.remembered, summary.elapsed));
  if (summary.bounds)
    for (const auto &[left, right] : boundLines(summary))
      line(left, right);
  if (result.coverage)
    line("covered", coverageWords(*result.coverage));
  if (summary.examined > 0)
    line("examined",
         fmt::format("on {} inputs of other sizes and values, before the race", summary.examined));
  const auto words = inWords(space, result.best);
  for (std::size_t i = 0; i < words.size(); ++i)
    line(i == 0 ? "choices" : "", words[i]);
  if (!result.faults.empty()) {
    text += "  rejected:\n";
    for (const Fault &fault : result.faults)
      text += fmt::format("    {}\n", inWords(fault));
  }
  line(summary.kept ? "left as it is" : "written to", summary.output);
  if (!summary.journal.empty())
    line("journal", summary.journal);
  if (!summary.report.empty())
    line("report", summary.report);
  return text;
}

std::string asJson(const ProgramSpace &space, const Summary &summary) {
  const TuneResult &result = summary.result;
  nlohmann::json faults = nlohmann::json::array();
  for (const Fault &fault : result.faults)
    faults.push_back({{"suspect", fault.suspect},
                      {"kind", nameOf(fault.kind)},
                      {"reason", fault.reason},
                      {"n", fault.n},
                      {"size", fault.size},
                      {"times", fault.times}});
  nlohmann::json json{{"program", space.program},
                      {"hash", space.hash},
                      {"machine", summary.machine},
                      {"size", summary.sizes},
                      {"full_size", summary.fullSizes},
                      {"objective", summary.objective.name()},
                      {"default_seconds", trueSeconds(result.defaultSeconds, summary.byDefault)},
                      {"changed", result.changed && !summary.kept},
                      {"left_as_it_is", summary.kept},
                      {"kept_previous", result.keptPrevious},
                      {"noise",
                       {{"program", summary.noise.ofProgram},
                        {"runs", summary.noise.runs},
                        {"loop", summary.noise.ofLoop},
                        {"busy_processors", summary.noise.busyProcessors}}},
                      {"raced", result.raced},
                      {"stopped", summary.stopped},
                      {"choices", inWords(space, result.best)},
                      {"measurements", summary.runs},
                      {"remembered", summary.remembered},
                      {"examined_inputs", summary.examined},
                      {"seconds", summary.elapsed},
                      {"rejected", faults},
                      {"output", summary.output},
                      {"journal", summary.journal},
                      {"report", summary.report.empty() ? nlohmann::json() : nlohmann::json(summary.report)}};
  if (summary.bounds)
    json["bound"] = boundJson(summary);
  for (const auto &[key, metrics] :
       {std::pair{"default_metrics", summary.byDefault}, {"tuned_metrics", summary.tuned}})
    for (const Metric metric : kMetrics)
      if (metrics && summary.objective.wants(metric))
        json[key][nameOf(metric)] = metrics->of(metric);
  if (!summary.kept) { // the kept configuration is an earlier one, whose time is not known
    json["tuned_seconds"] = trueSeconds(result.bestSeconds, summary.tuned);
    json["speedup"] = speedup(result);
  }
  if (!result.strategy.empty())
    json["strategy"] = result.strategy;
  if (result.coverage)
    json["coverage"] = {{"proposed", result.coverage->proposed},
                        {"points", result.coverage->points},
                        {"grid", result.coverage->grid}};
  if (const Ratio ratio = speedups(result); ratio.interval && !summary.kept)
    json["speedup_interval"] = {ratio.interval->low, ratio.interval->high};
  if (space.goal && !summary.accuracy)
    json["accuracy"] = {{"transform", space.main}, {"target", space.goal->target}, {"verified", nullptr}};
  if (summary.accuracy)
    json["accuracy"] = {{"transform", space.main},
                        {"target", space.goal->target},
                        {"verified", summary.accuracy->accuracy},
                        {"inputs", summary.accuracy->inputs},
                        {"other_inputs", summary.accuracy->otherInputs},
                        {"met", summary.accuracy->met},
                        {"missed_at", summary.missed}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Provenance madeBy(const ProgramSpace &space, const Summary &summary, const Effort &effort) {
  Provenance made;
  made.tool = space.compiler;
  made.date = dateNow();
  made.machine = space.machine;
  if (!made.machine.isKnown())
    made.machine.processor = summary.machine;
  made.effort = effort.name;
  made.budget = effort.budget;
  made.seed = effort.seed;
  made.sizes = summary.tunedSizes;
  made.measurements = summary.runs;
  made.objective = summary.objective.name();
  made.defaultSeconds = trueSeconds(summary.result.defaultSeconds, summary.byDefault);
  made.tunedSeconds = trueSeconds(summary.result.bestSeconds, summary.tuned);
  made.transforms = space.transforms;
  return made;
}

std::vector<std::string> provenance(const ProgramSpace &space, const Summary &summary) {
  const TuneResult &result = summary.result;
  std::vector<std::string> lines{
      fmt::format("{} for {} on {:%Y-%m-%d %H:%M} UTC.", kMadeByTune, space.program,
                  fmt::gmtime(std::time(nullptr))),
      "machine: " + summary.machine,
      (space.bins.size() > 1 ? space.main + " at size: " : "size: ") + summary.sizes,
      summary.front.empty()
          ? fmt::format("{}: {}, tuned: {} ({:.2f} times {}{})", referenceName(space, summary),
                        timeInWords(summary, result.defaultSeconds, {}),
                        timeInWords(summary, result.bestSeconds, {}), speedup(result),
                        summary.objective.asLittle(), result.raced ? "" : "; not raced, stopped early")
          : summary.front,
      fmt::format("effort: {}, {} measurements in {:.0f} s", summary.effort, summary.runs, summary.elapsed)};
  if (space.goal)
    lines.push_back(fmt::format("accuracy of {}: {}", space.main, accuracyWords(space, summary.accuracy)));
  for (std::string &line : lines)
    line = asOneLine(std::move(line)); // as a comment is
  return lines;
}

} // namespace pbc::tuner
