// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures by running the program: an Evaluator over a Worker that keeps its results in the journal.
//
//   WorkerEvaluator evaluator(space, steps, worker, &journal, settings);
//   evaluator.measure({configuration, size 3, trials 1, limit 0.5})
//       -> a time from the journal if one is there, else from a run
//
// Invariant: every run that was made is in the journal before its result is used; a recorded time is handed
// out at most once, so that asking again always brings new evidence.
#pragma once
#include "tuner/evaluate/worker.h"
#include "tuner/journal/notes.h"
#include "tuner/space/toml.h"

#include <chrono>
#include <map>
#include <set>

namespace pbc::tuner {

/// A size at which the program has been prepared once.
struct Step {
  Sizes sizes;
  long n = 0;
  double defaultSeconds = 0;
};

struct WorkerEvaluatorSettings {
  std::string machine;
  std::string inputs;   // what else decides a time, for the journal's size column: files, threads
  double longest = 60;  // seconds that a request may take at most, whatever the limit
  bool remember = true; // use recorded times of the journal
  int threads = 0;
  std::vector<Metric> metrics = {Metric::Time}; // what is measured of a run
  double window = 0;                            // seconds for which a run is repeated if energy is measured
  bool variesInputs = false;                    // new random inputs in each new process
};

class Examination;
class LowerBounds;
class OutsideRun;

class WorkerEvaluator : public Evaluator {
public:
  /// `journal` may be null. The clock starts at construction.
  WorkerEvaluator(const ProgramSpace &, std::vector<Step>, Worker &, Journal *, WorkerEvaluatorSettings);

  Measurement measure(const Request &) override;
  std::vector<std::optional<Misfit>> examine(const std::vector<Configuration> &, Depth,
                                             double deadline) override;
  /// Sets the examination; without one, nothing is examined. It must outlive this object.
  void setExamination(Examination *examination) { examination_ = examination; }
  /// Sets the object that runs the winner from outside, and the time of the steady clock when that must end. It must
  /// outlive this object.
  void setOutside(OutsideRun *outside, double until) {
    outside_ = outside;
    outsideUntil_ = until;
  }
  /// Sets what is known of times without measuring; without it, nothing is. It must outlive this object.
  void setBounds(LowerBounds *bounds) { bounds_ = bounds; }
  double bound(const Configuration &, int size) override;
  void leftOut(const Configuration &, int size, double bound, double known) override;
  /// How many configurations were not run at a size, because of their bounds.
  int leftOutCount() const { return leftOut_; }
  std::optional<Rejected> confirm(const Configuration &, int size, double byDefault, double seconds) override;
  bool renew() override;
  void pause(double seconds) override;
  double elapsed() const override;
  bool stopped() const override;

  /// Indices of the sizes at which something ran, now or in the journal.
  const std::set<int> &measuredSizes() const { return measuredSizes_; }
  int runs() const { return runs_; }             // requests that were sent to the program
  int remembered() const { return remembered_; } // requests that were answered from the journal
  const Notes &notes() const { return notes_; }

private:
  struct Known {
    std::vector<Metrics> runs;
    std::size_t used = 0;
    std::optional<Rejected> rejected;
    double limit = 0;
  };
  void recall(const Journal &);
  /// Whether the entry has all metrics that are measured now.
  bool hasMetrics(const JournalEntry &) const;
  /// The limit that a failure of this kind has exceeded, for a run limited to `seconds`: with a larger limit
  /// the configuration may be tried again. 0: no larger limit would help.
  double limitOf(Failure, double seconds) const;
  std::optional<Measurement> remember(const Request &);
  Measurement run(const Request &);
  /// Writes the result to the journal. `limit`: seconds of a run.
  void note(const std::string &size, const Configuration &, const Measurement &, double limit);
  std::string sizeKey(int size) const;

  const ProgramSpace &space_;
  std::vector<Step> steps_;
  Worker &worker_;
  Notes notes_;
  Examination *examination_ = nullptr;
  LowerBounds *bounds_ = nullptr;
  OutsideRun *outside_ = nullptr;
  double outsideUntil_ = 0;
  WorkerEvaluatorSettings settings_;
  std::chrono::steady_clock::time_point start_;
  std::map<std::pair<std::string, std::string>, Known> known_; // by size key and configuration key
  int current_ = -1;                                           // the step that the worker is prepared for
  double overhead_ = 0; // seconds of a request beyond its runs, the largest seen at this step
  int runs_ = 0, remembered_ = 0, leftOut_ = 0;
  std::set<int> measuredSizes_;
};

} // namespace pbc::tuner
