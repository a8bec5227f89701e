// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/affine.h"
#include "compiler/body/extent.h"
#include "compiler/body/lift.h"
#include "compiler/body/math_functions.h"
#include "compiler/body/outside.h"
#include "compiler/poly/names.h"

namespace pbc::body {
namespace {

using Kind = Tree::Kind;

bool dependsOnData(const Value &v) {
  if (v.kind == Value::Kind::Cell || v.kind == Value::Kind::Local || v.kind == Value::Kind::Input)
    return true;
  for (const ValuePtr &o : v.operands)
    if (dependsOnData(*o))
      return true;
  return false;
}

} // namespace

Scalar Lifter::scalar(const Tree &t) const {
  if (!t.type)
    stop(t,
         "`" + c_.source(t) + "` has the type `" + t.typeText + "`, which is not one of the element types");
  return *t.type;
}

void Lifter::requireIndex(const Value &v, const Tree &t) const {
  bool ok = false;
  affineText(v, facts_, ok);
  if (!ok && !isChoice(std::make_shared<Value>(v)))
    stopAt(v, t, "the index");
}

void Lifter::requireBound(const Value &v, const Tree &t) const {
  if (!boundText(v, facts_))
    stopAt(v, t, "the loop's bound");
}

void Lifter::stopAt(const Value &v, const Tree &t, const std::string &what) const {
  stop(t, what + " `" + c_.source(t) + "` " + (dependsOnData(v) ? "depends on data" : "is not affine"));
}

ValuePtr Lifter::expression(const Tree &t) {
  const Span span = c_.span(t);
  switch (t.kind) {
  case Kind::Literal:
    if (t.text.empty())
      break;
    return makeValue(Value::Kind::Literal, scalar(t), t.text, {}, span);
  case Kind::Parameter:
    return parameter(t);
  case Kind::Variable:
    return variable(t);
  case Kind::Unary:
    return makeValue(Value::Kind::Unary, scalar(t), t.text, {expression(t.child(0))}, span);
  case Kind::Binary: {
    if (t.text == ",")
      stop(t, "it uses the comma operator");
    const Scalar type = scalar(t);
    ValuePtr left = expression(t.child(0));
    return binary(t.text, type, std::move(left), expression(t.child(1)), span);
  }
  case Kind::Conditional: {
    const Scalar type = scalar(t);
    ValuePtr condition = this->condition(t.child(0)), yes = expression(t.child(1));
    return makeValue(Value::Kind::Select, type, "", {condition, yes, expression(t.child(2))}, span);
  }
  case Kind::Cast:
    return convert(expression(t.child(0)), scalar(t));
  case Kind::Function:
    return call(t);
  case Kind::Method:
    return method(t);
  case Kind::Assign:
    stop(t, "`" + c_.source(t) + "` is an assignment inside an expression");
  case Kind::Step:
    stop(t, "`" + c_.source(t) + "` changes a variable inside an expression");
  default:
    break;
  }
  stopKind(t);
}

ValuePtr Lifter::parameter(const Tree &t) {
  const Parameter &p = c_.text.parameters[t.index];
  const Span span = c_.span(t);
  switch (p.role) {
  case Parameter::Role::Binding: {
    const sema::Binding &b = binding(c_.rule, p.index);
    if (!isCell(b))
      stop(t, "the view `" + p.name + "` is used as a whole");
    const Scalar type = scalarOf(c_.transform.matrices[b.matrix].element);
    ValuePtr cell = makeValue(Value::Kind::Cell, type, "", {}, span, p.index);
    if (!b.otherwise)
      return cell;
    return makeValue(Value::Kind::Select, type, "",
                     {isInside(c_.transform, b), cell, valueOutside(c_.transform, b)}, span);
  }
  case Parameter::Role::Input: {
    // The rule may have bound the same matrix under another name.
    for (std::size_t i = 0; i < c_.rule.inputs.size(); ++i)
      if (c_.rule.inputs[i].matrix == p.index)
        return makeValue(Value::Kind::Cell, scalar(t), "", {}, span,
                         static_cast<int>(c_.rule.outputs.size() + i));
    return makeValue(Value::Kind::Input, scalar(t), "", {}, span, p.index);
  }
  case Parameter::Role::LocalMatrix:
    stop(t, "it uses the rule's own matrix `" + p.name + "`");
  default:
    break;
  }
  ValuePtr v = nameValue(c_.transform, p.name);
  auto placed = std::make_shared<Value>(*v);
  placed->span = span;
  return placed;
}

ValuePtr Lifter::variable(const Tree &t) {
  if (auto found = substitutes_.find(t.index); found != substitutes_.end())
    return found->second;
  if (auto found = localOf_.find(t.index); found != localOf_.end())
    return makeValue(Value::Kind::Local, facts_.locals[found->second].type, "", {}, c_.span(t),
                     found->second);
  const Variable &v = c_.function.variables[t.index];
  stop(t, v.isRegion ? "the region `" + v.name + "` is used as a whole"
                     : "it uses the variable `" + v.name + "`");
}

/// A call of a pure function of numbers, in the precision that overload resolution chose.
ValuePtr Lifter::call(const Tree &t) {
  const Span span = c_.span(t);
  const std::string impure = "`" + t.text + "` is not known to be a pure function";
  if (!t.index)
    stop(t, impure);
  std::string name = t.text;
  std::vector<ValuePtr> arguments;
  auto collect = [&] {
    for (const TreePtr &a : t.children)
      arguments.push_back(expression(*a));
  };
  if ((name == "min" || name == "max") && t.children.size() == 2 && t.type) {
    collect();
    if (arguments[0]->type != arguments[1]->type)
      stop(t, "`" + c_.source(t) + "` mixes types");
    const int first = name == "max" ? 0 : 1; // std::max: a < b ? b : a; std::min: b < a ? b : a
    ValuePtr less = binary("<", Scalar::Bool, arguments[first], arguments[1 - first], span);
    return makeValue(Value::Kind::Select, *t.type, "", {less, arguments[1], arguments[0]}, span);
  }
  if (name == "clamp" && t.children.size() == 3 && t.type) { // v < low ? low : high < v ? high : v
    collect();
    if (arguments[0]->type != arguments[1]->type || arguments[0]->type != arguments[2]->type)
      stop(t, "`" + c_.source(t) + "` mixes types");
    const auto &v = arguments[0], &low = arguments[1], &high = arguments[2];
    ValuePtr rest = makeValue(Value::Kind::Select, *t.type, "",
                              {binary("<", Scalar::Bool, high, v, span), high, v}, span);
    return makeValue(Value::Kind::Select, *t.type, "",
                     {binary("<", Scalar::Bool, v, low, span), low, std::move(rest)}, span);
  }
  if (name == "abs" || name == "labs" || name == "llabs") {
    collect();
    const Scalar type = scalar(t);
    const char *exact = type == Scalar::F64   ? "fabs"
                        : type == Scalar::F32 ? "fabsf"
                        : type == Scalar::I64 ? "labs"
                                              : "abs";
    return makeValue(Value::Kind::Call, type, exact, {convert(arguments[0], type)}, span);
  }
  if (name.starts_with("__builtin_inf") || name.starts_with("__builtin_huge_val")) // INFINITY and HUGE_VAL
    return makeValue(Value::Kind::Call, scalar(t), t.type == Scalar::F32 ? "__builtin_inff" : "__builtin_inf",
                     {}, span);
  if (name.starts_with("__builtin_nan") || name == "nan" || name == "nanf") // NAN
    return makeValue(Value::Kind::Call, scalar(t), scalar(t) == Scalar::F32 ? "pb::nanf" : "pb::nan", {},
                     span);
  if (name == "isMissing" || name == "missing") { // pb::'s; a function of the program has no index
    collect();
    return makeValue(Value::Kind::Call, scalar(t), "pb::" + name, std::move(arguments), span);
  }
  const MathFunction *f = mathFunction(name, static_cast<int>(t.children.size()));
  if (!f || !t.type)
    stop(t, impure);
  collect();
  Scalar real = Scalar::F32;
  for (std::size_t k = 0; k < arguments.size(); ++k)
    if (f->takes[k] == 'r' && arguments[k]->type != Scalar::F32)
      real = Scalar::F64;
  if (f->gives == 'r')
    real = *t.type;
  if (isInteger(real))
    stop(t, impure);
  for (std::size_t k = 0; k < arguments.size(); ++k)
    arguments[k] = convert(arguments[k], parameterType(*f, k, real));
  return makeValue(Value::Kind::Call, *t.type, calledName(*f, real), std::move(arguments), span);
}

ValuePtr Lifter::method(const Tree &t) {
  if (t.text == "cell")
    return cell(t);
  const bool width = t.text == "width", height = t.text == "height", depth = t.text == "depth";
  if (width || height || depth || t.text == "size") {
    const View v = view(t.child(0));
    std::optional<long> d = width ? 0 : height ? 1 : 2;
    if (t.text == "size")
      d = constantOf(*expression(t.child(1)), facts_);
    if (!d || *d < 0 || *d >= static_cast<long>(v.extent.size()))
      stop(t, "`" + c_.source(t) + "` names no dimension of the region");
    return convert(v.extent[*d], scalar(t));
  }
  if (t.text == "count") {
    const View v = view(t.child(0));
    ValuePtr n = integer(1, Scalar::I64);
    for (std::size_t d = 0; d < v.extent.size(); ++d) {
      ValuePtr e = convert(v.extent[d], Scalar::I64);
      n = d ? binary("*", Scalar::I64, n, e) : e;
    }
    return n;
  }
  stop(t, "the region method `" + t.text + "` is not lifted");
}

ValuePtr Lifter::index(const Tree &t) {
  ValuePtr v = expression(t);
  requireIndex(*v, t);
  // row(long) and similar methods widen; an index has the same value in either width.
  if (v->kind == Value::Kind::Cast && v->type == Scalar::I64 && v->operands[0]->type == Scalar::I32)
    return v->operands[0];
  if (v->kind == Value::Kind::Literal && v->type == Scalar::I64)
    if (auto constant = constantOf(*v, facts_); constant && *constant <= 2147483647)
      return integer(*constant);
  return v;
}

ValuePtr Lifter::cell(const Tree &t) {
  View v = view(t.child(0));
  if (t.children.size() != v.dims.size() + 1)
    stop(t, "`" + c_.source(t) + "` has not one coordinate per dimension");
  std::vector<ValuePtr> at = v.origin;
  for (std::size_t d = 0; d < v.dims.size(); ++d) {
    ValuePtr i = index(t.child(d + 1)), &slot = at[v.dims[d]];
    if (!slot) {
      slot = i;
      continue;
    }
    const Scalar type = i->type == Scalar::I64 || slot->type == Scalar::I64 ? Scalar::I64 : Scalar::I32;
    slot = binary("+", type, convert(slot, type), convert(i, type), i->span);
  }
  return cellInPieces(*makeValue(Value::Kind::Cell, v.type, "", std::move(at), c_.span(t), v.binding), 0);
}

ValuePtr Lifter::extentValue(const sema::Binding &b, int dimension) const {
  auto name = [&](const std::string &mangled) { return nameValue(c_.transform, poly::unmangle(mangled)); };
  ValuePtr begin = parseAffine(b.begin[dimension].cxx, name), end = parseAffine(b.end[dimension].cxx, name);
  if (!begin || !end)
    return nullptr;
  const Scalar type = begin->type == Scalar::I64 || end->type == Scalar::I64 ? Scalar::I64 : Scalar::I32;
  const bool fromZero = begin->kind == Value::Kind::Literal && begin->text == "0";
  auto size =
      std::make_shared<Value>(fromZero ? *end : *binary("-", type, convert(end, type), convert(begin, type)));
  size->nonNegative = true;
  return size;
}

View Lifter::bindingView(int number, const Tree &t) const {
  const sema::Binding &b = binding(c_.rule, number);
  View v;
  v.binding = number;
  v.type = scalarOf(c_.transform.matrices[b.matrix].element);
  for (std::size_t d = 0; d < b.viewDims.size(); ++d) {
    v.origin.push_back(nullptr); // zero
    v.dims.push_back(static_cast<int>(d));
    ValuePtr size = extentValue(b, b.viewDims[d]);
    if (!size)
      stop(t, "the size of `" + b.name + "` is not affine");
    v.extent.push_back(size);
  }
  return v;
}

/// A binding's view, a variable that refers to one, or `row`, `column`, `slice`, `region`, `transposed`,
/// `all` of one.
View Lifter::view(const Tree &t) {
  if (t.kind == Kind::Variable)
    if (auto found = viewOf_.find(t.index); found != viewOf_.end())
      return found->second;
  if (t.kind == Kind::Parameter) {
    const Parameter &p = c_.text.parameters[t.index];
    if (p.role == Parameter::Role::Binding)
      return bindingView(p.index, t);
    if (p.role == Parameter::Role::LocalMatrix)
      stop(t, "it uses the rule's own matrix `" + p.name + "`");
  }
  if (t.kind != Kind::Method)
    stop(t, "the region `" + c_.source(t) + "` is not a part of one of the rule's views");
  View v = view(t.child(0));
  auto shift = [&](int d, ValuePtr by) {
    ValuePtr &slot = v.origin[v.dims[d]];
    if (slot) {
      const Scalar type = slot->type == Scalar::I64 || by->type == Scalar::I64 ? Scalar::I64 : Scalar::I32;
      by = binary("+", type, convert(slot, type), convert(by, type));
    }
    slot = by;
  };
  const std::size_t rank = v.dims.size();
  if (t.text == "all")
    return v;
  if (t.text == "transposed") {
    std::reverse(v.dims.begin(), v.dims.end());
    std::reverse(v.extent.begin(), v.extent.end());
    return v;
  }
  if (t.text == "region" && t.children.size() == 2 * rank + 1) {
    for (std::size_t d = 0; d < rank; ++d) {
      ValuePtr low = index(t.child(d + 1)), high = index(t.child(rank + d + 1));
      const Scalar type = low->type == Scalar::I64 || high->type == Scalar::I64 ? Scalar::I64 : Scalar::I32;
      auto size = std::make_shared<Value>(*binary("-", type, convert(high, type), convert(low, type)));
      size->nonNegative = true; // region() is only defined for such sizes
      v.extent[d] = size;
      shift(static_cast<int>(d), low);
    }
    return v;
  }
  std::optional<long> fixed;
  const bool slice = t.text == "slice" && t.children.size() == 3;
  if (t.text == "row")
    fixed = 1;
  else if (t.text == "column" || t.text == "col")
    fixed = 0;
  else if (slice)
    fixed = constantOf(*expression(t.child(1)), facts_);
  if (!fixed || *fixed < 0 || *fixed >= static_cast<long>(rank))
    stop(t, "the region `" + c_.source(t) + "` is not lifted");
  shift(static_cast<int>(*fixed), index(t.child(slice ? 2 : 1)));
  v.dims.erase(v.dims.begin() + *fixed);
  v.extent.erase(v.extent.begin() + *fixed);
  return v;
}

} // namespace pbc::body
