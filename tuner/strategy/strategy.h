// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The strategies of `pbc tune --strategy=NAME`, as data: name, what it is, its options. One file each in
// techniques/ and one line each in techniques/list.inc; this table is all that knows of them, and what the help is
// made from.
//
//   strategies()                          evolutionary, ensemble, local, ...
//   parseStrategy("bayesian:trees=48")    ->  the strategy and its options; TunerError for what there is not
//   chosen.make()                         ->  a Technique (technique.h)
//
// Invariant: every option has a default inside its range; a name is used once. Source: Kernel Tuner's
// strategies (one a file, options as tables); docs/tuning.md says when which is chosen.
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

/// Values of a strategy's options, all of them.
using StrategyValues = std::map<std::string, double>;

struct Strategy {
  const char *name;
  const char *doc;
  bool startsSmall = true; // at small sizes; false: at the full size only
  bool isPolished = true;  // its best is polished afterwards
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

/// The table with all options and their defaults, for people.
std::string strategyHelp();

} // namespace pbc::tuner
