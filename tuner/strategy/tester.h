// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures candidates through an Evaluator, remembers their times at each size, and decides which one is
// faster.
//
//   Tester tester(space, sizes, evaluator, observer);
//   tester.test(candidate, size, 1, parent)     -> false: rejected; its fault is in tester.bans()
//   tester.beats(child, parent, size)           -> measures both again until the answer is clear,
//                                                  5 times each at most
//
// Invariant: a rejected configuration is never measured again at that size, and, unless it was only too slow,
// at no other size either. One that cannot be fast enough, by its bound, is not measured at all: at the full size the bound has
// to be above the best time, and below it above the time limit, at which it would be stopped. "Too slow" bans an alternative only if this is confirmed right after a new run of
// the best: on a machine that was busy for a moment, everything exceeds limits that were set before. Source:
// petabricks-hetero 7.2, requirements 78 and 81.
#pragma once
#include "tuner/strategy/bans.h"
#include "tuner/strategy/deadline.h"
#include "tuner/strategy/evaluator.h"
#include "tuner/strategy/statistics.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace pbc::tuner {

struct Candidate {
  Configuration configuration;
  std::map<int, std::vector<double>> seconds; // by size

  bool measuredAt(int size) const {
    const auto found = seconds.find(size);
    return found != seconds.end() && !found->second.empty();
  }
  double at(int size) const { return typicalSeconds(seconds.at(size)); }
};

/// Receives the progress, to show it.
class Observer {
public:
  virtual ~Observer() = default;
  /// Called after each measurement, with the best time so far at this size, and the default's.
  virtual void measured(const TestSize &, int measurements, double best, double byDefault) = 0;
  /// Called after each size.
  virtual void finished(const TestSize &, int measurements, double best, double byDefault) = 0;
  virtual void stage(const std::string &name) = 0;
};

class Tester {
public:
  static constexpr int kMostTrials = 5;
  static constexpr int kAgain = 3;        // runs of a confirmation, one of which may be disturbed
  static constexpr double kScreening = 5; // seconds

  /// How often a candidate runs when it is tested, and at most until it is clear which one is faster. If time
  /// is the budget, single runs are the cheapest; if measurements are counted, each should tell as much as
  /// possible.
  struct Runs {
    int first, most;
    double screening; // seconds in which each alternative is looked at first, at most
  };
  /// With a budget of trials, each trial has three runs, and a comparison takes at most one more trial of
  /// each. `trials`: 0 if time is the budget, of which there are `seconds`.
  static Runs runsOf(int trials, double seconds) {
    constexpr double kShare = 0.15;
    return trials > 0 ? Runs{3, 6, kScreening} : Runs{1, kMostTrials, std::min(kScreening, kShare * seconds)};
  }

  Tester(const ProgramSpace &, std::vector<TestSize>, Evaluator &, Observer &,
         Runs runs = {1, kMostTrials, kScreening});

  /// The first test of a candidate. Its `parent` is what it is compared with if it fails.
  bool test(Candidate &candidate, int size, const Configuration &parent) {
    return test(candidate, size, runs_.first, parent);
  }
  /// Adds `trials` times to the candidate. Its time limit follows from the best time known at this size.
  /// `parent` is the configuration that it is compared with when the cause of a failure is sought.
  bool test(Candidate &candidate, int size, int trials, const Configuration &parent) {
    return test(candidate, size, trials, parent, false);
  }
  /// The same with a new measurement, even if recorded times exist.
  bool testNow(Candidate &candidate, int size, int trials, const Configuration &parent) {
    return test(candidate, size, trials, parent, true);
  }
  /// Limits the number of measurements from now on: a comparison that reaches the limit ends, and a difference that
  /// is not clear by then stays unclear. Callers must call mayGoOn() before they begin a comparison.
  void allow(int measurements) { allowed_ = measurements; }
  bool isAllowed(int wanted) const { return wanted <= allowed_ - measurements_; }
  /// Asks the evaluator, and counts the measurement.
  Measurement measure(const Request &request) {
    ++measurements_;
    return evaluator_.measure(request);
  }
  /// Replaces its times by a new measurement; false: it was rejected, or not measured.
  bool measureAnew(Candidate &, int size);
  /// Earlier times at this size are from a machine in another state: limits follow from new times, and
  /// candidates that lost to earlier times, or were too slow for them, count as new.
  void forgetTimes(int size);
  /// Measures until it is clear whether the child is faster. Both must have been measured at this size.
  bool beats(Candidate &child, Candidate &parent, int size);
  /// Whether the configuration's results are still right after many runs in a separate process, and in a run like a
  /// user's. If not, the cause is recorded as a fault.
  bool staysRight(const Configuration &, int size);
  /// Whether a run from outside shows that the configuration is wrong. Then it is quarantined.
  bool isRefuted(const Configuration &, int size, double byDefault, double seconds);
  /// Returns those configurations that are also right at other sizes and with other values; of the others,
  /// what is left of them without the cause. Faults are in bans().
  std::vector<Configuration> sound(const std::vector<Configuration> &, double deadline);
  /// Records a failure outside of test().
  void noteFailure(const Configuration &, int size, const Rejected &);
  /// True the first time it is called for this configuration at this size.
  bool isNew(const Configuration &, int size);

  const ProgramSpace &space() const { return space_; }
  const std::vector<TestSize> &sizes() const { return sizes_; }
  Evaluator &evaluator() { return evaluator_; }
  Observer &observer() { return observer_; }
  const Bans &bans() const { return bans_; }
  int measurements() const { return measurements_; }
  Spent spent() const { return {evaluator_.elapsed(), measurements_}; }
  /// The time limit, in seconds, of a candidate at this size.
  double limit(int size) const;
  const Runs &runs() const { return runs_; }
  bool wasTooSlow(const Configuration &configuration, int size) const {
    return tooSlowAt_.contains({size, configuration.key()});
  }
  double bestAt(int size) const;
  /// The default's time at this size, if it is known.
  double defaultAt(int size) const;
  /// The shortest run of all configurations, which is the least disturbed one; 0: not known.
  double shortestAt(int size) const {
    const auto found = shortest_.find(size);
    return found == shortest_.end() ? sizes_[static_cast<std::size_t>(size)].defaultSeconds : found->second;
  }
  /// False when the user, the time or the number of measurements ends the search; `wanted` measurements are
  /// to come.
  bool mayGoOn(const Deadline &deadline, int wanted = 1) const {
    return !evaluator_.stopped() && evaluator_.elapsed() < deadline.seconds &&
           wanted <= deadline.measurements - measurements_;
  }

private:
  bool test(Candidate &, int size, int trials, const Configuration &parent, bool isFresh);
  /// Whether its bound says that no measurement can make it the best at the full size, or keep it at a smaller one.
  bool cannotWin(const Configuration &, int size);
  /// Measures the candidate once more, right after the best: what was too slow by the clock may not be too
  /// slow in comparison.
  static constexpr int kMeasurementsOfAgain = 2;
  Measurement again(const Configuration &, int size);
  /// The default with one alternative of another configuration, for all sizes at which that one takes it.
  struct Alone {
    int site, alternative;
    Configuration configuration;
  };
  /// One entry for each alternative that it takes up to this size and the default does not.
  std::vector<Alone> eachAlone(const Configuration &, int size) const;
  /// Finds the cause if the results of a candidate are wrong: measures each of its alternatives alone, once
  /// for each size. One that is wrong alone is not chosen any more, not even at sizes where it agreed.
  void seekWrong(const Configuration &, int size);
  /// Examines each alternative before anything is measured: one that is right only at the tested sizes would
  /// otherwise win and be rejected at the end, leaving nothing.
  void screen();
  std::optional<Configuration> repaired(const Configuration &, const Misfit &, double deadline);

  const ProgramSpace &space_;
  std::vector<TestSize> sizes_;
  Evaluator &evaluator_;
  Observer &observer_;
  const Runs runs_;
  Bans bans_;
  std::string defaultKey_;
  std::map<int, std::vector<double>> defaultSeconds_;
  std::map<int, std::vector<double>> bestSeconds_;
  std::map<int, Configuration> best_; // the configuration that has the best time
  std::map<int, double> shortest_;
  std::set<std::tuple<int, int, int>> triedAlone_; // site, alternative, size
  std::set<std::string> quarantined_;
  std::set<std::pair<int, std::string>> rejectedAt_, tooSlowAt_, seen_;
  std::map<int, Noise> noise_; // short runs are noisier than long ones
  int measurements_ = 0;
  int allowed_ = kUnlimitedTrials;
  bool isScreened_ = false;
};

} // namespace pbc::tuner
