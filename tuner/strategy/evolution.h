// The search: a population of configurations is tested at growing sizes; children of random parents join when
// they are faster than their parent; the fastest at each size go on to the next.
//
//   evolve(tester, {default and others}, settings, random)  ->  Population, fastest at the last size first
//
// Invariant: children have one parent; a child that is not significantly faster does not join; the default is
// tested at every size. Small sizes decide what large ones are made of: sizes double, so what was found for
// n/2 is used by recursive calls at n. Source: petabricks-hetero 7.2, requirements 78-82.
#pragma once
#include "tuner/strategy/population.h"
#include "tuner/strategy/random.h"

namespace pbc::tuner {

struct EvolutionSettings {
  double deadline = 40; // seconds of the evaluator's clock at which it must be over
  int population = 10;
  int children = 0;        // tried at each size; 0: 20 and 20 for each open decision
  bool onlyForced = false; // no mutation: only single alternatives (effort "instant")
};

struct EvolutionResult {
  Population population;
  int lastSize = 0; // the largest size at which its members were measured
};

EvolutionResult evolve(Tester &, const std::vector<Configuration> &start, const EvolutionSettings &,
                       Random &);

} // namespace pbc::tuner
