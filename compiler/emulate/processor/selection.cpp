// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/processor/selection.h"
#include <map>

namespace pbc::emulate {
namespace {

using loop::Operation;
using loop::Scalar;

/// Multiply-adds of a function of floats and of doubles.
struct OfFunction {
  int f32, f64;
};
const std::map<std::string, OfFunction> &functions() {
  static const std::map<std::string, OfFunction> all{
      {"exp", {12, 20}},  {"exp2", {10, 18}}, {"log", {16, 26}},  {"log2", {16, 26}}, {"log10", {18, 28}},
      {"sin", {18, 30}},  {"cos", {18, 30}},  {"tan", {26, 44}},  {"tanh", {24, 40}}, {"pow", {40, 70}},
      {"cbrt", {20, 34}}, {"erf", {24, 44}},  {"atan", {20, 34}},
  };
  return all;
}
constexpr OfFunction kOther{24, 40};

bool isOne(const std::string &name) { // instruction
  for (const char *one : {"fabs", "abs", "min", "max", "floor", "ceil", "round", "trunc", "rint"})
    if (name == one)
      return true;
  return false;
}

} // namespace

CpuSelected cpuSelected(const Operation &o) {
  if (!isReal(o.type))
    return o.op == Operation::Op::Divide || o.op == Operation::Op::Modulo ? CpuSelected{CpuUnit::Integers, 18}
           : o.op == Operation::Op::Multiply                              ? CpuSelected{CpuUnit::Integers, 3}
                                                                          : CpuSelected{CpuUnit::Integers};
  switch (o.op) {
  case Operation::Op::Multiply:
    return {CpuUnit::Multiply};
  case Operation::Op::Divide:
    return {CpuUnit::Divide};
  case Operation::Op::Modulo:
    return {CpuUnit::Divide, 2};
  default:
    return {CpuUnit::Add};
  }
}

CpuSelected cpuSelected(const loop::Function &f) {
  std::string name = f.name;
  if (f.type == Scalar::F32 && name.size() > 1 && name.back() == 'f')
    name.pop_back();
  if (!isReal(f.type))
    return {CpuUnit::Integers};
  if (name == "sqrt")
    return {CpuUnit::Root};
  if (name == "fma")
    return {CpuUnit::Fma};
  if (isOne(name))
    return {CpuUnit::Add};
  if (name == "fmin" || name == "fmax") // compared, and chosen if neither is NaN
    return {CpuUnit::Add, 3};
  const auto at = functions().find(name);
  const OfFunction &costs = at == functions().end() ? kOther : at->second;
  return {CpuUnit::Fma, (f.type == Scalar::F64 ? costs.f64 : costs.f32) / 2, 2};
}

CpuSelected cpuSelected(const loop::Cast &c) { return {isReal(c.type) ? CpuUnit::Add : CpuUnit::Integers}; }

} // namespace pbc::emulate
