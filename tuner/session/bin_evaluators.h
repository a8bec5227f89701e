// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The evaluators of one accuracy bin: runs in the worker, costs for another objective than time, the examination of
// results, and the winner's run from outside.
//
//   BinEvaluators evaluators(context, aims, isAsWhole, bin);
//   tune(space, evaluators.sizes, earlier, settings, evaluators.of(aims.objective), progress);
//
// Invariant: the evaluators' clock starts when they are made. The object keeps its address, because its members refer
// to each other.
#pragma once
#include "tuner/evaluate/examination.h"
#include "tuner/evaluate/outside_run.h"
#include "tuner/session/aims.h"
#include "tuner/session/prepared_bin.h"
#include "tuner/strategy/objective_evaluator.h"

namespace pbc::tuner {

struct BinEvaluators {
  /// `isAsWhole`: a user's run on these inputs has the full size, so the winner can be run from outside. Throws
  /// TunerError if this machine cannot measure one of the metrics.
  BinEvaluators(const SessionContext &, const Aims &, bool isAsWhole, PreparedBin &);
  BinEvaluators(const BinEvaluators &) = delete;
  BinEvaluators &operator=(const BinEvaluators &) = delete;

  /// Of times, or of another objective.
  Evaluator &of(const Objective &);
  /// Names of the sizes up to the one with this index at which something was measured.
  std::vector<std::string> tunedSizes(int last) const;

  std::vector<TestSize> sizes;
  Meters meters;
  WorkerEvaluator runs;
  ObjectiveEvaluator costs;
  Examination examination;
  OutsideRun outside;
};

/// The steps as sizes at which candidates are tested.
std::vector<TestSize> testSizes(const std::vector<Step> &);

} // namespace pbc::tuner
