// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures candidates through an Evaluator, remembers their times at each size, and decides who is faster.
//
//   Tester tester(space, sizes, evaluator, observer);
//   tester.test(candidate, size, 1, parent)     -> false: rejected; its fault is in tester.bans()
//   tester.beats(child, parent, size)           -> measures both again until the answer is clear, 5 times
//   each
//
// Invariant: a rejected configuration is never measured again at that size, and, unless it was only too slow,
// at no other size either. "Too slow" bans an alternative only if it holds right after a new run of the best:
// on a machine that was busy for a moment, everything is too slow for limits of before. Source:
// petabricks-hetero 7.2, requirements 78 and 81.
#pragma once
#include "tuner/strategy/bans.h"
#include "tuner/strategy/deadline.h"
#include "tuner/strategy/evaluator.h"
#include "tuner/strategy/statistics.h"

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

/// Whoever wants to show how it goes.
class Observer {
public:
  virtual ~Observer() = default;
  /// After each measurement: the best time so far at this size, and the default's.
  virtual void measured(const TestSize &, int measurements, double best, double byDefault) = 0;
  /// After each size.
  virtual void finished(const TestSize &, int measurements, double best, double byDefault) = 0;
  virtual void stage(const std::string &name) = 0;
};

class Tester {
public:
  static constexpr int kMostTrials = 5;
  static constexpr int kAgain = 3; // runs of a new look: one may be disturbed

  /// How often a candidate runs when it is tested, and at most until it is clear who is faster. Where time is
  /// short, single runs are the cheapest; where measurements are counted, each should tell as much as it can.
  struct Runs {
    int first = 1, most = kMostTrials;
  };
  /// Counted trials are three runs each, and a comparison takes one more of each at most. `trials`: 0, if
  /// only time counts.
  static Runs runsOf(int trials) { return trials > 0 ? Runs{3, 6} : Runs{}; }

  Tester(const ProgramSpace &, std::vector<TestSize>, Evaluator &, Observer &, Runs runs = {1, kMostTrials});

  /// The first test of a candidate.
  bool test(Candidate &candidate, int size, const Configuration &parent) {
    return test(candidate, size, runs_.first, parent);
  }
  /// Adds `trials` times to the candidate. Its run-time limit follows from the best time known at this size.
  /// `parent` is whom it is compared with when its fault is sought.
  bool test(Candidate &candidate, int size, int trials, const Configuration &parent) {
    return test(candidate, size, trials, parent, false);
  }
  /// The same, though times of before may be remembered.
  bool testNow(Candidate &candidate, int size, int trials, const Configuration &parent) {
    return test(candidate, size, trials, parent, true);
  }
  /// From now on a comparison that is under way ends at this number of measurements: what is not clear by then
  /// stays unclear. Whether one begins is decided by the caller, which asks mayGoOn().
  void allow(int measurements) { allowed_ = measurements; }
  bool isAllowed(int wanted) const { return wanted <= allowed_ - measurements_; }
  /// Asks the evaluator, and counts it.
  Measurement measure(const Request &request) {
    ++measurements_;
    return evaluator_.measure(request);
  }
  /// What it takes now, in place of what it took before; false: it was rejected, or not measured.
  bool measureAnew(Candidate &, int size);
  /// Times at this size are of a machine in another state: limits follow from what comes now, and what lost
  /// to such times, or was too slow for them, is new again.
  void forgetTimes(int size);
  /// Measures until it is clear whether the child is faster. Both must have been measured at this size.
  bool beats(Candidate &child, Candidate &parent, int size);
  /// Whether its results are still right after many runs in a process of its own; if not, who is to blame is
  /// named.
  bool staysRight(const Configuration &, int size);
  /// Those of the configurations that are right at other sizes and with other values, too; of the others,
  /// what is left of them without what is to blame. Faults are in bans().
  std::vector<Configuration> sound(const std::vector<Configuration> &, double deadline);
  /// Something went wrong outside of test().
  void noteFailure(const Configuration &, int size, const Rejected &);
  /// True the first time that it is asked for this configuration at this size.
  bool isNew(const Configuration &, int size);

  const ProgramSpace &space() const { return space_; }
  const std::vector<TestSize> &sizes() const { return sizes_; }
  Evaluator &evaluator() { return evaluator_; }
  Observer &observer() { return observer_; }
  const Bans &bans() const { return bans_; }
  int measurements() const { return measurements_; }
  Spent spent() const { return {evaluator_.elapsed(), measurements_}; }
  /// Seconds that a candidate may take now at this size.
  double limit(int size) const;
  const Runs &runs() const { return runs_; }
  bool wasTooSlow(const Configuration &configuration, int size) const {
    return tooSlowAt_.contains({size, configuration.key()});
  }
  double bestAt(int size) const;
  /// The default's time at this size, as far as it is known.
  double defaultAt(int size) const;
  /// The shortest run of anybody, which nothing has disturbed if any; 0: not known.
  double shortestAt(int size) const {
    const auto found = shortest_.find(size);
    return found == shortest_.end() ? sizes_[static_cast<std::size_t>(size)].defaultSeconds : found->second;
  }
  /// False when the user, the time or the number of measurements asks to end, of which `wanted` are to come.
  bool mayGoOn(const Deadline &deadline, int wanted = 1) const {
    return !evaluator_.stopped() && evaluator_.elapsed() < deadline.seconds &&
           wanted <= deadline.measurements - measurements_;
  }

private:
  bool test(Candidate &, int size, int trials, const Configuration &parent, bool isFresh);
  /// The candidate once more, right after the best: what was too slow by the clock may not be by comparison.
  static constexpr int kMeasurementsOfAgain = 2;
  Measurement again(const Configuration &, int size);
  /// The default with one alternative of another configuration, wherever that one takes it.
  struct Alone {
    int site, alternative;
    Configuration configuration;
  };
  /// Of each alternative that it takes up to this size, and the default does not.
  std::vector<Alone> eachAlone(const Configuration &, int size) const;
  /// Who is it, if the results of a candidate are wrong? Each of its alternatives alone, once a size: what is
  /// wrong so is not chosen any more, not even at sizes where it agreed.
  void seekWrong(const Configuration &, int size);
  /// Looks at each alternative before anything is measured: what is right at the tested sizes only would win
  /// and leave nothing.
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
  std::map<int, Configuration> best_; // whose times those are
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
