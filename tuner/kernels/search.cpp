// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/kernels/search.h"

#include "tuner/strategy/race.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pbc::tuner {
namespace {

constexpr int kTrials = 3;         // before a race
constexpr double kHopeless = 1.03; // times as slow as the best: not worth a race
constexpr std::size_t kMostRunners = 3, kMostProposed = 2;
constexpr int kProcesses = 3; // of each, for a race that confirms another
constexpr double kNoise = 0.98;
constexpr double kLongEnough = 0.03, kLong = 0.3; // seconds

/// Presents the edits about one thing as the space of a search: a single site whose first alternative is what is in use.
ProgramSpace spaceOf(const KernelOption &option) {
  ProgramSpace space;
  Site site;
  site.transform = option.kernelTitle();
  site.name = "script";
  site.alternatives.push_back({option.inUse, ""});
  for (const std::string &value : option.others)
    site.alternatives.push_back({value, ""});
  space.sites.push_back(site);
  return space;
}

/// The expected seconds of a comparison: races between new processes, of five rounds each (as when the time is over).
/// A turn lasts at least a tenth of a second, and each process begins with three runs.
double expectedComparison(double seconds) {
  constexpr double kRounds = 5, kTurn = 0.1, kStart = 0.1;
  return kProcesses * 2 * (kRounds * std::max(kTurn, seconds) + 3 * seconds + kStart);
}

/// Whether the winner is faster beyond chance, and also in the runs that nothing disturbed.
bool hasWon(const RaceResult &race) {
  return race.changed && race.winnerUndisturbed < kNoise * race.defaultUndisturbed;
}

/// Measures the edits about one thing. One time covers several short runs, so that the resolution of the clock
/// and the scheduler do not matter.
class OptionEvaluator : public Evaluator {
public:
  OptionEvaluator(Variants &variants, std::vector<KernelSettings> values)
      : variants_(variants), values_(std::move(values)) {
    const Measurement now = variants.measure(values_.front(), 1);
    seconds_ = now.seconds.empty() ? 0 : now.seconds.front();
    runs_ = std::clamp(static_cast<int>(kLongEnough / std::max(seconds_, 1e-9)), 1, 15);
  }

  /// How often a value is measured before its race.
  int trials() const { return seconds_ > kLong ? 1 : kTrials; }

  Measurement measure(const Request &request) override {
    const int value = request.configuration.selectors().front().select(0);
    const int each = runsOfATime(request.trials);
    Measurement all = variants_.measure(values_[static_cast<std::size_t>(value)], request.trials * each);
    Measurement result{{}, std::move(all.rejected)};
    const auto runs = static_cast<std::size_t>(each);
    for (std::size_t k = 0; k + runs <= all.seconds.size(); k += runs)
      result.seconds.push_back(lowerQuartile(
          {all.seconds.begin() + static_cast<long>(k), all.seconds.begin() + static_cast<long>(k + runs)}));
    return result;
  }
  double elapsed() const override { return variants_.elapsed(); }
  bool stopped() const override { return variants_.stopped(); }

private:
  /// A race asks for many times at once, which are long enough together: then each is that of fewer runs.
  int runsOfATime(int times) const {
    constexpr double kRequest = 0.1; // seconds
    return std::clamp(static_cast<int>(kRequest / std::max(seconds_ * times, 1e-9)), 1, runs_);
  }

  Variants &variants_;
  std::vector<KernelSettings> values_; // [0]: the best so far
  double seconds_;                     // of the best so far
  int runs_;
};

class Search {
public:
  Search(Variants &variants, const TestSize &size, const KernelSearchSettings &settings, Observer &observer,
         const std::function<void(const std::string &)> &note)
      : variants_(variants), size_(size), settings_(settings), observer_(observer), note_(note),
        screen_(settings.advice), lastComparison_(expectedComparison(size.defaultSeconds)) {}

  KernelSearchResult run(const KernelSettings &start) {
    result_.best = start;
    std::vector<KernelOption> options = variants_.options(start);
    if (trySeeds())
      options = variants_.options(result_.best);
    const std::vector<std::string> kernels = hottestFirst(options);
    bool isBetter = true;
    // An edit may be worth more after another one was made, so the search repeats until a whole round finds
    // nothing.
    while (isBetter && mayTry()) {
      isBetter = false;
      for (const std::string &kernel : kernels)
        isBetter |= improve(kernel, options);
      result_.isDone = !isBetter && mayTry();
    }
    result_.leftOut = screen_.leftOut();
    result_.modelFactor = screen_.factor();
    result_.isModelUsed = screen_.isTrusted();
    simplify(start);
    compareWithStart(start);
    return std::move(result_);
  }

private:
  /// When the search ends: the last comparison needs as long as those before did.
  double end() const {
    constexpr double kMost = 0.4; // of all the time
    return settings_.deadline - std::min(lastComparison_, kMost * settings_.deadline);
  }
  double left() const { return end() - variants_.elapsed(); }
  bool mayGoOn() const { return !variants_.stopped() && left() > 0; }
  bool mayTry() const { return mayGoOn() && (settings_.most == 0 || result_.tried < settings_.most); }

  /// Keeps as many values as there is time to make, measure and compare. The first is in use and already made.
  void keepAffordable(std::vector<KernelSettings> &values) const {
    const double ofOne = variants_.secondsToBuild() + kTrials * size_.defaultSeconds;
    if (ofOne > 0)
      values.resize(std::min(values.size(), 1 + static_cast<std::size_t>(std::max(left() / ofOne, 0.0))));
  }

  /// The median ratio of each one's time to that of the first; 0 where it was not measured. All are measured in turns
  /// and several times over, because what disturbs one turn must not name a kernel that hardly runs.
  std::vector<double> slowdownsOf(const std::vector<KernelSettings> &probes) {
    constexpr int kRounds = 3, kShortRuns = 5;
    std::vector<std::vector<double>> ratios(probes.size());
    const Measurement first = variants_.measure(probes.front(), 1);
    const int trials = first.seconds.empty() || first.seconds.front() > kLongEnough ? 1 : kShortRuns;
    for (int round = 0; round < kRounds && mayGoOn(); ++round) {
      const Measurement now = variants_.measure(probes.front(), trials);
      for (std::size_t k = 1; k < probes.size() && mayGoOn() && !now.seconds.empty(); ++k)
        if (const Measurement probe = variants_.measure(probes[k], trials); !probe.seconds.empty())
          ratios[k].push_back(lowerQuartile(probe.seconds) / lowerQuartile(now.seconds));
    }
    std::vector<double> result(probes.size());
    for (std::size_t k = 0; k < probes.size(); ++k)
      result[k] = ratios[k].empty() ? 0 : median(ratios[k]);
    return result;
  }

  /// Orders kernels by how much slower the program is without their vectors. Kernels without vectors come
  /// after those that matter, and before those that do not.
  std::vector<std::string> hottestFirst(const std::vector<KernelOption> &options) {
    constexpr double kMatters = 1.05, kUnknown = 1.04;
    std::vector<std::pair<double, std::string>> kernels;
    std::vector<KernelSettings> probes{result_.best};
    std::vector<std::size_t> probeOf; // by kernel; 0: none
    for (const KernelOption &option : options) {
      if (kernels.empty() || kernels.back().second != option.kernelTitle()) {
        kernels.emplace_back(kUnknown, option.kernelTitle());
        probeOf.push_back(0);
      }
      if (!option.slow.empty() && probeOf.back() == 0) {
        probeOf.back() = probes.size();
        probes.push_back(with(result_.best, option, option.slow));
      }
    }
    if (kernels.size() > 1) {
      keepAffordable(probes);
      variants_.build(probes);
      const std::vector<double> slowdowns = slowdownsOf(probes);
      for (std::size_t k = 0; k < kernels.size(); ++k)
        if (probeOf[k] > 0 && probeOf[k] < probes.size() && slowdowns[probeOf[k]] > 0)
          kernels[k].first = slowdowns[probeOf[k]];
      std::stable_sort(kernels.begin(), kernels.end(),
                       [](const auto &a, const auto &b) { return a.first > b.first; });
    }
    std::vector<std::string> names, hot;
    for (const auto &[ratio, name] : kernels) {
      names.push_back(name);
      if (ratio > kMatters)
        hot.push_back(name);
    }
    if (!hot.empty())
      note_(fmt::format("the kernels that matter: {}", fmt::join(hot, ", ")));
    return names;
  }

  /// Whether one of them is better.
  bool trySeeds() {
    bool isBetter = false;
    for (KernelOption seed : settings_.seeds) {
      // What does not apply in the program, for example tasks of loops that a first step changes, is no fault.
      std::vector<KernelSettings> all{result_.best};
      for (const std::string &script : seed.others)
        all.push_back(with(result_.best, seed, script));
      keepAffordable(all);
      variants_.build(all);
      seed.others.resize(all.size() - 1);
      std::erase_if(seed.others, [&](const std::string &script) {
        const Measurement once = variants_.measure(with(result_.best, seed, script), 1);
        return once.rejected && once.rejected->kind == Failure::Error;
      });
      isBetter |= !seed.others.empty() && mayGoOn() && tryValues(seed);
    }
    return isBetter;
  }

  /// Whether edits about this thing are left out, because the kernel is near its bound.
  bool isDone(const std::string &kernel, const std::string &about) const {
    return settings_.done.contains(kernel) && !about.starts_with("tasks");
  }

  /// The place of a thing among those that are edited: what may lower the bound's limiting term comes first.
  std::size_t placeOf(const std::string &kernel, const std::string &about) const {
    const auto first = settings_.first.find(kernel);
    if (first == settings_.first.end())
      return 0;
    const std::vector<std::string> &all = first->second;
    return std::find_if(all.begin(), all.end(),
                        [&](const std::string &step) { return about.starts_with(step); }) -
           all.begin();
  }

  /// Tries what a model proposes from what is in use, again and again while that wins. So that a model which is wrong costs little, it has as many
  /// turns as it has won, and one more.
  bool followModel(const std::string &kernel, std::vector<KernelOption> &options) {
    bool isBetter = false;
    while (mayTry() && proposalsLost_ <= proposalsWon_) {
      std::vector<KernelOption> edits;
      for (const KernelOption &option : options)
        if (option.kernelTitle() == kernel && !isDone(kernel, option.about))
          edits.push_back(option);
      std::stable_sort(edits.begin(), edits.end(), [&](const KernelOption &a, const KernelOption &b) {
        return placeOf(kernel, a.about) < placeOf(kernel, b.about);
      });
      if (edits.empty())
        break;
      KernelOption proposed = edits.front();
      proposed.others = screen_.proposals(edits, kMostProposed);
      if (proposed.others.empty())
        break;
      if (!tryValues(proposed)) {
        ++proposalsLost_;
        break;
      }
      ++proposalsWon_;
      isBetter = true;
      options = variants_.options(result_.best);
    }
    return isBetter;
  }

  /// Tries the edits of one kernel; `options` are renewed after each change. Loops without vectors are tried last:
  /// without vectors, the edits about them do not exist, so the best vectors must be known for a comparison.
  bool improve(const std::string &kernel, std::vector<KernelOption> &options) {
    bool isBetter = followModel(kernel, options);
    for (const bool isLast : {false, true}) {
      std::vector<std::string> done;
      for (;;) {
        std::stable_sort(options.begin(), options.end(), [&](const KernelOption &a, const KernelOption &b) {
          return placeOf(kernel, a.about) < placeOf(kernel, b.about);
        });
        const auto next = std::find_if(options.begin(), options.end(), [&](const KernelOption &o) {
          return o.kernelTitle() == kernel && std::find(done.begin(), done.end(), o.about) == done.end() &&
                 !isDone(kernel, o.about);
        });
        if (next == options.end() || !mayTry())
          break;
        done.push_back(next->about);
        KernelOption tried = *next;
        std::erase_if(tried.others,
                      [&](const std::string &script) { return (script == tried.slow) != isLast; });
        tried.others = screen_.worth(tried);
        if (tried.others.empty() || !tryValues(tried))
          continue;
        isBetter = true;
        options = variants_.options(result_.best);
      }
    }
    return isBetter;
  }

  bool tryValues(const KernelOption &option) {
    const ProgramSpace space = spaceOf(option);
    std::vector<KernelSettings> values{result_.best};
    for (const std::string &value : option.others)
      values.push_back(with(result_.best, option, value));
    if (settings_.most > 0) // none only where seeds are more than that
      values.resize(
          std::min(values.size(), 1 + static_cast<std::size_t>(std::max(settings_.most - result_.tried, 0))));
    keepAffordable(values);
    if (values.size() < 2)
      return false;
    variants_.build(values);
    OptionEvaluator evaluator(variants_, values);
    TestSize size = size_;
    Tester tester(space, {size}, evaluator, observer_);
    const Configuration reference = Configuration::defaults(space);
    const auto use = [&](int value) { return reference.withSelector(0, Selector(value)); };
    Candidate now{reference, {}};
    const bool isMeasured = tester.test(now, 0, evaluator.trials(), reference);
    std::vector<Candidate> candidates;
    for (int value = 1; isMeasured && value < static_cast<int>(values.size()) && mayGoOn(); ++value) {
      Candidate candidate{use(value), {}};
      ++result_.tried;
      if (!tester.test(candidate, 0, evaluator.trials(), reference))
        continue;
      screen_.measured(option.others[static_cast<std::size_t>(value - 1)], fastest(candidate) / fastest(now));
      if (fastest(candidate) < kHopeless * fastest(now))
        candidates.push_back(std::move(candidate));
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate &a, const Candidate &b) { return fastest(a) < fastest(b); });
    std::vector<Configuration> runners;
    for (std::size_t k = 0; k < std::min(candidates.size(), kMostRunners); ++k)
      runners.push_back(candidates[k].configuration);
    bool isBetter = false;
    if (!runners.empty() && mayGoOn()) {
      const RaceResult first = race(tester, runners, 0, end());
      if (hasWon(first)) {
        const Comparison again = compare(tester, first.winner, end());
        isBetter = again.isFaster && !variants_.stopped();
        if (isBetter) {
          const int value = first.winner.selectors().front().select(0);
          result_.best = values[static_cast<std::size_t>(value)];
          note_(fmt::format("{} = {}: {:.2f} times as fast", option.title(),
                            space.sites.front().alternatives[static_cast<std::size_t>(value)].name,
                            again.before / again.after));
        }
      }
    }
    for (const Fault &fault : tester.bans().faults())
      result_.faults.push_back(fault);
    return isBetter;
  }

  /// Removes the settings that make no difference any more, or never did.
  void simplify(const KernelSettings &start) {
    const KernelSettings all = result_.best;
    for (const auto &[names, value] : all) {
      KernelSettings fewer = result_.best;
      fewer.erase(names);
      if (start.contains(names) || fewer == start || !mayGoOn())
        continue;
      variants_.build({fewer, result_.best});
      if (variants_.measure(fewer, 1).seconds.empty())
        continue; // others need it
      const ProgramSpace space = spaceOf({"the kernels", "all", "settings", "fewer", {"all"}});
      OptionEvaluator evaluator(variants_, {fewer, result_.best});
      Tester tester(space, {size_}, evaluator, observer_);
      const Comparison last =
          compare(tester, Configuration::defaults(space).withSelector(0, Selector(1)), end());
      if (last.isDone && !last.isFaster && !variants_.stopped())
        result_.best = fewer;
    }
  }

  static double fastest(const Candidate &candidate) {
    return *std::min_element(candidate.seconds.at(0).begin(), candidate.seconds.at(0).end());
  }

  struct Comparison {
    double before = 0, after = 0; // seconds
    bool isFaster = false, isDone = false;
  };

  /// Runs several races of two, each between new processes; the candidate must win most of them.
  Comparison compare(Tester &tester, const Configuration &candidate, double deadline) {
    const double begin = variants_.elapsed();
    const Configuration reference = Configuration::defaults(tester.space());
    std::vector<double> before, after;
    int won = 0;
    for (int k = 0; k < kProcesses && !variants_.stopped(); ++k) {
      variants_.renew();
      const RaceResult result =
          candidate == reference ? race(tester, {}, 0, deadline) : race(tester, {candidate}, 0, deadline);
      if (variants_.stopped() || result.rounds == 0)
        break;
      won += hasWon(result);
      before.push_back(result.defaultUndisturbed);
      after.push_back(result.winnerUndisturbed);
    }
    if (static_cast<int>(before.size()) == kProcesses)
      lastComparison_ = std::max(lastComparison_, variants_.elapsed() - begin);
    return {median(before), median(after), won > kProcesses / 2,
            static_cast<int>(before.size()) == kProcesses};
  }

  void compareWithStart(const KernelSettings &start) {
    if (result_.best == start && variants_.stopped())
      return;
    ProgramSpace space = spaceOf({"the kernels", "all", "settings", "at first", {"tuned"}});
    variants_.build({start, result_.best});
    OptionEvaluator evaluator(variants_, {start, result_.best});
    Tester tester(space, {size_}, evaluator, observer_);
    const Configuration reference = Configuration::defaults(space);
    const Comparison last =
        compare(tester, result_.best == start ? reference : reference.withSelector(0, Selector(1)),
                settings_.deadline);
    result_.raced = last.isDone;
    result_.startSeconds = last.before;
    result_.bestSeconds = last.isFaster ? last.after : last.before;
    result_.changed = last.isFaster;
    // If the search was stopped before its end, a configuration that has won its races is kept.
    if (!result_.changed && !variants_.stopped())
      result_.best = start;
  }

  Variants &variants_;
  const TestSize size_;
  const KernelSearchSettings &settings_;
  Observer &observer_;
  const std::function<void(const std::string &)> &note_;
  KernelSearchResult result_;
  Screen screen_;
  int proposalsWon_ = 0, proposalsLost_ = 0;
  double lastComparison_; // its expected seconds
};

} // namespace

KernelSearchResult searchKernels(Variants &variants, const KernelSettings &start, const TestSize &size,
                                 const KernelSearchSettings &settings, Observer &observer,
                                 const std::function<void(const std::string &)> &note) {
  return Search(variants, size, settings, observer, note).run(start);
}

} // namespace pbc::tuner
