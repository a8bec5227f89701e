// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The configurations that are best for two objectives at once, each in its way: a Pareto front.
//
//   findFront(space, sizes, {Time, Memory}, {.deadline = 60}, evaluator, observer)
//       ->  {0.10 s, 80 MB}, {0.14 s, 41 MB}, {0.30 s, 12 MB}    no other has less of both
//
// First each objective alone, then three searches between them, by the weighted Chebyshev distance of
// logarithms from the point that has the best of both: unlike weighted sums it reaches every part of a front.
// All that was measured at the full size is archived; what seems best there runs once more in turns, and the
// medians of those runs count.
// Invariant: points are ordered by the first objective, and no point is better than another in both; what is
// equal within kEqual in both is one point. Source: Miettinen, Nonlinear Multiobjective Optimization, 1999,
// 3.4.5 (augmented weighted Chebyshev problem).
#pragma once
#include "tuner/strategy/objective_evaluator.h"
#include "tuner/strategy/tune.h"

namespace pbc::tuner {

inline constexpr double kEqual = 0.02; // of a value: less is no difference

struct FrontPoint {
  Configuration configuration;
  Metrics metrics;
};

struct FrontResult {
  std::vector<FrontPoint> points;
  std::optional<Metrics> byDefault; // in the same turns
  int size = 0;                     // index of the size that they were measured at
  int considered = 0;               // configurations in the archive at that size
  int measurements = 0;
  std::vector<Fault> faults;
  bool isWhole = false; // the last turns were not stopped
};

/// Without the points that another one makes needless, ordered by the first metric.
std::vector<FrontPoint> frontOf(std::vector<FrontPoint>, const std::array<Metric, 2> &);

/// `evaluator` measures both metrics; its cost is set here.
FrontResult findFront(const ProgramSpace &, const std::vector<TestSize> &, const std::array<Metric, 2> &,
                      const TuneSettings &, ObjectiveEvaluator &, Observer &);

} // namespace pbc::tuner
