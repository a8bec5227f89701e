// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds out whether this machine can measure what is wanted.
//
//   requireMeters(worker, {Time, Energy}, default)
//       ->  Meters{{"package-0"}, window 0.05 s}, or an error that says why not
#pragma once
#include "tuner/evaluate/worker.h"

namespace pbc::tuner {

/// Tries the metrics out on a run of this configuration; the worker must be prepared. Without energy there is
/// no window. Throws TunerError if one of the metrics cannot be measured.
Meters requireMeters(Worker &, const std::vector<Metric> &, const std::string &toml);

} // namespace pbc::tuner
