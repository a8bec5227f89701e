// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Starts from a configuration that is not accurate enough and finds one that is.
//
//   reach(space, start, n = 1024, accuracyOf)
//     rounds 1: 0.2   rounds 2: 0.5   rounds 4: 0.8   rounds 8: 0.96 >= 0.95   ->  {rounds 8, 0.96, true}
//
// The moves are: all accuracy tunables together times 2; each alone times 2, halved, to an end of its range,
// or one step; then every alternative of every choice. The move that gains most is made, until the target is
// met or no move gains. Times are not considered here: the search that follows makes the configuration fast
// again. Source: own (steepest ascent); language reference 2.10.
#pragma once
#include "tuner/space/configuration.h"

#include <functional>
#include <optional>

namespace pbc::tuner {

/// The accuracy that a configuration reaches; nothing if it fails or may not be tried any more.
using AccuracyOf = std::function<std::optional<double>(const Configuration &)>;

struct Reached {
  Configuration configuration;
  double accuracy = 0;
  bool met = false;
};

/// `space` must have a goal. The result is the start itself if that already meets the target.
Reached reach(const ProgramSpace &space, const Configuration &start, long n, const AccuracyOf &);

} // namespace pbc::tuner
