// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The configurations that are best for two objectives at once, in different proportions: a Pareto front.
//
//   findFront(space, sizes, {Time, Memory}, {.deadline = 60}, evaluator, observer)
//       ->  {0.10 s, 80 MB}, {0.14 s, 41 MB}, {0.30 s, 12 MB}    no other has less of both
//
// It first searches for each objective alone. Three more searches between them minimise the weighted
// Chebyshev distance of logarithms from the point that has the best of both; unlike weighted sums, this
// reaches every part of a front. All that was measured at the full size is archived; the configurations that
// seem best there run once more in turns, and the medians of those runs count.
//
// Invariant: points are ordered by the first objective, and no point is better than another in both; points
// that are equal within kEqual in both count as one. Source: Miettinen, Nonlinear Multiobjective
// Optimization, 1999, 3.4.5 (augmented weighted Chebyshev problem).
#pragma once
#include "tuner/strategy/objective_evaluator.h"
#include "tuner/strategy/tune.h"

namespace pbc::tuner {

inline constexpr double kEqual = 0.02; // relative to the value: a smaller difference does not count

struct FrontPoint {
  Configuration configuration;
  Metrics metrics;
};

struct FrontResult {
  std::vector<FrontPoint> points;
  std::optional<Metrics> byDefault; // measured in the same turns
  int size = 0;                     // index of the size of the measurements
  int considered = 0;               // configurations in the archive at that size
  int measurements = 0;
  std::vector<Fault> faults;
  bool isWhole = false; // the last turns were completed
};

/// Removes the points that another one dominates; orders the rest by the first metric.
std::vector<FrontPoint> frontOf(std::vector<FrontPoint>, const std::array<Metric, 2> &);

/// `evaluator` measures both metrics; this function sets its cost.
FrontResult findFront(const ProgramSpace &, const std::vector<TestSize> &, const std::array<Metric, 2> &,
                      const TuneSettings &, ObjectiveEvaluator &, Observer &);

} // namespace pbc::tuner
