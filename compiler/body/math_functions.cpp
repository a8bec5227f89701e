// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/math_functions.h"
#include <cstring>

namespace pbc::body {
namespace {

constexpr MathFunction kFunctions[] = {
    {"sqrt", "r", 'r'},
    {"cbrt", "r", 'r'},
    {"exp", "r", 'r'},
    {"exp2", "r", 'r'},
    {"expm1", "r", 'r'},
    {"log", "r", 'r'},
    {"log2", "r", 'r'},
    {"log10", "r", 'r'},
    {"log1p", "r", 'r'},
    {"logb", "r", 'r'},
    {"sin", "r", 'r'},
    {"cos", "r", 'r'},
    {"tan", "r", 'r'},
    {"asin", "r", 'r'},
    {"acos", "r", 'r'},
    {"atan", "r", 'r'},
    {"sinh", "r", 'r'},
    {"cosh", "r", 'r'},
    {"tanh", "r", 'r'},
    {"asinh", "r", 'r'},
    {"acosh", "r", 'r'},
    {"atanh", "r", 'r'},
    {"ceil", "r", 'r'},
    {"floor", "r", 'r'},
    {"round", "r", 'r'},
    {"trunc", "r", 'r'},
    {"rint", "r", 'r'},
    {"nearbyint", "r", 'r'},
    {"fabs", "r", 'r'},
    {"erf", "r", 'r'},
    {"erfc", "r", 'r'},
    {"tgamma", "r", 'r'},
    {"lgamma", "r", 'r'},
    {"pow", "rr", 'r'},
    {"atan2", "rr", 'r'},
    {"fmod", "rr", 'r'},
    {"remainder", "rr", 'r'},
    {"fmin", "rr", 'r'},
    {"fmax", "rr", 'r'},
    {"hypot", "rr", 'r'},
    {"fdim", "rr", 'r'},
    {"copysign", "rr", 'r'},
    {"nextafter", "rr", 'r'},
    {"fma", "rrr", 'r'},
    {"ldexp", "ri", 'r'},
    {"scalbn", "ri", 'r'},
    {"scalbln", "rl", 'r'},
    {"ilogb", "r", 'i'},
    {"lrint", "r", 'l'},
    {"lround", "r", 'l'},
    {"llrint", "r", 'L'},
    {"llround", "r", 'L'},
    {"isfinite", "r", 'b'},
    {"isinf", "r", 'b'},
    {"isnan", "r", 'b'},
    {"isnormal", "r", 'b'},
    {"signbit", "r", 'b'},
    {"isgreater", "rr", 'b'},
    {"isgreaterequal", "rr", 'b'},
    {"isless", "rr", 'b'},
    {"islessequal", "rr", 'b'},
    {"islessgreater", "rr", 'b'},
    {"isunordered", "rr", 'b'},
};

const MathFunction *byName(std::string_view name, int arity) {
  for (const MathFunction &f : kFunctions)
    if (name == f.name && arity == f.arity())
      return &f;
  return nullptr;
}

} // namespace

int MathFunction::arity() const { return static_cast<int>(std::strlen(takes)); }

std::span<const MathFunction> mathFunctions() { return kFunctions; }

const MathFunction *mathFunction(const std::string &name, int arity) {
  if (const MathFunction *f = byName(name, arity))
    return f;
  const MathFunction *f =
      name.ends_with('f') ? byName(std::string_view(name).substr(0, name.size() - 1), arity) : nullptr;
  return f && !f->isPredicate() ? f : nullptr;
}

std::string calledName(const MathFunction &f, Scalar real) {
  return (f.isPredicate() ? std::string("pb::") : "") + f.name + (real == Scalar::F32 ? "f" : "");
}

Scalar parameterType(const MathFunction &f, std::size_t argument, Scalar real) {
  return f.takes[argument] == 'i' ? Scalar::I32 : f.takes[argument] == 'l' ? Scalar::I64 : real;
}

} // namespace pbc::body
