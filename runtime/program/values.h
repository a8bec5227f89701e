// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Values that inputs may have and that random ones never show: equal neighbours, order, signs, tiny numbers.
//
//   setValues(instance, "reversed", 1);     // all inputs but numbers (0-d), from their own random values
//   nudge(instance, 1);                     // the same up to rounding: a stable program gives the same results
//
// Kinds: sorted, reversed, constant, few (0 and 1 only), zeros (both signs), tiny (subnormal), mixed (half
// are negative), negative. Invariant: the same seed gives the same values. Source: tuning-practice.md 4.
#pragma once
#include "runtime/program/instance.h"
#include <string>
#include <vector>

namespace pb::program {

const std::vector<std::string> &kindsOfValues();

/// Throws base::UserError for an unknown kind.
void setValues(const Instance &, const std::string &kind, unsigned long seed);

/// Changes each element of floating inputs by a few units in the last place.
void nudge(const Instance &, unsigned long seed);

/// Whether all outputs are finite numbers.
bool areFinite(const std::vector<Matrix> &outputs);

} // namespace pb::program
