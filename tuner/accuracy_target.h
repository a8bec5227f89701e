// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a tuning does for one accuracy bin of a program, before the search and after it.
//
//   AccuracyTarget target(worker, options, program, space, 60);
//   target.reach({n 64, n 128, ...}, mayGoOn, note)  ->  sizes at which something meets the target
//   target.reached()                          ->  a configuration that does: the search starts from it
//   target.verify(summary, steps, metrics)    ->  summary: what won is verified, or made more exact
//
// Invariant: after verify() the summary's configuration meets the target wherever summary.missed does not say
// otherwise, or summary.accuracy is empty: it was stopped before. How accuracy is measured:
// evaluate/accuracy.h.
#pragma once
#include "tuner/report/summary.h"

#include <functional>
#include <string>
#include <vector>

namespace pbc::tuner {

class AccuracyTarget {
public:
  /// `worker` measures, others look at results. `space` has a goal. `patience`: seconds of the longest run.
  AccuracyTarget(Worker &worker, const WorkerOptions &options, std::string program, const ProgramSpace &space,
                 double patience)
      : worker_(worker), options_(options), program_(std::move(program)), space_(space), patience_(patience) {
  }

  /// The default is made more exact at each size until it meets the target. If it does so nowhere, the
  /// largest size remains: something is to be measured.
  std::vector<Sizes> reach(const std::vector<Sizes> &, const std::function<bool()> &mayGoOn,
                           const std::function<void(const std::string &)> &note);
  const Configuration &reached() const { return reached_; }

  /// Sizes that are verified besides those that are measured: these, and all below the first one, for callers
  /// may ask for the target at sizes that no measurement of time is worth.
  void verifyAlso(std::vector<Step> tooQuick, const Sizes &first);

  /// On inputs that nothing was tuned on, at every size. `steps`: those that were measured; the worker was
  /// prepared for the last one.
  void verify(Summary &, const std::vector<Step> &steps, const std::vector<Metric> &);

private:
  VerifiedSizes verified(const Configuration &, const std::vector<Step> &) const;
  /// Of what is measured now, in place of what the race has measured of another configuration.
  void measureAgain(Summary &, const std::vector<Metric> &);
  /// In turns.
  bool isFaster(const Configuration &one, const Configuration &other);

  Worker &worker_;
  const WorkerOptions &options_;
  std::string program_;
  const ProgramSpace &space_;
  double patience_;
  std::vector<Step> quick_;
  std::vector<std::string> unmet_; // sizes at which nothing met it
  Configuration reached_;          // before the search made it fast
};

} // namespace pbc::tuner
