// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/value.h"
#include <algorithm>

namespace pbc::body {

const char *cxxType(Scalar s) {
  switch (s) {
  case Scalar::F64:
    return "double";
  case Scalar::F32:
    return "float";
  case Scalar::I32:
    return "int";
  case Scalar::I64:
    return "long";
  case Scalar::U8:
    return "unsigned char";
  case Scalar::Bool:
    return "bool";
  }
  return "double";
}

bool isInteger(Scalar s) { return s != Scalar::F64 && s != Scalar::F32; }

const char *zero(Scalar s) {
  return s == Scalar::F64 ? "0.0" : s == Scalar::F32 ? "0.0f" : s == Scalar::Bool ? "false" : "0";
}

const char *one(Scalar s) {
  return s == Scalar::F64 ? "1.0" : s == Scalar::F32 ? "1.0f" : s == Scalar::Bool ? "true" : "1";
}

ValuePtr makeValue(Value::Kind kind, Scalar type, std::string text, std::vector<ValuePtr> operands, Span span,
                   int index) {
  auto v = std::make_shared<Value>();
  v->kind = kind;
  v->type = type;
  v->text = std::move(text);
  v->operands = std::move(operands);
  v->span = span;
  v->index = index;
  if (kind == Value::Kind::Literal && isInteger(type))
    v->nonNegative = true; // a minus sign is an operator
  else if (kind == Value::Kind::Cast && isInteger(type) && isInteger(v->operands[0]->type))
    v->nonNegative = v->operands[0]->nonNegative;
  else if (kind == Value::Kind::Binary && isInteger(type) && v->text.size() == 1 &&
           std::string("+*/%").find(v->text) != std::string::npos)
    v->nonNegative = v->operands[0]->nonNegative && v->operands[1]->nonNegative;
  return v;
}

ValuePtr integer(long value, Scalar type) {
  const std::string suffix = type == Scalar::I64 ? "L" : "";
  if (value >= 0)
    return makeValue(Value::Kind::Literal, type, std::to_string(value) + suffix, {});
  return makeValue(Value::Kind::Unary, type, "-",
                   {makeValue(Value::Kind::Literal, type, std::to_string(-value) + suffix, {})});
}

ValuePtr binary(const std::string &op, Scalar type, ValuePtr left, ValuePtr right, Span span) {
  return makeValue(Value::Kind::Binary, type, op, {std::move(left), std::move(right)}, span);
}

ValuePtr convert(ValuePtr v, Scalar type) {
  if (v->type == type)
    return v;
  const Span span = v->span;
  if (v->kind == Value::Kind::Literal && v->type == Scalar::I32 &&
      v->text.size() <= 7) { // exact even in a float
    if (type == Scalar::F64 || type == Scalar::F32)
      return makeValue(Value::Kind::Literal, type, v->text + (type == Scalar::F64 ? ".0" : ".0f"), {}, span);
    if (type == Scalar::I64)
      return makeValue(Value::Kind::Literal, type, v->text + "L", {}, span);
  }
  return makeValue(Value::Kind::Cast, type, "", {std::move(v)}, span);
}

bool same(const Value &a, const Value &b) {
  return a.kind == b.kind && a.type == b.type && a.text == b.text && a.index == b.index &&
         std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(),
                    [](const ValuePtr &x, const ValuePtr &y) { return same(*x, *y); });
}

std::optional<long> constantOf(const Value &v, const Facts &facts) {
  bool ok = false;
  const std::string text = affineText(v, facts, ok);
  if (!ok || text.empty() || text.find_first_not_of("-0123456789") != std::string::npos || text.size() > 18)
    return std::nullopt;
  return std::stol(text);
}

} // namespace pbc::body
