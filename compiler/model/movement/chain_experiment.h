// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How much fusing pairs of products saves in random chains: the experiment of Table D.1, by closed forms and
// by exact counts.
//
//   chainExperiment({.memory = 65536}).mean           7.3 % (closed, n from 3 to 20); Mode::Printed: 9.4 %
//
// There are 1000 chains of each length from 2 to 20; sizes are multiples of 8 from 320 to 1024, all equally
// likely (the source does not name its sizes; these reproduce its table). Each chain is multiplied in the
// order of fewest operations; "saved" is how many percent less the best fused pairs move than the same
// products one by one. The closed forms are compared with products that keep the output (D.18), the exact
// counts with those that keep the best matrix. Invariant: the same seed gives the same numbers on every
// machine. Source: cost-models.md section 7.5.
#pragma once
#include "compiler/model/mode.h"

#include <cstdint>
#include <vector>

namespace pbc::model {

struct ExperimentOptions {
  long memory = 65536; // words
  Mode mode = Mode::Corrected;
  int chains = 1000; // of each length
  int longest = 20;  // products of a chain; shorter chains do not depend on it
  std::uint64_t seed = 20;
  bool withExact = true; // the exact counts take most of the time
};

struct Saved {
  double mean = 0, least = 0, most = 0; // percent
};

struct ExperimentRow {
  int matrices = 0;
  Saved closed, exact; // exact: zeros if not asked for
};

struct ChainExperiment {
  std::vector<ExperimentRow> rows;
  double mean = 0, exactMean = 0; // over n from 3 to the longest, 20 in the source's line "all"
  long chains = 0;
};

/// Throws Problem if the closed forms have no meaning (memories above 409600 words).
ChainExperiment chainExperiment(const ExperimentOptions &);

} // namespace pbc::model
