// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Applies another objective than time, in front of an evaluator: for a run, strategies get the seconds that
// the default would take for the same cost.
//
//   ObjectiveEvaluator evaluator(space, sizes, inner, costOf(Objective::parse("energy")));
//   evaluator.measure({configuration, size 3})   // inner: 0.5 s and 3 J; the default: 1 s and 4 J
//       ->  0.75 s
//   evaluator.typical(configuration, 3)          ->  {0.5 s, 3 J}, medians of what was measured
//
// So limits, noise and races of the strategies keep their meaning. A configuration that uses little energy
// may be slow: a run may take kSlower times what the strategies allow. Invariant: the default costs its own
// time, except for noise; every measured run is in the archive.
#pragma once
#include "tuner/strategy/evaluator.h"
#include "tuner/strategy/objective.h"

#include <functional>
#include <limits>
#include <map>

namespace pbc::tuner {

/// The cost of a run relative to the cost of the default.
using Cost = std::function<double(const Metrics &run, const Metrics &byDefault)>;

Cost costOf(const Objective &);

class ObjectiveEvaluator : public Evaluator {
public:
  static constexpr double kSlower = 4;

  /// `inner` measures the metrics that `cost` uses. All arguments but `cost` must outlive this object.
  ObjectiveEvaluator(const ProgramSpace &, const std::vector<TestSize> &, Evaluator &inner, Cost cost);

  Measurement measure(const Request &) override;
  std::vector<std::optional<Misfit>> examine(const std::vector<Configuration> &all, Depth depth,
                                             double deadline) override {
    return inner_.examine(all, depth, deadline);
  }
  std::optional<Rejected> confirm(const Configuration &configuration, int size, double, double) override {
    return inner_.confirm(configuration, size, 0, 0); // the measured values are not seconds
  }
  bool renew() override { return inner_.renew(); }
  void pause(double seconds) override { inner_.pause(seconds); }
  double elapsed() const override { return inner_.elapsed(); }
  bool stopped() const override { return inner_.stopped(); }

  /// Changes the cost from now on; what was measured is kept.
  void setCost(Cost cost) { cost_ = std::move(cost); }
  /// Limits the runs of one request: if energy is measured, a run already consists of many runs.
  void setMostRuns(int most) { mostRuns_ = most; }

  struct Archived {
    Configuration configuration;
    std::vector<Metrics> runs;
    Metrics typical() const;
  };
  /// All configurations that ran at a size, by key.
  const std::map<std::string, Archived> &archive(int size) { return archive_[size]; }
  /// Nothing if the configuration did not run at that size.
  std::optional<Metrics> typical(const Configuration &, int size);

private:
  /// Nothing if the default fails.
  std::optional<Metrics> byDefault(int size);

  const ProgramSpace &space_;
  const std::vector<TestSize> &sizes_;
  Evaluator &inner_;
  Cost cost_;
  int mostRuns_ = std::numeric_limits<int>::max();
  std::map<int, std::map<std::string, Archived>> archive_; // by size
  std::map<int, Metrics> default_;
};

} // namespace pbc::tuner
