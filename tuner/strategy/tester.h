// Measures candidates through an Evaluator, remembers their times at each size, and decides who is faster.
//
//   Tester tester(space, sizes, evaluator, observer);
//   tester.test(candidate, size, 1, parent)     -> false: rejected; its fault is in tester.bans()
//   tester.beats(child, parent, size)           -> measures both again until the answer is clear, 5 times
//   each
//
// Invariant: a rejected configuration is never measured again at that size, and, unless it was only too slow,
// at no other size either. Source: petabricks-hetero 7.2, requirements 78 and 81.
#pragma once
#include "tuner/strategy/bans.h"
#include "tuner/strategy/evaluator.h"
#include "tuner/strategy/statistics.h"

#include <map>
#include <set>

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

  Tester(const ProgramSpace &, std::vector<TestSize>, Evaluator &, Observer &);

  /// Adds `trials` times to the candidate. Its run-time limit follows from the best time known at this size.
  /// `parent` is whom it is compared with when its fault is sought.
  bool test(Candidate &, int size, int trials, const Configuration &parent);
  /// Measures until it is clear whether the child is faster. Both must have been measured at this size.
  bool beats(Candidate &child, Candidate &parent, int size);
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
  double bestAt(int size) const;
  /// The default's time at this size, as far as it is known.
  double defaultAt(int size) const;
  /// False when the user or the time asks to end.
  bool mayGoOn(double deadline) const { return !evaluator_.stopped() && evaluator_.elapsed() < deadline; }

private:
  double limit(int size) const;
  /// Looks at each alternative before anything is measured: what is right at the tested sizes only would win
  /// and leave nothing.
  void screen();
  std::optional<Configuration> repaired(const Configuration &, const Misfit &, double deadline);

  const ProgramSpace &space_;
  std::vector<TestSize> sizes_;
  Evaluator &evaluator_;
  Observer &observer_;
  Bans bans_;
  std::string defaultKey_;
  std::map<int, std::vector<double>> defaultSeconds_;
  std::map<int, std::vector<double>> bestSeconds_;
  std::set<std::string> quarantined_;
  std::set<std::pair<int, std::string>> rejectedAt_, seen_;
  std::map<int, Noise> noise_; // short runs are noisier than long ones
  int measurements_ = 0;
  bool isScreened_ = false;
};

} // namespace pbc::tuner
