// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How long a kernel takes on one thread of a processor by one of its schedules, predicted; and which schedule a search that follows the
// bottleneck proposes.
//
//   ProcessorPredictor predictor(lifted, {{"n", 1024}}, core);
//   predictor.of(scheduler.schedule())      { seconds: 4.0e-4, analysis: limited by arithmetic throughput, .. }
//
// Throws NotPredicted with a sentence for kernels that cannot run alone.
#pragma once
#include "compiler/emulate/guide.h"
#include "compiler/emulate/processor/processor_core.h"
#include "compiler/emulate/sensitivity.h"
#include "compiler/kernel/policy/processor.h"
#include "compiler/model/machine/machine.h"
#include "compiler/search/measure/leaf_program.h"
#include <stdexcept>

namespace pbc::search {

/// With the vectors of this machine and its compiler. Throws model::Problem for a machine without a figure that is needed.
emulate::ProcessorCore coreOf(const model::Machine &);

struct NotPredicted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Prediction {
  emulate::Trace trace;
  emulate::Analysis analysis;
  double seconds = 0;
  bool isSteady = false;
};

class ProcessorPredictor {
public:
  using Sizes = std::map<std::string, long>;
  /// The core has to outlive the predictor.
  ProcessorPredictor(const kernel::Scheduled &lifted, const Sizes &, const emulate::ProcessorCore &);

  Prediction of(const kernel::Planned &, const emulate::AnalysisOptions &) const;
  /// The share of a resource's throughput.
  double usedOf(const Prediction &, int resource) const;

  struct Proposed {
    std::vector<kernel::Asked> path; // what was asked for, from nothing on
    kernel::Planned best;
    emulate::Guided guided;
  };
  /// From the default on, one option after the other; at most so many schedules are predicted.
  Proposed propose(kernel::Scheduler &, int most = 200) const;

private:
  Sizes values_;
  Arrays arrays_;
  const emulate::ProcessorCore &core_;
};

} // namespace pbc::search
