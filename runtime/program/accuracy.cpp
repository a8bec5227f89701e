// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/accuracy.h"
#include "runtime/base/errors.h"
#include "runtime/base/number.h"
#include "runtime/matrix/element.h"
#include "runtime/program/inputs.h"
#include <cmath>
#include <cstdio>

namespace pb::program {
namespace {

/// NaN meets no target.
bool meets(const Transform &t, double value) {
  return t.better == Better::None || (t.better == Better::Larger ? value >= t.target : value <= t.target);
}

} // namespace

Accuracy accuracyOf(const Program &program, const Instance &instance, Runner &runner) {
  const Transform &t = *instance.transform;
  if (!t.metric)
    throw base::UserError(std::string(t.name) + " has no accuracy_metric");
  std::vector<Matrix> inputs = instance.outputs();
  inputs.insert(inputs.end(), instance.matrices.begin(), instance.matrices.begin() + inputCount(t));
  const Instance metric = instanceFor(requireTransform(program, t.metric), std::move(inputs), {});
  runner.run(metric);
  const Matrix result = metric.outputs().front();
  const double value = matrix::withType(
      result.element(), [&](auto zero) { return static_cast<double>(*result.elements<decltype(zero)>()); });
  return {value, meets(t, value)};
}

bool isAsExact(const Transform &t, const Accuracy &a, const Accuracy &b) {
  if (std::isnan(b.value))
    return true;
  return t.better == Better::Smaller ? a.value <= b.value : a.value >= b.value;
}

std::string print(const Transform &t, const Accuracy &a) {
  if (t.better == Better::None)
    return base::number(a.value, 6);
  return base::number(a.value, 6) + " (target " + base::number(t.target, 6) +
         (t.better == Better::Larger ? " or more: " : " or less: ") + (a.met ? "met)" : "missed)");
}

} // namespace pb::program
