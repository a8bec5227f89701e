// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `pbc tune --record=FILE`: measures the whole space of a program instead of tuning it.
//
//   recordSpace(context, bin)   writes the times of a grid of configurations, at up to four sizes, to FILE
#pragma once
#include "tuner/session/prepared_bin.h"

namespace pbc::tuner {

/// Throws TunerError if the file cannot be written.
void recordSpace(const SessionContext &, PreparedBin &);

} // namespace pbc::tuner
