// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/emulate_processor.h"
#include "compiler/driver/emulate_report.h"
#include "compiler/driver/problems.h"
#include "compiler/kernel/schedule_space.h"
#include "compiler/search/predict/processor_predictor.h"
#include "compiler/search/prove/machine_times.h"
#include "compiler/syntax/parse.h"
#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace pbc::driver {
namespace {

using Json = nlohmann::ordered_json;

/// Texts of scripts, as they were written and as they were read.
using Scripts = std::vector<std::pair<std::string, script::Script>>;
Scripts read(const std::vector<std::string> &texts) {
  Scripts all;
  source::SourceManager sources;
  source::Diagnostics diagnostics(sources);
  for (const std::string &text : texts)
    if (const auto steps = syntax::parseScript(sources.add("--script", text), diagnostics))
      all.emplace_back(text, *steps);
  if (diagnostics.hasErrors())
    throw Refusal(diagnostics.render(isatty(STDERR_FILENO) != 0));
  return all;
}

class OnProcessor {
public:
  OnProcessor(const kernel::Scheduled &lifted, const std::map<std::string, long> &values,
              const emulate::ProcessorCore &core, const ProcessorQuestion &question, const Scripts &scripts)
      : scheduler_(lifted), core_(core), question_(question), scripts_(scripts),
        predictor_(lifted, values, core) {
    if (question_.isMeasured)
      times_ = std::make_unique<search::MachineTimes>(lifted, values, journal_);
  }

  std::vector<Json> all() {
    add(scheduler_.schedule());
    if (question_.alsoOthers)
      for (const kernel::OptionSpace &option : kernel::spaceOf(scheduler_, {}))
        for (const std::string &value : option.others)
          add(scheduler_.schedule({{option.option, value}}));
    for (const auto &[text, steps] : scripts_)
      add(text, scheduler_.follow(steps));
    if (question_.isGuided) {
      const search::ProcessorPredictor::Proposed proposed =
          predictor_.propose(scheduler_, question_.mostPredictions);
      Json path = Json::array(), schedules = Json::array();
      for (const kernel::Asked &asked : proposed.path) {
        path.push_back(asked);
        schedules.push_back(script::line(scheduler_.schedule(asked).report.script));
      }
      rows_.front()["try"] = {{"schedule", script::line(proposed.best.report.script)},
                              {"seconds", proposed.guided.seconds},
                              {"times_as_fast", proposed.guided.first / proposed.guided.seconds},
                              {"path", path},
                              {"path_schedules", schedules},
                              {"predictions", proposed.guided.predictions}};
      measure(proposed.best, rows_.front()["try"]);
    }
    return std::move(rows_);
  }

private:
  /// Of other schedules than the default, what may be their limit: most of the time is that of the analysis.
  emulate::AnalysisOptions depth() const {
    constexpr double kUsed = 0.25, kNever = 2;
    if (question_.onlyTimes)
      return {.regions = false, .least = kNever, .halves = false};
    return rows_.empty() ? emulate::AnalysisOptions{}
                         : emulate::AnalysisOptions{.regions = false, .least = kUsed, .halves = false};
  }

  /// A schedule that is not among the rows yet.
  void add(const kernel::Planned &planned) {
    const std::string schedule = script::line(planned.report.script);
    if (std::any_of(rows_.begin(), rows_.end(), [&](const Json &row) { return row["schedule"] == schedule; }))
      return;
    rows_.push_back(predicted(planned, {{"name", scheduler_.lifted().name}, {"schedule", schedule}}));
  }

  /// One that was asked for has a row of its own, whichever others there are.
  void add(const std::string &text, const kernel::Planned &planned) {
    Json out = {{"name", scheduler_.lifted().name}, {"script", text}};
    if (planned.report.refused.empty()) {
      out["schedule"] = script::line(planned.report.script);
      rows_.push_back(predicted(planned, std::move(out)));
      return;
    }
    const kernel::Note &note = planned.report.refused.front();
    out["why"] = fmt::format("{}: {}", note.transformation, note.why);
    rows_.push_back(std::move(out));
  }

  Json predicted(const kernel::Planned &planned, Json out) {
    try {
      const search::Prediction p = predictor_.of(planned, depth());
      if (!question_.onlyTimes)
        addTo(out, p.analysis, p.trace, core_.core);
      out["seconds"] = p.seconds;
      out["is_steady"] = p.isSteady;
      if (question_.showsTrace)
        out["trace"] = emulate::textOf(p.trace, core_.core);
    } catch (const search::NotPredicted &reason) {
      out["why"] = reason.what();
    }
    measure(planned, out);
    return out;
  }

  void measure(const kernel::Planned &planned, Json &out) {
    if (!times_)
      return;
    const search::Measurement measured = times_->of(planned.report.script, 0);
    if (measured.fate == search::Fate::Measured)
      out["measured_seconds"] = measured.seconds;
  }

  kernel::Scheduler scheduler_;
  const emulate::ProcessorCore &core_;
  const ProcessorQuestion &question_;
  const Scripts &scripts_;
  const search::ProcessorPredictor predictor_;
  search::Journal journal_;
  std::unique_ptr<search::MachineTimes> times_;
  std::vector<Json> rows_;
};

} // namespace

Json describeOnProcessor(const ProcessorQuestion &question, const model::Machine &machine) {
  const emulate::ProcessorCore core = search::coreOf(machine);
  const Scripts scripts = read(question.scripts);
  const KernelInput input("pbc emulate", question.request);
  Json all = Json::array();
  for (const kernel::Scheduled &kernel : input.kernels())
    try {
      for (Json &row : OnProcessor(kernel, input.valuesOf(kernel), core, question, scripts).all())
        all.push_back(std::move(row));
    } catch (const search::NotPredicted &reason) {
      all.push_back({{"name", kernel.name}, {"why", reason.what()}});
    } catch (const search::Unsearchable &reason) {
      all.push_back({{"name", kernel.name}, {"why", reason.what()}});
    }
  return all;
}

} // namespace pbc::driver
