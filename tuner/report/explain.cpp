// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report/explain.h"

#include "runtime/base/closest.h"
#include "tuner/report/bound_rows.h"
#include "tuner/report/limit_rows.h"
#include "tuner/report/words.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pbc::tuner {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// The title without the size of a tunable by sizes: what a user would type.
std::string shortTitle(const Part &part, const Decision &decision) {
  const std::string title = decision.title(part.space);
  return title.substr(0, title.find(" for n "));
}

std::string lastName(const std::string &title) { return title.substr(title.rfind('.') + 1); }

constexpr const char *kNoEffect = "no effect here: what reads it is not chosen";

struct Found {
  const Part *part;
  std::size_t decision;
};

std::vector<Found> named(const Evidence &evidence, const std::string &name) {
  // An exact title is best, then one without regard to case, then one without its transform.
  for (int looseness = 0; looseness < 3; ++looseness) {
    std::vector<Found> found;
    for (const Part &part : evidence.parts)
      for (std::size_t i = 0; i < part.analysis.decisions.size(); ++i) {
        const Decision &decision = part.analysis.decisions[i].decision;
        const std::string title = shortTitle(part, decision), whole = decision.title(part.space);
        if (looseness == 0   ? title == name || whole == name
            : looseness == 1 ? lower(title) == lower(name)
                             : lower(lastName(title)) == lower(name))
          found.push_back({&part, i});
      }
    if (!found.empty())
      return found;
  }
  return {};
}

/// Whether both are the same number of the same transform.
bool isForOtherSize(const Found &one, const Found &other) {
  const Decision &a = one.part->analysis.decisions[one.decision].decision;
  const Decision &b = other.part->analysis.decisions[other.decision].decision;
  return one.part == other.part && !a.isSite && !b.isSite &&
         one.part->space.tunables[a.index].isSameAs(other.part->space.tunables[b.index]);
}

[[noreturn]] void refuse(const Evidence &evidence, const std::string &name) {
  std::vector<std::string> titles;
  for (const Part &part : evidence.parts)
    for (const DecisionResult &result : part.analysis.decisions)
      if (const std::string title = shortTitle(part, result.decision);
          std::find(titles.begin(), titles.end(), title) == titles.end())
        titles.push_back(title);
  if (titles.empty())
    throw TunerError(fmt::format("{}: there is nothing to choose in it", evidence.program));
  std::vector<std::string> spellings;
  for (const std::string &title : titles)
    spellings.insert(spellings.end(), {title, lastName(title)});
  const std::string meant = pb::base::closest(name, spellings);
  std::string nearest;
  for (const std::string &title : titles)
    if (nearest.empty() && !meant.empty() && (title == meant || lastName(title) == meant))
      nearest = title;
  for (auto title = titles.rbegin(); title != titles.rend(); ++title)
    if (lower(*title).starts_with(lower(name) + "<")) // of a transform with bins: the first of them
      nearest = *title;
  constexpr std::size_t kMost = 40;
  const std::size_t shown = std::min(titles.size(), kMost);
  throw TunerError(fmt::format(
      "{} has no choice or tunable '{}'{}\n  help: it has {}{}", evidence.program, name,
      nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest),
      fmt::join(titles.begin(), titles.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
      shown < titles.size()
          ? fmt::format(" and {} more: pbc explain {} lists them", titles.size() - shown, evidence.program)
          : ""));
}

std::string runs(int count) { return fmt::format("{} run{}", count, count == 1 ? "" : "s"); }

class Writer {
public:
  explicit Writer(const Evidence &evidence) : evidence_(evidence) {}

  void one(const Part &part, const DecisionResult &result) {
    const Decision &decision = result.decision;
    text_ +=
        fmt::format("{}: {}\n", decision.title(part.space), decision.chosen(part.space, part.configuration));
    if (const std::string doc = decision.doc(part.space); !doc.empty())
      line("what it is", doc);
    range(part, decision);
    line("value from",
         evidence_.from.empty() ? "the program itself: no configuration file is in use" : evidence_.from);
    const Comparison *last = result.last();
    if (!result.hasEffect)
      line("effect", kNoEffect);
    else if (last)
      race(part, result, *last);
    else
      line("runner-up", part.recording.trials.empty() ? "none: nothing is recorded"
                                                      : "none: nothing else was measured where this was");
    bySize(part, result);
    mattered(part, result);
    rejected(part, result);
    if (!part.recording.trials.empty())
      line("journal", fmt::format("{}: {} trials, {} to {}", evidence_.journal, part.recording.trials.size(),
                                  part.recording.sizes.front().name, part.recording.sizes.back().name));
  }

  /// Counts the decisions that are not listed.
  void same(int count) {
    if (count > 0)
      text_ +=
          fmt::format("and for {} other size{}: as for the one before, or never tried (--json lists all)\n",
                      count, count == 1 ? "" : "s");
  }

  void all() {
    for (const Part &part : evidence_.parts) {
      header(part);
      std::size_t width = 0;
      for (std::size_t i = 0; i < part.analysis.decisions.size(); ++i)
        if (isWorthALine(part, i))
          width = std::max(width, part.analysis.decisions[i].decision.title(part.space).size());
      int left = 0;
      for (std::size_t i = 0; i < part.analysis.decisions.size(); ++i) {
        const DecisionResult &result = part.analysis.decisions[i];
        if (!isWorthALine(part, i)) {
          ++left;
          continue;
        }
        text_ += fmt::format("  {:<{}}  {}\n", result.decision.title(part.space), width,
                             result.decision.chosen(part.space, part.configuration));
        if (const Comparison *last = result.last())
          text_ += fmt::format("  {:<{}}    {}\n", "", width, next(part, result, *last));
        else if (!result.hasEffect)
          text_ += fmt::format("  {:<{}}    {}\n", "", width, kNoEffect);
      }
      if (left > 0)
        text_ += fmt::format("  {} more are at their defaults or as for smaller sizes\n", left);
      if (part.analysis.decisions.empty())
        text_ += "  nothing to choose\n";
      text_ += boundsInWords(part);
      text_ += limitsInWords(part);
      rejected(part);
    }
    for (const std::string &kernel : evidence_.kernels)
      text_ += fmt::format("  kernel, decided when it was compiled: {}\n", kernel);
    if (std::any_of(evidence_.parts.begin(), evidence_.parts.end(),
                    [](const Part &part) { return !part.analysis.decisions.empty(); }))
      text_ += fmt::format("pbc explain {} NAME says all that is known of one\n", evidence_.program);
  }

  std::string text() { return std::move(text_); }

private:
  void line(const std::string &left, const std::string &right) {
    text_ += fmt::format("  {:<13}{}\n", left, right);
  }

  static std::string next(const Part &part, const DecisionResult &result, const Comparison &last) {
    return fmt::format("next {}: {} at {}", nextInWords(part, result, last), gapInWords(last, part.objective),
                       part.recording.sizes[last.size].name);
  }

  void header(const Part &part) {
    text_ +=
        fmt::format("{}{}: values from {}", evidence_.program, part.space.goal ? ", " + part.space.main : "",
                    evidence_.from.empty() ? "the program itself" : evidence_.from);
    if (!part.recording.trials.empty()) {
      text_ += fmt::format("; {} trials in {}", part.recording.trials.size(), evidence_.journal);
      if (part.analysis.chosenSeconds > 0 && part.analysis.defaultSeconds > 0)
        text_ += fmt::format("\n  at {}, medians of all runs: {}, the default {}",
                             part.recording.sizes[part.recording.largest].name,
                             part.objective.inWords(part.analysis.chosenSeconds),
                             part.objective.inWords(part.analysis.defaultSeconds));
      if (const std::string words = whenTunedInWords(part); !words.empty())
        text_ += "\n  " + words;
    }
    text_ += "\n";
  }

  /// Candidates are expected to be slow or inaccurate, so such rejections are only counted.
  void rejected(const Part &part) {
    constexpr std::size_t kMost = 10, kLetters = 160;
    std::size_t count = 0;
    for (const Fault &fault : part.analysis.faults)
      if (fault.kind != Failure::TooSlow && fault.kind != Failure::Inexact && count++ < kMost)
        text_ += fmt::format("  rejected: {}\n", shortened(firstLine(inWords(fault)), kLetters));
    if (count > kMost)
      text_ += fmt::format("  and {} more, which the page lists (pbc report)\n", count - kMost);
    for (const auto &[kind, times] : part.analysis.kinds)
      if (kind == Failure::TooSlow || kind == Failure::Inexact)
        text_ += fmt::format("  {} trial{}: {}\n", times, times == 1 ? "" : "s", pbc::tuner::nameOf(kind));
  }

  static std::vector<std::string> conditions(const ProgramSpace &space, const std::vector<Condition> &any) {
    std::vector<std::string> all;
    for (const Condition &condition : any) {
      const Site &site = space.sites[static_cast<std::size_t>(condition.site)];
      std::vector<std::string> uses;
      for (const int use : condition.uses)
        uses.push_back(site.alternatives[static_cast<std::size_t>(use)].name);
      all.push_back(fmt::format("{} is {}", site.title(), fmt::join(uses, " or ")));
    }
    return all;
  }

  void runsWhere(const ProgramSpace &space, const std::vector<Condition> &reachedBy) {
    if (!reachedBy.empty())
      line("runs where", fmt::format("{}", fmt::join(conditions(space, reachedBy), ", or ")));
  }

  static std::string together(const ProgramSpace &space, const Constraint &constraint) {
    std::vector<std::string> factors;
    for (const int tunable : constraint.tunables)
      factors.push_back(space.tunables[static_cast<std::size_t>(tunable)].title());
    return fmt::format("{} at most {:.6g} ({})", fmt::join(factors, " * "), constraint.most, constraint.doc);
  }

  void range(const Part &part, const Decision &decision) {
    if (decision.isSite) {
      std::vector<std::string> names;
      for (const Alternative &alternative : part.space.sites[decision.index].alternatives)
        names.push_back(alternative.name);
      line("alternatives", fmt::format("{} (default {})", fmt::join(names, ", "), names.front()));
      runsWhere(part.space, part.space.sites[decision.index].reachedBy);
    } else {
      const Tunable &tunable = part.space.tunables[decision.index];
      line("range", fmt::format("{} to {} (default {})", tunable.minimum, tunable.maximum, tunable.initial));
      if (!tunable.when.empty())
        line("counts where", fmt::format("{}", fmt::join(conditions(part.space, tunable.when), ", or ")));
      runsWhere(part.space, tunable.reachedBy);
      for (const Constraint &constraint : part.space.constraints)
        if (std::ranges::count(constraint.tunables, decision.index))
          line("together", together(part.space, constraint));
    }
  }

  void race(const Part &part, const DecisionResult &result, const Comparison &last) {
    const Decision &decision = result.decision;
    line("winner", fmt::format("{}, {} at {} ({})", decision.className(part.space, last.winner.number),
                               part.objective.inWords(last.winner.seconds),
                               part.recording.sizes[last.size].name, runs(last.winner.runs)));
    line("runner-up", last.next.isAtLeast
                          ? fmt::format("{}, stopped at its limit of {}", nextInWords(part, result, last),
                                        part.objective.inWords(last.next.seconds))
                          : fmt::format("{}, {} ({})", nextInWords(part, result, last),
                                        part.objective.inWords(last.next.seconds), runs(last.next.runs)));
    line("gap", gapInWords(last, part.objective));
    if (last.gap.isBelow())
      line("", "the configuration keeps what won in turns, or what it was told");
  }

  void bySize(const Part &part, const DecisionResult &result) {
    const Decision &decision = result.decision;
    std::size_t sizeWidth = 0, nameWidth = 0;
    for (const Comparison &comparison : result.at) {
      sizeWidth = std::max(sizeWidth, part.recording.sizes[comparison.size].name.size());
      nameWidth = std::max(nameWidth, decision.className(part.space, comparison.winner.number).size());
    }
    std::string left = "by size";
    for (const Comparison &comparison : result.at) {
      const bool hasNext = comparison.next.number >= 0;
      line(left,
           fmt::format("{:<{}}  {:<{}}  {:<8}  {}", part.recording.sizes[comparison.size].name, sizeWidth,
                       decision.className(part.space, comparison.winner.number), nameWidth,
                       part.objective.inWords(comparison.winner.seconds),
                       hasNext ? fmt::format("{} {}", decision.className(part.space, comparison.next.number),
                                             gapInWords(comparison, part.objective))
                               : "nothing else was measured"));
      left = "";
    }
    if (!decision.isSite)
      return;
    const Selector &selector = part.configuration.selectors()[decision.index];
    for (std::size_t i = 0; i + 1 < selector.levels().size(); ++i)
      line(i == 0 ? "flips" : "", fmt::format("at n = {} from {} to {}", selector.levels()[i].below,
                                              decision.className(part.space, selector.levels()[i].use),
                                              decision.className(part.space, selector.levels()[i + 1].use)));
  }

  void mattered(const Part &part, const DecisionResult &result) {
    if (part.recording.largest < 0)
      return;
    const std::string &size = part.recording.sizes[part.recording.largest].name;
    line("mattered", fmt::format("{:.0f} % of the variance of {} at {} goes with it", 100 * result.share,
                                 part.objective.isTime() ? "times" : part.objective.name(), size));
    if (!result.alone)
      return;
    const auto &interval = result.alone->interval;
    line("", fmt::format("changed alone, in {} pair{} of configurations, the others are {}{}", result.pairs,
                         result.pairs == 1 ? "" : "s", timesInWords(result.alone->value, part.objective),
                         interval ? fmt::format(" ({:.2f} to {:.2f} times the {})", interval->low,
                                                interval->high, part.objective.name())
                                  : ""));
  }

  void rejected(const Part &part, const DecisionResult &result) {
    std::string left = "rejected";
    for (const ClassRecord &record : result.classes)
      if (!record.reason.empty()) {
        line(left,
             fmt::format("{}: {}{}", result.decision.className(part.space, record.number),
                         firstLine(record.reason), record.isBanned ? "; it is not chosen any more" : ""));
        left = "";
      }
    if (part.recording.trials.empty())
      return;
    std::string tried = "tried";
    for (const ClassRecord &record : result.classes) {
      line(tried,
           fmt::format("{}: {} in {} configuration{}{}", result.decision.className(part.space, record.number),
                       runs(record.runs), record.configurations, record.configurations == 1 ? "" : "s",
                       record.rejections ? fmt::format(", {} rejected", record.rejections) : ""));
      tried = "";
    }
  }

  const Evidence &evidence_;
  std::string text_;
};

nlohmann::json asJson(const Ratio &ratio) {
  nlohmann::json json{{"ratio", ratio.value}, {"at_least", ratio.isAtLeast}};
  if (ratio.interval)
    json["interval"] = {ratio.interval->low, ratio.interval->high};
  return json;
}

nlohmann::json asJson(const Part &part, const DecisionResult &result) {
  const Decision &decision = result.decision;
  const auto best = [&](const Best &measured) {
    return nlohmann::json{{"name", decision.className(part.space, measured.number)},
                          {part.objective.isTime() ? "seconds" : part.objective.name(), measured.seconds},
                          {"runs", measured.runs},
                          {"at_least", measured.isAtLeast}};
  };
  nlohmann::json sizes = nlohmann::json::array();
  for (const Comparison &comparison : result.at) {
    nlohmann::json entry{{"size", part.recording.sizes[comparison.size].name},
                         {"winner", best(comparison.winner)}};
    if (comparison.next.number >= 0) {
      entry["runner_up"] = best(comparison.next);
      entry["gap"] = asJson(comparison.gap);
    }
    sizes.push_back(entry);
  }
  nlohmann::json rejected = nlohmann::json::array();
  for (const ClassRecord &record : result.classes)
    if (!record.reason.empty())
      rejected.push_back({{"name", decision.className(part.space, record.number)},
                          {"reason", record.reason},
                          {"banned", record.isBanned}});
  nlohmann::json json{{"name", decision.title(part.space)},
                      {"chosen", decision.chosen(part.space, part.configuration)},
                      {"sizes", sizes},
                      {"variance_share", result.share},
                      {"pairs", result.pairs},
                      {"rejected", rejected}};
  if (result.alone)
    json["changed_alone"] = asJson(*result.alone);
  return json;
}

} // namespace

std::string gapInWords(const Ratio &gap, const Objective &objective) {
  if (gap.isAtLeast)
    return fmt::format("more than {:.2f} times {}: stopped at its limit", gap.value, objective.asMuch());
  if (!gap.interval)
    return fmt::format("{:.2f} times {}; each was measured once, so how sure this is is not known", gap.value,
                       objective.asMuch());
  const std::string interval = fmt::format("({:.2f} to {:.2f})", gap.interval->low, gap.interval->high);
  if (gap.isAbove())
    return fmt::format("{:.2f} times {} {}", gap.value, objective.asMuch(), interval);
  if (gap.isBelow())
    return fmt::format("{:.2f} times the {} {} in runs that were not made in turns with the winner's",
                       gap.value, objective.name(), interval);
  constexpr double kAlike = 1.1; // further apart, "equal" would be said of what was only measured badly
  const bool isAlike = gap.value < kAlike && gap.value > 1 / kAlike;
  return fmt::format("{}, {:.2f} times the {} {}", isAlike ? "equal within noise" : "not clear in this noise",
                     gap.value, objective.name(), interval);
}

std::string gapInWords(const Comparison &comparison, const Objective &objective) {
  return gapInWords(comparison.gap, objective) +
         (comparison.isNextTogether ? ", with other choices changed, too" : "");
}

std::string timesInWords(double ratio, const Objective &objective) {
  return ratio < 1 && ratio > 0 ? fmt::format("{:.2f} times {}", 1 / ratio, objective.asLittle())
                                : fmt::format("{:.2f} times {}", ratio, objective.asMuch());
}

std::string nextInWords(const Part &part, const DecisionResult &result, const Comparison &comparison) {
  return result.decision.className(part.space, comparison.next.number) +
         (comparison.isNextDefault ? " (the default)" : "");
}

std::string whenTunedInWords(const Part &part) {
  if (!part.whenTuned)
    return "";
  return fmt::format("when it was tuned, at {}: {}, the default {}", part.whenTuned->size,
                     part.objective.inWords(part.whenTuned->tuned),
                     part.objective.inWords(part.whenTuned->byDefault));
}

bool isWorthALine(const Part &part, std::size_t number) {
  const std::vector<DecisionResult> &all = part.analysis.decisions;
  const Decision &decision = all[number].decision;
  if (decision.isSite)
    return true;
  const Tunable &tunable = part.space.tunables[decision.index];
  const double value = part.configuration.tunables()[decision.index];
  if (number > 0 && !all[number - 1].decision.isSite) {
    const int before = all[number - 1].decision.index;
    if (tunable.isSameAs(part.space.tunables[before]) && part.configuration.tunables()[before] == value)
      return false;
  }
  return value != tunable.initial || all[number].last() != nullptr;
}

std::string explainAll(const Evidence &evidence) {
  Writer writer(evidence);
  writer.all();
  return writer.text();
}

std::string explainOne(const Evidence &evidence, const std::string &name) {
  const std::vector<Found> found = named(evidence, name);
  if (found.empty())
    refuse(evidence, name);
  Writer writer(evidence);
  int left = 0; // entries of a number by size that add nothing new
  for (std::size_t i = 0; i < found.size(); ++i)
    if (i > 0 && isForOtherSize(found[i], found[i - 1]) && !isWorthALine(*found[i].part, found[i].decision))
      ++left;
    else
      writer.one(*found[i].part, found[i].part->analysis.decisions[found[i].decision]);
  writer.same(left);
  return writer.text();
}

std::string explainAsJson(const Evidence &evidence, const std::string &name) {
  nlohmann::json decisions = nlohmann::json::array();
  std::vector<Found> found;
  if (!name.empty()) {
    found = named(evidence, name);
    if (found.empty())
      refuse(evidence, name);
  } else {
    for (const Part &part : evidence.parts)
      for (std::size_t i = 0; i < part.analysis.decisions.size(); ++i)
        found.push_back({&part, i});
  }
  for (const Found &each : found)
    decisions.push_back(asJson(*each.part, each.part->analysis.decisions[each.decision]));
  nlohmann::json json{{"program", evidence.program}, {"configuration", evidence.from},
                      {"journal", evidence.journal}, {"kernels", evidence.kernels},
                      {"remarks", evidence.remarks}, {"decisions", decisions}};
  if (name.empty())
    for (const Part &part : evidence.parts) {
      for (nlohmann::json &row : boundsAsJson(part))
        json["bounds"].push_back(std::move(row));
      for (nlohmann::json &row : limitsAsJson(part))
        json["predicted_limits"].push_back(std::move(row));
    }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace pbc::tuner
