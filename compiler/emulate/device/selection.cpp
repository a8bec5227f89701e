// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/device/selection.h"
#include <map>

namespace pbc::emulate {
namespace {

using loop::Operation;
using loop::Scalar;

bool isReal(Scalar s) { return s == Scalar::F32 || s == Scalar::F64; }

/// Of functions of one argument of float and of double: instructions of special functions, and then of arithmetic.
struct OfFunction {
  int special, f32, f64;
};
const std::map<std::string, OfFunction> &functions() {
  static const std::map<std::string, OfFunction> all{
      {"sqrt", {1, 6, 14}},  {"exp", {1, 6, 18}},    {"exp2", {1, 3, 16}}, {"log", {0, 19, 30}},
      {"log2", {0, 12, 30}}, {"log10", {0, 20, 32}}, {"sin", {0, 14, 24}}, {"cos", {0, 14, 24}},
      {"tan", {1, 20, 40}},  {"tanh", {2, 12, 30}},  {"pow", {2, 50, 99}}, {"cbrt", {2, 14, 25}},
      {"erf", {1, 19, 40}},  {"atan", {1, 14, 30}},  {"fabs", {0, 1, 1}},  {"floor", {0, 1, 1}},
      {"ceil", {0, 1, 1}},   {"round", {0, 2, 2}},   {"trunc", {0, 1, 1}}, {"rint", {0, 1, 1}},
      {"fmin", {0, 1, 2}},   {"fmax", {0, 1, 2}},    {"min", {0, 1, 2}},   {"max", {0, 1, 2}},
      {"abs", {0, 1, 1}},    {"fma", {0, 1, 1}},
  };
  return all;
}
constexpr OfFunction kOther{1, 20, 40};

} // namespace

IndexCosts indexCosts(int axes) { return {2 + 9 * axes, 3 + 3 * axes}; }

GpuUnit unitOf(Scalar s) {
  return s == Scalar::F32 ? GpuUnit::F32 : s == Scalar::F64 ? GpuUnit::F64 : GpuUnit::Integer;
}

std::vector<Selected> selected(const Operation &o) {
  const GpuUnit unit = unitOf(o.type);
  const bool isLiteral = o.operands.size() > 1 && loop::as<loop::Literal>(o.operands[1]);
  switch (o.op) {
  case Operation::Op::Divide:
    if (o.type == Scalar::F32)
      return isLiteral ? std::vector<Selected>{{unit, 3}}
                       : std::vector<Selected>{{GpuUnit::Special, 1}, {unit, 8}};
    if (o.type == Scalar::F64)
      return {{GpuUnit::Special, 1}, {unit, 10}};
    return {{GpuUnit::Special, 2}, {unit, 20}};
  case Operation::Op::Modulo:
    return isReal(o.type) ? std::vector<Selected>{{GpuUnit::Special, 1}, {unit, 20}}
                          : std::vector<Selected>{{GpuUnit::Special, 2}, {unit, 20}};
  case Operation::Op::Plus:
    return {};
  default:
    return {{unit, o.type == Scalar::I64 && o.op == Operation::Op::Multiply ? 4 : 1}};
  }
}

std::vector<Selected> selected(const loop::Function &f) {
  std::string name = f.name;
  if (f.type == Scalar::F32 && name.size() > 1 && name.back() == 'f' &&
      functions().contains(name.substr(0, name.size() - 1)))
    name.pop_back();
  const auto at = functions().find(name);
  const OfFunction &costs = at == functions().end() ? kOther : at->second;
  std::vector<Selected> all;
  if (costs.special)
    all.push_back({GpuUnit::Special, costs.special});
  all.push_back({unitOf(f.type), f.type == Scalar::F64 ? costs.f64 : costs.f32});
  return all;
}

std::vector<Selected> selected(const loop::Cast &c) {
  return {{c.type == Scalar::F64 ? GpuUnit::F64 : isReal(c.type) ? GpuUnit::Special : GpuUnit::Integer, 1}};
}

} // namespace pbc::emulate
