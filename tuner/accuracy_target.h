// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a tuning does for one accuracy bin of a program, before the search and after it.
//
//   AccuracyTarget target(worker, options, program, space, 60);
//   target.reach({n 64, n 128, ...}, mayGoOn, note)  ->  sizes at which some configuration meets the target
//   target.reached()                          ->  a configuration that does: the search starts from it
//   target.verify(summary, steps, metrics)    ->  summary: the winner is verified, or made more accurate
//
// Invariant: after verify() the summary's configuration meets the target except at the sizes in
// summary.missed, or summary.accuracy is empty because the verification was stopped. How accuracy is
// measured: evaluate/accuracy.h.
#pragma once
#include "tuner/report/summary.h"

#include <functional>
#include <string>
#include <vector>

namespace pbc::tuner {

class AccuracyTarget {
public:
  /// `worker` measures times; other workers verify results. `space` must have a goal. `patience`: seconds of
  /// the longest run.
  AccuracyTarget(Worker &worker, const WorkerOptions &options, std::string program, const ProgramSpace &space,
                 double patience)
      : worker_(worker), options_(options), program_(std::move(program)), space_(space), patience_(patience) {
  }

  /// Makes the default more accurate at each size until it meets the target. If it does so at no size, the
  /// largest size is returned, so that something is measured.
  std::vector<Sizes> reach(const std::vector<Sizes> &, const std::function<bool()> &mayGoOn,
                           const std::function<void(const std::string &)> &note);
  const Configuration &reached() const { return reached_; }

  /// Sets the sizes that are verified in addition to those that are measured: these, and all below the first
  /// one, because callers may ask for the target at sizes that are too small to measure their time.
  void verifyAlso(std::vector<Step> tooQuick, const Sizes &first);

  /// Verifies on inputs that were not used for tuning, at every size. `steps`: the sizes that were measured;
  /// the worker was prepared for the last one.
  void verify(Summary &, const std::vector<Step> &steps, const std::vector<Metric> &);

private:
  VerifiedSizes verified(const Configuration &, const std::vector<Step> &) const;
  /// Replaces the times that the race has measured, which are those of another configuration.
  void measureAgain(Summary &, const std::vector<Metric> &);
  /// Compares in turns.
  bool isFaster(const Configuration &one, const Configuration &other);

  Worker &worker_;
  const WorkerOptions &options_;
  std::string program_;
  const ProgramSpace &space_;
  double patience_;
  std::vector<Step> quick_;
  std::vector<std::string> unmet_; // sizes at which no configuration met the target
  Configuration reached_;          // before the search made it fast
};

} // namespace pbc::tuner
