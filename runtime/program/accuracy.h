// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How accurate a result is: the transform's metric, over the outputs and then the inputs of a run.
//
//   runner.run(instance);
//   Accuracy a = accuracyOf(program, instance, runner);      // {0.97, true}
//   print(t, a)  ->  "0.97 (target 0.95 or more: met)"
//
// Source: language reference 2.10.
#pragma once
#include "runtime/program/runner.h"
#include <string>

namespace pb::program {

struct Accuracy {
  double value = 0;
  bool met = true; // whether the target is met, if there is one
};

/// Needs Transform::metric. Throws base::UserError when the metric does not fit the matrices.
Accuracy accuracyOf(const Program &, const Instance &, Runner &);

/// Whether `a` is at least as accurate as `b`. NaN is the least accurate.
bool isAsExact(const Transform &, const Accuracy &a, const Accuracy &b);

std::string print(const Transform &, const Accuracy &);

} // namespace pb::program
