// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/front.h"

#include "tuner/strategy/growing_search.h"
#include "tuner/strategy/statistics.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pbc::tuner {
namespace {

constexpr double kAlone = 0.35; // part of the time for each objective alone
constexpr double kTurns = 0.12; // for the last runs
constexpr double kAugment = 0.05;
constexpr int kMostRivals = 16, kRounds = 5;

double ratio(double value, double reference) { return std::max(value, 1e-12) / std::max(reference, 1e-12); }

/// Whether `p` has clearly less of one metric and not clearly more of the other.
bool isBetter(const Metrics &p, const Metrics &q, const std::array<Metric, 2> &metrics) {
  bool isLess = false;
  for (const Metric metric : metrics) {
    const double r = ratio(p.of(metric), q.of(metric));
    if (r > 1 + kEqual)
      return false;
    isLess |= r < 1 / (1 + kEqual);
  }
  return isLess;
}

bool isEqual(const Metrics &p, const Metrics &q, const std::array<Metric, 2> &metrics) {
  return std::all_of(metrics.begin(), metrics.end(), [&](Metric metric) {
    return std::abs(std::log(ratio(p.of(metric), q.of(metric)))) <= std::log1p(kEqual);
  });
}

/// `weight` belongs to the first metric; `ideal` has the least of each.
Cost between(const std::array<Metric, 2> &metrics, const Metrics &ideal, double weight) {
  return [metrics, ideal, weight](const Metrics &run, const Metrics &byDefault) {
    const auto distance = [&](const Metrics &m) {
      const double first = weight * std::log(ratio(m.of(metrics[0]), ideal.of(metrics[0])));
      const double second = (1 - weight) * std::log(ratio(m.of(metrics[1]), ideal.of(metrics[1])));
      return std::max(first, second) + kAugment * (first + second);
    };
    return std::exp(distance(run) - distance(byDefault));
  };
}

class Search {
public:
  Search(const ProgramSpace &space, const std::vector<TestSize> &sizes, const std::array<Metric, 2> &metrics,
         const TuneSettings &settings, ObjectiveEvaluator &evaluator, Observer &observer)
      : space_(space), sizes_(sizes), metrics_(metrics), settings_(settings), evaluator_(evaluator),
        observer_(observer), last_(static_cast<int>(sizes.size()) - 1) {}

  FrontResult run() {
    const double begin = evaluator_.elapsed();
    const double all = std::max(settings_.deadline - begin, 0.0);
    for (int i = 0; i < 2 && !evaluator_.stopped(); ++i)
      alone(metrics_[static_cast<std::size_t>(i)], begin + (i + 1) * kAlone * all);
    constexpr std::array<double, 3> kWeights{0.5, 0.25, 0.75};
    for (std::size_t i = 0; i < kWeights.size() && !evaluator_.stopped(); ++i) {
      const double share =
          2 * kAlone + (1 - 2 * kAlone - kTurns) * static_cast<double>(i + 1) / kWeights.size();
      middle(kWeights[i], begin + share * all);
    }
    result_.size = last_;
    result_.considered = static_cast<int>(evaluator_.archive(last_).size());
    lastTurns();
    return std::move(result_);
  }

private:
  std::vector<FrontPoint> archived() {
    std::vector<FrontPoint> points;
    for (const auto &[key, entry] : evaluator_.archive(last_))
      points.push_back({entry.configuration, entry.typical()});
    return points;
  }

  void alone(Metric metric, double deadline) {
    observer_.stage(fmt::format("least {}", nameOf(metric)));
    evaluator_.setCost(costOf(Objective({metric})));
    TuneSettings settings = settings_;
    settings.deadline = deadline;
    settings.isRaced = false;
    if (settings.trials > 0) // 0: no limit
      settings.trials = std::max(static_cast<int>(std::lround(settings_.trials * kAlone)), 1);
    const TuneResult found = tune(space_, sizes_, best_, settings, evaluator_, observer_);
    result_.measurements += found.measurements;
    noteFaults(found.faults);
    if (found.size == last_)
      best_.push_back(found.best);
  }

  void middle(double weight, double deadline) {
    const std::vector<FrontPoint> front = frontOf(archived(), metrics_);
    if (front.size() < 2) // one configuration is best in both, so nothing lies between
      return;
    observer_.stage(fmt::format("between: {:.0f} parts of {} in 100", 100 * weight, nameOf(metrics_[0])));
    Metrics ideal = front.front().metrics;
    for (const FrontPoint &point : front) {
      ideal.seconds = std::min(ideal.seconds, point.metrics.seconds);
      if (ideal.joules && point.metrics.joules)
        ideal.joules = std::min(*ideal.joules, *point.metrics.joules);
      if (ideal.bytes && point.metrics.bytes)
        ideal.bytes = std::min(*ideal.bytes, *point.metrics.bytes);
    }
    evaluator_.setCost(between(metrics_, ideal, weight));
    Tester tester(space_, sizes_, evaluator_, observer_);
    Random random(settings_.seed + static_cast<std::uint64_t>(100 * weight));
    std::vector<Configuration> start;
    for (const FrontPoint &point : front)
      if (start.size() < static_cast<std::size_t>(settings_.population))
        start.push_back(point.configuration);
    const int trials = settings_.trials > 0 ? std::max(settings_.trials / 10, 1) : kUnlimitedTrials;
    growThroughSizes(tester, start, *parseStrategy("evolutionary").make(),
                     {Deadline{deadline, trials}, settings_.population, last_}, random);
    result_.measurements += tester.measurements();
    noteFaults(tester.bans().faults());
  }

  void noteFaults(const std::vector<Fault> &faults) {
    for (const Fault &fault : faults)
      if (std::none_of(result_.faults.begin(), result_.faults.end(),
                       [&](const Fault &known) { return known.suspect == fault.suspect; }))
        result_.faults.push_back(fault);
  }

  /// Measures in turns the configurations that are right everywhere, and the default.
  void lastTurns() {
    std::vector<FrontPoint> rivals = frontOf(archived(), metrics_);
    if (rivals.size() > static_cast<std::size_t>(kMostRivals)) { // evenly over the front, including both ends
      std::vector<FrontPoint> some;
      for (int i = 0; i < kMostRivals; ++i)
        some.push_back(rivals[i * (rivals.size() - 1) / (kMostRivals - 1)]);
      rivals = std::move(some);
    }
    observer_.stage(fmt::format("the last runs of {}", rivals.size()));
    evaluator_.setCost(costOf(Objective({metrics_[0]})));
    Tester tester(space_, sizes_, evaluator_, observer_);
    std::vector<Configuration> configurations{Configuration::defaults(space_)};
    for (const FrontPoint &rival : rivals)
      configurations.push_back(rival.configuration);
    if (!evaluator_.stopped())
      configurations = tester.sound(configurations, std::max(settings_.deadline, evaluator_.elapsed() + 1));
    noteFaults(tester.bans().faults());
    std::vector<FrontPoint> points;
    for (const Configuration &configuration : measuredInTurns(configurations))
      if (const auto metrics = newest(configuration))
        points.push_back({configuration, *metrics});
    for (const FrontPoint &point : points)
      if (point.configuration == Configuration::defaults(space_))
        result_.byDefault = point.metrics;
    result_.points = frontOf(std::move(points), metrics_);
    result_.isWhole = !evaluator_.stopped();
  }

  /// Returns those that ran.
  std::vector<Configuration> measuredInTurns(std::vector<Configuration> configurations) {
    const double limit = std::max(20 * sizes_[static_cast<std::size_t>(last_)].defaultSeconds, 1.0);
    for (int round = 0; round < kRounds && !evaluator_.stopped(); ++round) {
      std::erase_if(configurations, [&](const Configuration &configuration) {
        const Measurement measured = evaluator_.measure({configuration, last_, 1, limit, true});
        ++result_.measurements;
        return !evaluator_.stopped() && measured.seconds.empty();
      });
      std::reverse(configurations.begin(), configurations.end());
    }
    return configurations;
  }

  /// The medians of the last runs, those in turns.
  std::optional<Metrics> newest(const Configuration &configuration) {
    const auto &archive = evaluator_.archive(last_);
    const auto found = archive.find(configuration.key());
    if (found == archive.end())
      return {};
    ObjectiveEvaluator::Archived last = found->second;
    if (last.runs.size() > static_cast<std::size_t>(kRounds))
      last.runs.erase(last.runs.begin(), last.runs.end() - kRounds);
    return last.typical();
  }

  const ProgramSpace &space_;
  const std::vector<TestSize> &sizes_;
  const std::array<Metric, 2> metrics_;
  const TuneSettings &settings_;
  ObjectiveEvaluator &evaluator_;
  Observer &observer_;
  const int last_;
  std::vector<Configuration> best_; // of each objective alone
  FrontResult result_;
};

} // namespace

std::vector<FrontPoint> frontOf(std::vector<FrontPoint> points, const std::array<Metric, 2> &metrics) {
  // The simplest comes first: of equal points it is kept.
  std::stable_sort(points.begin(), points.end(), [](const FrontPoint &a, const FrontPoint &b) {
    return a.configuration.complexity() < b.configuration.complexity();
  });
  std::vector<FrontPoint> front;
  for (const FrontPoint &point : points) {
    const bool isNeedless = std::any_of(points.begin(), points.end(), [&](const FrontPoint &other) {
      return isBetter(other.metrics, point.metrics, metrics);
    });
    const bool isKnown = std::any_of(front.begin(), front.end(), [&](const FrontPoint &other) {
      return isEqual(other.metrics, point.metrics, metrics);
    });
    if (!isNeedless && !isKnown)
      front.push_back(point);
  }
  std::stable_sort(front.begin(), front.end(), [&](const FrontPoint &a, const FrontPoint &b) {
    return a.metrics.of(metrics[0]) < b.metrics.of(metrics[0]);
  });
  return front;
}

FrontResult findFront(const ProgramSpace &space, const std::vector<TestSize> &sizes,
                      const std::array<Metric, 2> &metrics, const TuneSettings &settings,
                      ObjectiveEvaluator &evaluator, Observer &observer) {
  return Search(space, sizes, metrics, settings, evaluator, observer).run();
}

} // namespace pbc::tuner
