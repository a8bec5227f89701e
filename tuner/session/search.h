// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The search in one accuracy bin, or in the whole program: it measures, compares, and hands the outcome to the results.
//
//   if (const auto best = searchBin(context, aims, start, bin, results))
//     start.configuration = *best;   // later bins start from it
//
// Invariant: a configuration is written only after it was compared with the default or, with --refresh, with the stored
// configuration.
#pragma once
#include "tuner/session/aims.h"
#include "tuner/session/prepared_bin.h"
#include "tuner/session/results.h"

namespace pbc::tuner {

/// Returns the configuration that was written, if there is one; the points of a front do not count. Throws TunerError
/// if this machine cannot measure what is wanted, or if the default gives different results each time.
std::optional<Configuration> searchBin(const SessionContext &, const Aims &, const StartingPoint &,
                                       PreparedBin &, SessionResults &);

} // namespace pbc::tuner
