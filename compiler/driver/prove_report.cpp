// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/prove_report.h"
#include "compiler/driver/time_text.h"
#include "compiler/search/count.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::driver {
namespace {

search::State stateOf(const search::Model &model, const search::Implementation &best) {
  search::State state(model.problem(best.root));
  state.take(best.domains);
  return state;
}

/// Of the space that may have the fastest program.
std::string limitOfAll(const search::Model &model) {
  double least = HUGE_VAL;
  std::string text;
  for (std::size_t root = 0; root < model.roots(); ++root) {
    search::State state(model.problem(root));
    if (!state.propagate())
      continue;
    if (const double seconds = model.bound(root, state).seconds; seconds < least) {
      least = seconds;
      text = model.explain(root, state);
    }
  }
  return text;
}

std::string scriptText(const Json &script) {
  const std::string text = script.get<std::string>();
  return text.empty() ? "its loops as they are" : text;
}

} // namespace

std::string gapText(double gap) { return fmt::format("{:.1f} %", (gap - 1) * 100); }

void describeSearch(const search::Model &model, const search::SearchResult &result, Json &out) {
  search::Count space;
  for (std::size_t root = 0; root < model.roots(); ++root) {
    search::State state(model.problem(root));
    if (!state.propagate())
      continue;
    const search::Count count = search::countLeaves(state, {.mostStates = 2000});
    space.leaves += count.leaves;
    space.isExact = space.isExact && count.isExact;
  }
  const search::SearchStatistics &s = result.statistics;
  if (result.bestSeconds > 0) {
    out["best_seconds"] = result.bestSeconds;
    out["script"] = result.best ? Json(model.lineOf(result.best->root, stateOf(model, *result.best)))
                                : out["default_script"];
  }
  out["bound_seconds"] = result.bound > 0 ? Json(result.bound) : Json();
  out["gap"] = result.gap() > 0 ? Json(result.gap()) : Json();
  out["complete"] = result.isComplete;
  out["space"] = double(space.leaves);
  out["space_exact"] = space.isExact;
  out["measured"] = s.measured;
  out["not_measured"] = s.notMeasured;
  out["divided"] = s.divided;
  out["cut"] = s.cut;
  Json by = Json::object();
  for (std::size_t limit = 0; limit < s.cutBy.size(); ++limit)
    if (s.cutBy[limit] > 0)
      by[std::string(model.limitNames()[limit])] = s.cutBy[limit];
  out["cut_by"] = std::move(by);
  Json depths = Json::array();
  for (const search::DepthStatistics &depth : s.depths)
    depths.push_back({{"divided", depth.divided}, {"cut", depth.cut}});
  out["depths"] = std::move(depths);
  if (result.bestSeconds > 0)
    out["limit"] =
        result.best ? model.explain(result.best->root, stateOf(model, *result.best)) : limitOfAll(model);
  else
    out["why"] = "no implementation could be measured: " + result.refusal;
  std::vector<double> tightness = s.tightness;
  if (!tightness.empty()) {
    std::sort(tightness.begin(), tightness.end());
    const auto quartile = [&](std::size_t q) { return tightness[(tightness.size() - 1) * q / 4]; };
    out["bound_over_time"] = {quartile(0), quartile(1), quartile(2), quartile(3), quartile(4)};
  }
  if (!model.refutations().empty())
    out["refuted"] = model.refutations();
}

std::string proveText(const Json &kernel) {
  std::string text =
      fmt::format("kernel {}, {}\n", kernel["kernel"].get<std::string>(), kernel["sizes"].get<std::string>());
  if (kernel.contains("why"))
    return text + fmt::format("  not searched: {}\n", kernel["why"].get<std::string>());
  if (kernel.contains("record"))
    return text + fmt::format("  recorded: {} programs, {} scripts, in {}\n", kernel["programs"].get<long>(),
                              kernel["scripts"].get<long>(), kernel["record"].get<std::string>());
  text += fmt::format("  best:    {}, by {}\n", timeText(kernel["best_seconds"].get<double>()),
                      scriptText(kernel["script"]));
  if (kernel["gap"].is_null())
    text += "  bound:   none: no term of the bound is about what it does\n";
  else
    text += fmt::format("  bound:   {}; gap at most {}{}\n", timeText(kernel["bound_seconds"].get<double>()),
                        gapText(kernel["gap"].get<double>()),
                        kernel["complete"].get<bool>() ? ", nothing in the space is faster" : "");
  if (kernel.contains("default_seconds"))
    text += fmt::format("  default: {}, by {}\n", timeText(kernel["default_seconds"].get<double>()),
                        scriptText(kernel["default_script"]));
  if (kernel.contains("limit"))
    text += fmt::format("  limit:   {}\n", kernel["limit"].get<std::string>());
  std::vector<std::string> by;
  for (const auto &[name, count] : kernel["cut_by"].items())
    by.push_back(fmt::format("{} by {}", count.get<long>(), name));
  text += fmt::format(
      "  space:   {}{:.3g} programs; {} measured, {} not measured, {} regions divided, {} cut{}{}\n",
      kernel["space_exact"].get<bool>() ? "" : "about ", kernel["space"].get<double>(),
      kernel["measured"].get<long>(), kernel["not_measured"].get<long>(), kernel["divided"].get<long>(),
      kernel["cut"].get<long>(), by.empty() ? "" : ": ", fmt::join(by, ", "));
  if (kernel.contains("bound_over_time"))
    text += fmt::format(
        "  bounds:  {:.2f} of the time, with quartiles {:.2f}, {:.2f} and {:.2f}, at most {:.2f}\n",
        kernel["bound_over_time"][0].get<double>(), kernel["bound_over_time"][1].get<double>(),
        kernel["bound_over_time"][2].get<double>(), kernel["bound_over_time"][3].get<double>(),
        kernel["bound_over_time"][4].get<double>());
  if (kernel.contains("refuted"))
    for (const Json &one : kernel["refuted"])
      text += fmt::format("  internal error: a bound was too high and was left out; please report it: {}\n",
                          one.get<std::string>());
  return text;
}

} // namespace pbc::driver
