// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report/page.h"

#include "tuner/report/bound_rows.h"
#include "tuner/report/drawings.h"
#include "tuner/report/explain.h"
#include "tuner/report/limit_rows.h"
#include "tuner/report/page_parts.h"
#include "tuner/report/words.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>

namespace pbc::tuner {
namespace {

class PartPage {
public:
  PartPage(const Part &part, std::size_t rows, std::string identity)
      : part_(part), rows_(rows), identity_(std::move(identity)) {}

  std::string text() {
    algorithm();
    choices();
    if (!part_.recording.trials.empty()) {
      progress();
      influence();
      rejected();
    }
    bounds();
    limits();
    return std::move(text_);
  }

private:
  const std::string &sizeName(int size) const {
    return part_.recording.sizes[static_cast<std::size_t>(size)].name;
  }

  void head(const std::string &title) { text_ += "<h2>" + escaped(title) + "</h2>\n"; }
  void say(const std::string &words, const char *kind = "") {
    text_ += fmt::format("<p{}>{}</p>\n", *kind ? fmt::format(" class=\"{}\"", kind) : "", escaped(words));
  }
  void left(std::size_t count, const std::string &of) {
    if (count > 0)
      say(fmt::format("{} more {} are left out here; pbc explain has them.", count, of), "note");
  }

  void algorithm() {
    head("The resulting algorithm");
    const long largest =
        part_.recording.largest < 0 ? 1 << 16 : part_.recording.sizes[part_.recording.largest].n;
    std::size_t drawn = 0, all = 0;
    for (std::size_t i = 0; i < part_.space.sites.size(); ++i) {
      const Site &site = part_.space.sites[i];
      if (!site.isOpen())
        continue;
      if (++all; drawn >= rows_)
        continue;
      ++drawn;
      const Selector &selector = part_.configuration.selectors()[i];
      text_ += "<h3>" + escaped(site.title()) + "</h3>\n";
      if (!site.doc.empty())
        say(site.doc);
      if (selector.levels().size() == 1) { // one outcome: there is nothing to draw
        say(fmt::format("{} at every size.", site.alternatives[selector.levels().front().use].name));
        continue;
      }
      text_ += "<figure>" + selectorDrawing(site, selector, largest, fmt::format("{}site{}", identity_, i)) +
               "<figcaption>Which alternative a call of size n takes, from left to right as in the table; n "
               "is drawn "
               "by factors of two.</figcaption></figure>\n";
      Table table("The same as numbers", {"Alternative", "from n", "below n"}, {false, true, true});
      for (std::size_t level = 0; level < selector.levels().size(); ++level)
        table.row({site.alternatives[selector.levels()[level].use].name,
                   fmt::format("{}", selector.lowest(static_cast<int>(level))),
                   selector.levels()[level].below == kNoLimit
                       ? "no limit"
                       : fmt::format("{}", selector.levels()[level].below)});
      text_ += table.done();
    }
    left(all - drawn, "choices");
    if (all == 0)
      say("The program has no choice between alternatives.");
  }

  void choices() {
    head("Winner, runner-up and the gap between them");
    say("For each choice and tunable: what the configuration decides, the best recorded configuration that "
        "decides "
        "otherwise, and how much longer that one takes, with a 95 % interval. Times are medians of all "
        "recorded runs. In brackets: how often it was run.",
        "note");
    Table table("Decisions at the largest size at which there was something to compare with",
                {"Decision", "Winner", costTitle(), "Runner-up", costTitle(), "Runner-up is", "At"},
                {false, false, true, false, true, false, false});
    std::size_t shown = 0, hidden = 0, silent = 0;
    for (std::size_t i = 0; i < part_.analysis.decisions.size(); ++i) {
      const DecisionResult &result = part_.analysis.decisions[i];
      if (!isWorthALine(part_, i)) {
        ++silent;
        continue;
      }
      if (shown++ >= rows_) {
        ++hidden;
        continue;
      }
      const std::string title = result.decision.title(part_.space);
      const Comparison *last = result.last();
      if (!last) {
        table.row({title, shortened(result.decision.chosen(part_.space, part_.configuration), 200), "", "",
                   "", result.hasEffect ? "nothing else was measured" : "no effect here", ""});
        continue;
      }
      table.row({title, nameOf(result, last->winner), timeOf(last->winner), nextInWords(part_, result, *last),
                 timeOf(last->next), gapInWords(*last, part_.objective), sizeName(last->size)});
    }
    if (!table.isEmpty())
      text_ += table.done();
    left(hidden, "decisions");
    if (silent > 0)
      say(fmt::format("{} more decisions are at their defaults or as for smaller sizes.", silent), "note");
    flips();
  }

  std::string nameOf(const DecisionResult &result, const Best &best) const {
    const std::string name = result.decision.className(part_.space, best.number);
    const bool isOwn = !result.decision.isSite && best.number == result.winner;
    const std::string value = isOwn ? result.decision.chosen(part_.space, part_.configuration) : name;
    return value == name ? name : fmt::format("{} (of {})", value, name);
  }

  /// The title of a column with values of the objective.
  std::string costTitle() const {
    std::string title = part_.objective.name();
    title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
    return title;
  }

  std::string timeOf(const Best &best) const {
    return best.isAtLeast ? "over " + part_.objective.inWords(best.seconds)
                          : fmt::format("{} ({})", part_.objective.inWords(best.seconds), best.runs);
  }

  /// The choices at every size that was measured.
  void flips() {
    std::size_t shown = 0;
    for (const DecisionResult &result : part_.analysis.decisions) {
      if (!result.decision.isSite || !result.last() || ++shown > rows_ / 4)
        continue;
      const std::string title = result.decision.title(part_.space);
      Table table(fmt::format("{} at each size; in brackets the number of runs", title),
                  {"Size", "Taken", costTitle(), "Next", costTitle(), "Next is"},
                  {false, false, true, false, true, false});
      for (const Comparison &comparison : result.at) {
        const bool hasNext = comparison.next.number >= 0;
        table.row({sizeName(comparison.size),
                   result.decision.className(part_.space, comparison.winner.number),
                   timeOf(comparison.winner), hasNext ? nextInWords(part_, result, comparison) : "",
                   hasNext ? timeOf(comparison.next) : "",
                   hasNext ? gapInWords(comparison, part_.objective) : "nothing else was measured"});
      }
      text_ += fmt::format("<details><summary>{} at each size</summary>\n{}</details>\n", escaped(title),
                           table.done());
    }
  }

  void progress() {
    head("How the search went");
    const Analysis &analysis = part_.analysis;
    if (analysis.progress.empty())
      return say("No trial had a time.");
    text_ +=
        "<figure>" + progressDrawing(part_, Across::Seconds, identity_ + "seconds") +
        "<figcaption>Best so far against time; pauses between sessions are left out.</figcaption></figure>\n";
    text_ += "<figure>" + progressDrawing(part_, Across::Trials, identity_ + "trials") +
             "<figcaption>Best so far against trials.</figcaption></figure>\n";
    Table table("Medians of what was measured",
                {"Size", "Default", "Best", fmt::format("Times {}", part_.objective.asLittle()),
                 "Found after", "Trial"},
                {false, true, true, true, true, true});
    for (const ProgressLine &line : analysis.progress) {
      const ProgressPoint &last = line.points.back();
      table.row({sizeName(line.size),
                 line.byDefault > 0 ? part_.objective.inWords(line.byDefault) : "not measured",
                 part_.objective.inWords(last.seconds),
                 line.byDefault > 0 ? fmt::format("{:.2f}", line.byDefault / last.seconds) : "",
                 fmt::format("{:.1f} s", last.at), fmt::format("{}", last.trial)});
    }
    text_ += table.done();
  }

  void influence() {
    const Recording &recording = part_.recording;
    if (recording.largest < 0)
      return;
    head("What mattered");
    std::vector<const DecisionResult *> order;
    for (const DecisionResult &result : part_.analysis.decisions)
      if (result.hasEffect && (result.share > 0.005 || result.pairs > 0))
        order.push_back(&result);
    std::stable_sort(order.begin(), order.end(),
                     [](const DecisionResult *a, const DecisionResult *b) { return a->share > b->share; });
    if (order.empty())
      return say("Too few configurations were measured at the largest size to tell.");
    std::vector<InfluenceRow> rows;
    for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 12); ++i)
      rows.push_back({order[i]->decision.title(part_.space), order[i]->share});
    text_ +=
        "<figure>" + influenceDrawing(rows, identity_ + "influence") +
        fmt::format("<figcaption>Share of the variance of {} (logarithms) at {} that goes with each decision."
                    "</figcaption></figure>\n",
                    part_.objective.isTime() ? "times" : part_.objective.name(),
                    escaped(sizeName(recording.largest)));
    Table table("Effect of each decision among the trials at " + sizeName(recording.largest),
                {"Decision", "Share of variance", "Changed alone, the others are",
                 fmt::format("Times the {}, 95 % interval", part_.objective.name()), "Pairs"},
                {false, true, true, true, true});
    for (std::size_t i = 0; i < std::min(order.size(), rows_); ++i) {
      const DecisionResult &result = *order[i];
      const bool hasInterval = result.alone && result.alone->interval;
      table.row({result.decision.title(part_.space), fmt::format("{:.0f} %", 100 * result.share),
                 result.alone ? timesInWords(result.alone->value, part_.objective) : "",
                 hasInterval ? fmt::format("{:.2f} to {:.2f}", result.alone->interval->low,
                                           result.alone->interval->high)
                             : "",
                 fmt::format("{}", result.pairs)});
    }
    text_ += table.done();
    left(order.size() - std::min(order.size(), rows_), "decisions");
    text_ += "<details><summary>How this is computed</summary>\n"
             "<p>Share: epsilon squared of a one-way analysis of variance over the logarithms of the median "
             "times of all "
             "configurations tried at that size, sorted by what the decision is for that size (alternatives; "
             "numbers by "
             "powers of two or by eighths of their range). What as many classes would explain by chance is "
             "taken off. A search "
             "changes several decisions together, so shares overlap and need not add up to 100 %.</p>\n"
             "<p>Changed alone: pairs of configurations that a call of that size can tell apart by this "
             "decision only; the "
             "median of the ratios of their times, with an interval by order statistics (none for fewer than "
             "six pairs).</p>\n"
             "<p>The gap between winner and runner-up is the ratio of the medians of two configurations: the "
             "one in use (or the "
             "best that decides alike) and the best that decides otherwise. Its interval is a bootstrap of "
             "1000 draws from "
             "their runs, or, for fewer than eight, from the deviations of all repeated runs at that size. "
             "What was stopped at "
             "its time limit counts with that limit.</p></details>\n";
  }

  void bounds() {
    const std::vector<BoundRow> rows = boundRows(part_);
    if (rows.empty())
      return;
    head("How far from the bounds");
    say("No schedule of the rules takes less time than their bound on this machine. Times are the shortest "
        "medians of "
        "configurations with these rules.",
        "note");
    Table table("Bounds of the alternatives of " + part_.space.main,
                {"Size", "Rules", "Bound", "Measured", "Time over bound", "Limit"},
                {false, false, true, true, true, false});
    const std::size_t shown = std::min(rows.size(), rows_);
    for (std::size_t i = rows.size() - shown; i < rows.size(); ++i) { // the largest sizes stand last
      const BoundRow &row = rows[i];
      const bool isKnown = row.bound.seconds > 0;
      table.row({row.size, row.alternative + (row.isChosen ? " (chosen)" : ""),
                 isKnown ? seconds(row.bound.seconds) : "none",
                 row.seconds > 0 ? seconds(row.seconds) : "not measured",
                 row.ratio() > 0 ? fmt::format("{:.2f}", row.ratio()) : "",
                 isKnown ? fmt::format("{}: {} To lower it: {}", row.bound.steps, row.bound.derivation,
                                       row.bound.remedy)
                         : row.why});
    }
    text_ += table.done();
    left(rows.size() - shown, "bounds");
    if (part_.recording.leftOut > 0)
      say(fmt::format("{} times a configuration was not run, because its bound was above the best time.",
                      part_.recording.leftOut));
  }

  void limits() {
    const std::vector<LimitRow> rows = limitRows(part_);
    if (rows.empty())
      return;
    head("What limits the rules");
    say(fmt::format("Predicted for one core at {}, from the instructions of each rule's own schedule and the "
                    "machine's figures; nothing was measured for "
                    "it. By so many percent the time changes if a figure changes by one.",
                    escaped(rows.front().size)),
        "note");
    std::vector<PartsRow> bars;
    Table table("Predicted limits of the rules of " + part_.space.main,
                {"Rule", "Predicted", "Limit", "Where", "To try", "Times as fast"},
                {false, true, false, false, false, true});
    const std::size_t shown = std::min(rows.size(), rows_);
    for (std::size_t i = 0; i < shown; ++i) {
      const LimitRow &row = rows[i];
      const TransformBounds::Prediction &p = row.prediction;
      const std::string name =
          fmt::format("{} of {}{}", row.step, row.alternative, row.isChosen ? " (chosen)" : "");
      if (p.why.empty())
        bars.push_back({name, p.elasticities});
      table.row({name, p.why.empty() ? seconds(p.seconds) : "",
                 p.why.empty() ? p.verdict : "not predicted: " + p.why, linesOf(p), p.script,
                 p.script.empty() ? "" : fmt::format("{:.2f}", p.timesAsFast)});
    }
    if (!bars.empty())
      text_ += "<figure>" + partsDrawing(bars, "Where the time of rules goes", identity_ + "limits") +
               "<figcaption>On what the time of each rule depends.</figcaption></figure>\n";
    text_ += table.done();
    left(rows.size() - shown, "rules");
  }

  void rejected() {
    head("Quarantined");
    const Analysis &analysis = part_.analysis;
    if (analysis.faults.empty())
      return say("Nothing had to be rejected.");
    std::vector<std::string> kinds;
    for (const auto &[kind, count] : analysis.kinds)
      kinds.push_back(fmt::format("{} {}", count, pbc::tuner::nameOf(kind)));
    say(fmt::format("{} of {} trials were rejected ({}).", analysis.rejected,
                    analysis.rejected + analysis.measured, fmt::join(kinds, ", ")));
    Table table("What is to blame: each is compared with the nearest configuration that worked",
                {"Suspect", "What", "Why", "From n", "Times"}, {false, false, false, true, true});
    const std::size_t shown = std::min(analysis.faults.size(), rows_);
    for (std::size_t i = 0; i < shown; ++i) {
      const Fault &fault = analysis.faults[i];
      table.row({shortened(fault.suspect, 240), pbc::tuner::nameOf(fault.kind),
                 shortened(firstLine(reasonInWords(fault)), 400), fmt::format("{}", fault.n),
                 fmt::format("{}", fault.times)});
    }
    text_ += table.done();
    left(analysis.faults.size() - shown, "faults");
  }

  const Part &part_;
  std::size_t rows_;
  std::string identity_, text_;
};

std::string lead(const Part &part) {
  const Analysis &analysis = part.analysis;
  if (analysis.chosenSeconds <= 0)
    return "";
  const std::string &size = part.recording.sizes[static_cast<std::size_t>(part.recording.largest)].name;
  const std::string times =
      fmt::format("At {}, medians of all runs: {}", size, part.objective.inWords(analysis.chosenSeconds));
  if (analysis.defaultSeconds <= 0)
    return times + ".";
  const Ratio &ratio = analysis.speedup;
  if (ratio.isAbove())
    return fmt::format("{}, the default {}: {:.2f} times {} ({:.2f} to {:.2f}).", times,
                       part.objective.inWords(analysis.defaultSeconds), ratio.value,
                       part.objective.asLittle(), ratio.interval->low, ratio.interval->high);
  return fmt::format("{}; the default takes {}, no difference beyond noise.", times,
                     part.objective.inWords(analysis.defaultSeconds));
}

void provenance(const Evidence &evidence, std::string &text) {
  const Part &part = evidence.parts.front();
  Table table("Where this comes from", {"What", "Value"});
  table.row({"Program", evidence.program});
  table.row({"Version of the program (hash)", part.space.hash});
  table.row({"Compiler", part.space.compiler});
  table.row({"Configuration", evidence.from.empty() ? "none: the program's own values" : evidence.from});
  table.row({"Journal", evidence.journal.empty() ? "none" : evidence.journal});
  for (const Part &each : evidence.parts) {
    const Recording &recording = each.recording;
    if (recording.trials.empty())
      continue;
    const std::string of = evidence.parts.size() > 1 ? " of " + each.space.main : "";
    table.row({"Machine" + of, recording.machine});
    if (!each.objective.isTime())
      table.row({"Objective" + of, each.objective.name() + ", of a run"});
    table.row({"Trials" + of,
               fmt::format("{} with {} runs, {:.0f} s of tuning in {} session{}, {} to {}",
                           recording.trials.size(), each.analysis.runs, recording.elapsed, recording.sessions,
                           recording.sessions == 1 ? "" : "s", recording.first, recording.last)});
    table.row({"Inputs" + of, recording.conditions});
    table.row({"Noise of one run" + of,
               fmt::format("{:.1f} % at {}", 100 * each.analysis.deviation,
                           recording.largest < 0 ? "" : recording.sizes[recording.largest].name)});
    if (recording.unreadable > 0)
      table.row({"Trials that do not fit" + of, fmt::format("{}, left out", recording.unreadable)});
  }
  for (const std::string &kernel : evidence.kernels)
    table.row({"Kernel, decided when it was compiled", kernel});
  text += "<h2>Provenance</h2>\n" + table.done();
  if (!evidence.provenance.empty()) {
    std::vector<std::string> lines;
    for (const std::string &line : evidence.provenance)
      lines.push_back(escaped(line));
    text += fmt::format("<p class=\"note\">{}</p>\n", fmt::join(lines, "<br>"));
  }
  constexpr std::size_t kToml = 60'000;
  if (!evidence.toml.empty() && evidence.toml.size() <= kToml)
    text +=
        "<details><summary>The configuration</summary><pre>" + escaped(evidence.toml) + "</pre></details>\n";
}

std::string pageWith(const Evidence &evidence, std::size_t rows) {
  const std::string title = "Tuning of " + evidence.program;
  std::string text = pageBegin(title);
  for (const std::string &remark : evidence.remarks)
    text += "<p class=\"warn\">" + escaped(remark) + "</p>\n";
  for (std::size_t i = 0; i < evidence.parts.size(); ++i) {
    const Part &part = evidence.parts[i];
    if (evidence.parts.size() > 1 || part.space.goal)
      text += fmt::format("<h2>{}{}</h2>\n", escaped(part.space.main),
                          part.space.goal ? fmt::format(", accuracy target {:.6g}", part.space.goal->target)
                                          : "");
    if (std::string words = whenTunedInWords(part); !words.empty()) {
      words.front() = 'W';
      text += "<p class=\"lead\">" + escaped(words) + ".</p>\n";
    }
    if (const std::string words = lead(part); !words.empty())
      text += "<p class=\"lead\">" + escaped(words) + "</p>\n";
    text += PartPage(part, rows, fmt::format("p{}", i)).text();
  }
  provenance(evidence, text);
  return text + kPageEnd;
}

} // namespace

std::string pagePath(const std::string &configuration) {
  return std::filesystem::path(configuration).replace_extension(".tune.html").string();
}

std::string page(const Evidence &evidence) {
  std::size_t rows = 400;
  std::string text = pageWith(evidence, rows);
  while (text.size() >= kLargestPage && rows > 1) {
    rows /= 2;
    text = pageWith(evidence, rows);
  }
  return text;
}

} // namespace pbc::tuner
