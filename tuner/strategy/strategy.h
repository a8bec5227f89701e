// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The strategies of `pbc tune --strategy=NAME`, as data: name, description, options. Each is one file in
// techniques/ and one line in techniques/list.inc; only this table knows all of them, and the help is made from it.
//
//   strategies()                          evolutionary, ensemble, local, ...
//   parseStrategy("bayesian:trees=48")    ->  the strategy and its options; TunerError for unknown ones
//   chosen.make()                         ->  a Technique (technique.h)
//
// Invariant: every option has a default inside its range; a name is used once. Source: Kernel Tuner's
// strategies (one a file, options as tables); docs/tuning.md says when which one is chosen.
#pragma once
#include "tuner/strategy/technique.h"

#include <map>
#include <span>
#include <string>

namespace pbc::tuner {

struct StrategyOption {
  const char *name;
  const char *doc;
  double initial, minimum, maximum;
};

/// Values of all options of a strategy.
using StrategyValues = std::map<std::string, double>;

struct Strategy {
  const char *name;
  const char *doc;
  bool startsSmall = true; // at small sizes; false: only at the full size
  bool isPolished = true;  // its best configuration is polished afterwards
  std::span<const StrategyOption> options;
  std::unique_ptr<Technique> (*make)(const StrategyValues &) = nullptr;
  bool isComplete = false; // it walks through a whole grid and reports its coverage
};

std::span<const Strategy *const> strategies();

struct ChosenStrategy {
  const Strategy *strategy = nullptr;
  StrategyValues values;
  std::unique_ptr<Technique> make() const { return strategy->make(values); }
};

/// "NAME" or "NAME:OPTION=VALUE,...". Throws TunerError.
ChosenStrategy parseStrategy(const std::string &text);

/// The table with all options and their defaults, for the help.
std::string strategyHelp();

} // namespace pbc::tuner
