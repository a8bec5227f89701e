// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report/analysis.h"

#include "tuner/report/blame.h"
#include "tuner/report/times.h"
#include "tuner/report/words.h"
#include "tuner/strategy/statistics.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <unordered_map>

namespace pbc::tuner {
namespace {

/// The median, with an allowance for few measurements.
double cautious(const Tried &tried, double deviation) {
  if (tried.isAtLeast())
    return tried.limit;
  return tried.typical() * std::exp(deviation / std::sqrt(static_cast<double>(tried.seconds.size())));
}

class Analyst {
public:
  Analyst(const ProgramSpace &space, const Recording &recording, const Configuration &chosen)
      : space_(space), recording_(recording), chosen_(chosen), times_(recording) {
    for (std::size_t i = 0; i < recording.configurations.size(); ++i) {
      const Configuration &configuration = recording.configurations[i];
      if (configuration == chosen)
        chosenNumber_ = static_cast<int>(i);
      if (configuration == Configuration::defaults(space))
        defaultNumber_ = static_cast<int>(i);
    }
  }

  Analysis run() {
    count();
    const Blame blame = blameIn(space_, recording_);
    analysis_.faults = blame.faults;
    progress();
    for (const Decision &decision : decisionsOf(space_))
      analysis_.decisions.push_back(about(decision, blame));
    if (recording_.largest >= 0) {
      analysis_.deviation = times_.noise(recording_.largest).deviation();
      whole();
      alone();
    }
    return std::move(analysis_);
  }

private:
  void count() {
    std::map<Failure, int> kinds;
    for (const Trial &trial : recording_.trials) {
      trial.rejected ? ++analysis_.rejected : ++analysis_.measured;
      analysis_.runs += static_cast<int>(trial.seconds.size());
      if (trial.rejected)
        ++kinds[trial.rejected->kind];
    }
    analysis_.kinds.assign(kinds.begin(), kinds.end());
  }

  void progress() {
    std::map<int, ProgressLine> lines;
    int number = 0;
    for (const Trial &trial : recording_.trials) {
      ++number;
      const Tried &tried = times_.at(trial.size).at(trial.configuration);
      if (trial.rejected || tried.isWrong)
        continue;
      ProgressLine &line = lines[trial.size];
      line.size = trial.size;
      // Uses the final median, not a single time, because a lucky run would stay the best for ever.
      const double seconds = tried.typical();
      if (line.points.empty() || seconds < line.points.back().seconds)
        line.points.push_back({number, trial.at, seconds});
      if (trial.configuration == defaultNumber_)
        line.byDefault = seconds;
    }
    for (const auto &[size, line] : lines)
      analysis_.progress.push_back(line);
  }

  /// Computes the default's time and the chosen configuration's.
  void whole() {
    const auto &all = times_.at(recording_.largest);
    const auto byDefault = all.find(defaultNumber_), chosen = all.find(chosenNumber_);
    const bool hasDefault = byDefault != all.end() && !byDefault->second.seconds.empty();
    const bool hasChosen = chosen != all.end() && !chosen->second.seconds.empty();
    if (hasDefault)
      analysis_.defaultSeconds = byDefault->second.typical();
    if (hasChosen)
      analysis_.chosenSeconds = chosen->second.typical();
    if (hasDefault && hasChosen && defaultNumber_ != chosenNumber_)
      analysis_.speedup =
          times_.noise(recording_.largest).ratio(byDefault->second.seconds, chosen->second.seconds);
  }

  /// Whether the chosen configuration reads it in calls of size n or less.
  bool hasEffect(const Decision &decision, long n) const {
    return decision.isSite ? chosen_.reaches(space_, space_.sites[decision.index].reachedBy)
                           : chosen_.hasEffect(space_, decision.index, n);
  }

  /// What a configuration decides, as sums of hashes over what has an effect.
  struct Decided {
    std::size_t choices = 0, all = 0;
  };

  /// At this size, by configuration.
  const std::unordered_map<int, Decided> &decidedAt(int size) const {
    auto &result = decided_[size];
    if (!result.empty())
      return result;
    const long n = recording_.sizes[size].n;
    std::vector<Decision> read = decisionsOf(space_);
    std::erase_if(read, [&](const Decision &decision) { return !hasEffect(decision, n); });
    for (const auto &[number, tried] : times_.at(size))
      for (const Decision &decision : read) {
        const std::size_t hash = decision.hashUpTo(recording_.configurations[number], n);
        result[number].all += hash;
        result[number].choices += decision.isSite ? hash : 0;
      }
    return result;
  }

  /// Whether two configurations differ in nothing but this decision; for a choice, in no other choice.
  bool differAlone(const Decision &decision, int one, int other, int size) const {
    const auto &decided = decidedAt(size);
    const auto rest = [&](int number) {
      const Decided &all = decided.at(number);
      return (decision.isSite ? all.choices : all.all) -
             decision.hashUpTo(recording_.configurations[number], recording_.sizes[size].n);
    };
    return rest(one) == rest(other);
  }

  int classOf(const Decision &decision, int configuration, int size) const {
    return decision.classAt(space_, recording_.configurations[configuration], recording_.sizes[size].n);
  }

  /// For each class, the configuration that is best at this size, of those that `fits` admits.
  template <class Fits>
  std::map<int, int> representatives(const Decision &decision, int size, Fits &&fits) const {
    const auto &all = times_.at(size);
    const double deviation = times_.noise(size).deviation();
    std::map<int, int> best;
    std::map<int, double> costs;
    for (const auto &[number, tried] : all) {
      if (!tried.counts() || !fits(number))
        continue;
      const int kind = classOf(decision, number, size);
      const double cost = cautious(tried, deviation);
      const auto [place, isNew] = best.try_emplace(kind, number);
      const Tried &before = all.at(place->second);
      // A limit that was reached counts less than any time.
      const bool isBetter =
          before.isAtLeast() != tried.isAtLeast() ? before.isAtLeast() : !isNew && cost < costs[kind];
      if (isNew || isBetter) {
        place->second = number;
        costs[kind] = cost;
      }
    }
    const auto byDefault = all.find(defaultNumber_);
    if (byDefault == all.end() || byDefault->second.isWrong || byDefault->second.isAtLeast() ||
        !fits(defaultNumber_))
      return best;
    constexpr std::size_t kFew =
        3; // runs: fewer do not show that it is faster than a default that ran so often
    int &other = best[classOf(decision, defaultNumber_, size)];
    const std::vector<double> &own = byDefault->second.seconds, &others = all.at(other).seconds;
    if ((others.size() < kFew && own.size() >= kFew) || !times_.noise(size).ratio(own, others).isAbove())
      other = defaultNumber_;
    return best;
  }

  Best measured(int kind, int configuration, int size) const {
    const Tried &tried = times_.at(size).at(configuration);
    return {kind, tried.typical(), static_cast<int>(tried.seconds.size()), tried.isAtLeast()};
  }

  /// The configurations that stand for the classes; `winner` stands for its own.
  std::map<int, int> comparable(const Decision &decision, int size, int winner) const {
    std::map<int, int> best = representatives(
        decision, size, [&](int number) { return differAlone(decision, number, winner, size); });
    if (decision.isSite)
      best.merge(representatives(decision, size, [](int) { return true; }));
    return best;
  }

  std::optional<Comparison> compared(const Decision &decision, int size) const {
    Comparison result;
    result.size = size;
    const int taken = decision.classAt(space_, chosen_, recording_.sizes[size].n);
    const auto &all = times_.at(size);
    int winner = chosenNumber_;
    if (const auto own = all.find(chosenNumber_); own == all.end() || own->second.seconds.empty()) {
      const std::map<int, int> best = representatives(decision, size, [](int) { return true; });
      if (!best.contains(taken) || all.at(best.at(taken)).isAtLeast())
        return {};
      winner = best.at(taken);
    }
    result.winner = measured(taken, winner, size);
    const double deviation = times_.noise(size).deviation();
    int next = -1;
    double least = 0;
    for (const auto &[kind, number] : comparable(decision, size, winner)) {
      const Tried &tried = all.at(number);
      const double cost = cautious(tried, deviation) * (tried.isAtLeast() ? 1e6 : 1); // any time is more
      if (kind == taken || (next >= 0 && cost >= least))
        continue;
      least = cost;
      next = number;
      result.next = measured(kind, number, size);
    }
    if (next < 0)
      return result;
    result.isNextDefault = next == defaultNumber_;
    result.isNextTogether = !differAlone(decision, next, winner, size);
    if (result.next.isAtLeast)
      result.gap = {.value = result.next.seconds / result.winner.seconds, .interval = {}, .isAtLeast = true};
    else
      result.gap = times_.noise(size).ratio(all.at(next).seconds, all.at(winner).seconds);
    return result;
  }

  DecisionResult about(const Decision &decision, const Blame &blame) const {
    DecisionResult result;
    result.decision = decision;
    for (std::size_t size = 0; size < recording_.sizes.size(); ++size)
      if (hasEffect(decision, recording_.sizes[size].n))
        if (auto comparison = compared(decision, static_cast<int>(size)))
          result.at.push_back(*comparison);
    result.hasEffect = hasEffect(decision, kNoLimit);
    const int largest = recording_.largest;
    const long n = largest < 0 ? kNoLimit : recording_.sizes[largest].n;
    result.winner = decision.classAt(space_, chosen_, n);
    classes(result, blame, n);
    if (largest >= 0)
      result.share = shareOf(decision, largest);
    return result;
  }

  void classes(DecisionResult &result, const Blame &blame, long largest) const {
    const Decision &decision = result.decision;
    std::map<int, ClassRecord> records;
    if (decision.isSite)
      for (std::size_t i = 0; i < space_.sites[decision.index].alternatives.size(); ++i)
        records[static_cast<int>(i)].number = static_cast<int>(i);
    std::map<int, std::set<int>> configurations;
    for (const Trial &trial : recording_.trials) {
      const int kind = decision.classAt(space_, recording_.configurations[trial.configuration],
                                        recording_.sizes[trial.size].n);
      ClassRecord &record = records[kind];
      record.number = kind;
      record.runs += static_cast<int>(trial.seconds.size());
      record.rejections += trial.rejected.has_value();
      if (!trial.rejected)
        configurations[kind].insert(trial.configuration);
    }
    for (auto &[kind, record] : records) {
      record.configurations = static_cast<int>(configurations[kind].size());
      if (decision.isSite) {
        const std::string suspect = decision.title(space_) + " with " + decision.className(space_, kind);
        for (const Fault &fault : blame.faults)
          if (fault.suspect == suspect && record.reason.empty())
            record.reason =
                fmt::format("{} at n >= {}: it {}{}", nameOf(fault.kind), fault.n, reasonInWords(fault),
                            fault.times > 1 ? fmt::format(" ({} times)", fault.times) : "");
        record.isBanned = blame.bans.banned(decision.index, kind, largest);
      }
      result.classes.push_back(record);
    }
  }

  /// Epsilon squared over the configurations tried at this size.
  double shareOf(const Decision &decision, int size) const {
    struct Sum {
      double count = 0, sum = 0;
    };
    std::map<int, Sum> sums;
    Sum all;
    double squares = 0;
    for (const auto &[number, tried] : times_.at(size)) {
      if (!tried.counts() || tried.typical() <= 0)
        continue;
      const double value = std::log(tried.typical());
      Sum &sum = sums[decision.classAt(space_, recording_.configurations[number], recording_.sizes[size].n)];
      for (Sum *each : {&sum, &all}) {
        each->count += 1;
        each->sum += value;
      }
      squares += value * value;
    }
    const double kinds = static_cast<double>(sums.size());
    if (kinds < 2 || all.count <= kinds)
      return 0;
    const double total = squares - all.sum * all.sum / all.count;
    double between = -all.sum * all.sum / all.count;
    for (const auto &[kind, sum] : sums)
      between += sum.sum * sum.sum / sum.count;
    if (total <= 1e-12)
      return 0;
    const double within = std::max(total - between, 0.0) / (all.count - kinds);
    return std::clamp((between - (kinds - 1) * within) / total, 0.0, 1.0);
  }

  /// Compares pairs of configurations that differ in one decision only.
  void alone() {
    const int size = recording_.largest;
    const long n = recording_.sizes[size].n;
    std::vector<std::pair<int, std::size_t>> tried; // configuration and the sum of its decisions' hashes
    std::vector<DecisionResult *> seen;
    for (DecisionResult &result : analysis_.decisions)
      if (result.decision.isSite || space_.tunables[result.decision.index].isSeenUpTo(n))
        seen.push_back(&result);
    for (const auto &[number, times] : times_.at(size)) {
      if (!times.counts() || times.typical() <= 0)
        continue;
      std::size_t hash = 0;
      for (const DecisionResult *result : seen)
        hash += result->decision.hashUpTo(recording_.configurations[number], n);
      tried.emplace_back(number, hash);
    }
    for (DecisionResult *result : seen)
      if (hasEffect(result->decision, n))
        aloneOf(*result, tried, size);
  }

  void aloneOf(DecisionResult &result, const std::vector<std::pair<int, std::size_t>> &tried,
               int size) const {
    const Decision &decision = result.decision;
    const long n = recording_.sizes[size].n;
    std::unordered_map<std::size_t, std::map<int, double>>
        groups; // times by class, for each group of configurations that are otherwise alike
    for (const auto &[number, hash] : tried) {
      const Configuration &configuration = recording_.configurations[number];
      const double seconds = times_.at(size).at(number).typical();
      auto &group = groups[hash - decision.hashUpTo(configuration, n)];
      const auto [place, isNew] = group.try_emplace(decision.classAt(space_, configuration, n), seconds);
      place->second = isNew ? seconds : std::min(place->second, seconds);
    }
    std::vector<double> ratios;
    for (const auto &[rest, group] : groups) {
      const auto winner = group.find(result.winner);
      if (winner == group.end())
        continue;
      for (const auto &[kind, seconds] : group)
        if (kind != result.winner)
          ratios.push_back(seconds / winner->second);
    }
    result.pairs = static_cast<int>(ratios.size());
    if (!ratios.empty())
      result.alone = medianOf(std::move(ratios));
  }

  const ProgramSpace &space_;
  const Recording &recording_;
  const Configuration &chosen_;
  Times times_;
  int chosenNumber_ = -1, defaultNumber_ = -1;
  mutable std::map<int, std::unordered_map<int, Decided>> decided_; // by size
  Analysis analysis_;
};

} // namespace

const Comparison *DecisionResult::last() const {
  for (auto comparison = at.rbegin(); comparison != at.rend(); ++comparison)
    if (comparison->next.number >= 0)
      return &*comparison;
  return nullptr;
}

Analysis analyse(const ProgramSpace &space, const Recording &recording, const Configuration &chosen) {
  return Analyst(space, recording, chosen).run();
}

} // namespace pbc::tuner
