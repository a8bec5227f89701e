// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/outside.h"
#include "compiler/body/extent.h"
#include "compiler/body/unit.h"
#include "compiler/poly/names.h"
#include "compiler/sema/affine.h"

namespace pbc::body {
namespace {

Scalar common(const Value &a, const Value &b) {
  for (const Scalar type : {Scalar::F64, Scalar::I64})
    if (a.type == type || b.type == type)
      return type;
  return Scalar::I32;
}

ValuePtr arithmetic(const char *op, const ValuePtr &a, const ValuePtr &b) {
  const Scalar type = common(*a, *b);
  return binary(op, type, convert(a, type), convert(b, type));
}

/// The value as C++ computes it: integers stay integers.
ValuePtr number(const sema::Transform &t, const syntax::Expr &e) {
  using Kind = syntax::Expr::Kind;
  const auto operand = [&](std::size_t i) { return number(t, *e.operands[i]); };
  switch (e.kind) {
  case Kind::Name:
    return nameValue(t, e.text);
  case Kind::Integer: {
    const long value = std::stol(e.text);
    return integer(value, value <= 2147483647 ? Scalar::I32 : Scalar::I64);
  }
  case Kind::Float:
    return makeValue(Value::Kind::Literal, Scalar::F64, e.text, {}, e.span);
  case Kind::Negate: {
    const ValuePtr value = operand(0);
    return makeValue(Value::Kind::Unary, value->type, "-", {value}, e.span);
  }
  case Kind::Add:
    return arithmetic("+", operand(0), operand(1));
  case Kind::Subtract:
    return arithmetic("-", operand(0), operand(1));
  case Kind::Multiply:
    return arithmetic("*", operand(0), operand(1));
  case Kind::Divide:
    return arithmetic("/", operand(0), operand(1));
  case Kind::Power: {
    const ValuePtr base = operand(0);
    ValuePtr product = convert(integer(1), base->type);
    for (long k = sema::constantValue(*e.operands[1]).value_or(0); k > 0; --k)
      product = arithmetic("*", product, base);
    return product;
  }
  }
  return integer(0);
}

} // namespace

ValuePtr nameValue(const sema::Transform &t, const std::string &name) {
  auto v = std::make_shared<Value>();
  v->kind = Value::Kind::Name;
  v->type = Scalar::I32;
  v->text = name;
  // A variable that is a whole extent is a size, which is not negative; in [n+1], n may be -1.
  for (const sema::Matrix &m : t.matrices)
    for (const sema::Affine &extent : m.extents)
      v->nonNegative = v->nonNegative || extent.cxx == poly::mangle(name);
  for (const sema::Tunable &tunable : t.tunables)
    if (tunable.name == name) {
      v->type = tunable.isFloat ? Scalar::F64 : Scalar::I32;
      v->nonNegative = !tunable.isFloat && tunable.minimum >= 0;
    }
  return v;
}

ValuePtr isInside(const sema::Transform &t, const sema::Binding &b) {
  const auto name = [&](const std::string &mangled) { return nameValue(t, poly::unmangle(mangled)); };
  ValuePtr all;
  const auto require = [&](const char *op, const ValuePtr &left, const ValuePtr &right) {
    const Scalar type = common(*left, *right);
    const ValuePtr one = binary(op, Scalar::Bool, convert(left, type), convert(right, type));
    all = all ? binary("&&", Scalar::Bool, all, one) : one;
  };
  const sema::Matrix &m = t.matrices[b.matrix];
  for (std::size_t d = 0; d < b.begin.size(); ++d) {
    const ValuePtr at = parseAffine(b.begin[d].cxx, name), extent = parseAffine(m.extents[d].cxx, name);
    require(">=", at, integer(0));
    require("<", at, extent);
  }
  return all ? all : makeValue(Value::Kind::Literal, Scalar::Bool, "true", {}); // of a 0-d matrix
}

ValuePtr valueOutside(const sema::Transform &t, const sema::Binding &b) {
  const Scalar element = scalarOf(t.matrices[b.matrix].element);
  const syntax::Expr &e = *b.otherwise;
  const bool isMarker = e.kind == syntax::Expr::Kind::Name && e.text == "OPTIONAL";
  return convert(isMarker ? makeValue(Value::Kind::Call, Scalar::F64, "pb::missing", {}) : number(t, e),
                 element);
}

} // namespace pbc::body
