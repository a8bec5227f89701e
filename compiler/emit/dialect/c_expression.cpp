// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/dialect/c_printer.h"
#include "compiler/emit/dialect/cxx.h"
#include "compiler/loop/operators.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <stdexcept>

namespace pbc::emit {

using loop::as;
using loop::Expr;
using Op = loop::Arithmetic::Op;

namespace {

// Higher values bind tighter; the part of the C family's table that whole numbers need.
enum Precedence { kSelect = 1, kOr, kAnd, kEquality, kRelation, kSum, kProduct, kUnary, kPrimary };

struct Infix {
  std::string_view spelling;
  int precedence;
  bool isAssociative;
};

/// Nothing for operations that are no infix operators.
std::optional<Infix> infix(Op op) {
  switch (op) {
  case Op::And:
    return Infix{"&&", kAnd, true};
  case Op::Or:
    return Infix{"||", kOr, true};
  case Op::Add:
    return Infix{"+", kSum, true};
  case Op::Further:
    return Infix{"+", kSum, false};
  case Op::Subtract:
    return Infix{"-", kSum, false};
  case Op::Multiply: // it is treated as not associative, because 2 * (n / 4) is not 2 * n / 4
    return Infix{"*", kProduct, false};
  case Op::Divide:
    return Infix{"/", kProduct, false};
  case Op::Modulo:
    return Infix{"%", kProduct, false};
  case Op::Equal:
    return Infix{"==", kEquality, false};
  case Op::Less:
    return Infix{"<", kRelation, false};
  case Op::LessEqual:
    return Infix{"<=", kRelation, false};
  case Op::Greater:
    return Infix{">", kRelation, false};
  case Op::GreaterEqual:
    return Infix{">=", kRelation, false};
  default:
    return std::nullopt;
  }
}

int precedenceOf(const Expr &e) {
  if (const auto *number = as<loop::Integer>(e))
    return number->value < 0 ? kUnary : kPrimary;
  const auto *operation = as<loop::Arithmetic>(e);
  if (!operation)
    return kPrimary;
  if (const auto i = infix(operation->op))
    return i->precedence;
  return operation->op == Op::Negate ? kUnary : operation->op == Op::Choose ? kSelect : kPrimary;
}

/// What an index begins with, and the step that is added last; null without one.
std::pair<Expr, Expr> split(const Expr &index) {
  const auto *a = as<loop::Arithmetic>(index);
  return a && a->op == Op::Further ? std::pair(a->operands[0], a->operands[1]) : std::pair(index, Expr());
}

/// Whether an operand of a body's operation needs no parentheses.
bool isWhole(const Expr &e) {
  if (const auto *literal = as<loop::Literal>(e))
    return !literal->text.starts_with('-');
  return !as<loop::Operation>(e) && precedenceOf(e) == kPrimary;
}

/// Whether a `float` is divided by a number from 2^-20 to 2^20 that is no power of two.
bool isFloatByNumber(const loop::Operation &o) {
  constexpr int kLargest = 20;
  if (o.op != loop::Operation::Op::Divide || o.type != Scalar::F32)
    return false;
  const auto *by = as<loop::Literal>(o.operands[1]);
  if (!by || by->type != Scalar::F32)
    return false;
  int exponent = 0;
  const float fraction = std::frexp(std::strtof(by->text.c_str(), nullptr), &exponent);
  return std::isfinite(fraction) && std::abs(fraction) != 0.5F && fraction != 0 && exponent > -kLargest &&
         exponent <= kLargest;
}

const std::string kColumns = ", pb__n - v * W"; // of a vector that is only partly there

} // namespace

std::string CPrinter::text(const Expr &e) {
  return separately([&] { put(e); });
}
std::string CPrinter::atom(const Expr &e) {
  return separately([&] { putAtom(e); });
}
std::string CPrinter::address(const Expr &element) {
  return separately([&] { putAddress(element); });
}

void CPrinter::put(const Expr &e) {
  std::visit([this](const auto &kind) { putKind(kind); }, e->as);
}

void CPrinter::put(const Expr &e, int atLeast) {
  const bool isWrapped = precedenceOf(e) < atLeast;
  out_ += isWrapped ? "(" : "";
  put(e);
  out_ += isWrapped ? ")" : "";
}

void CPrinter::putAtom(const Expr &e) {
  const auto *number = as<loop::Integer>(e);
  const bool isAtom = (number && number->value >= 0) || as<loop::Name>(e) || as<loop::Grouped>(e);
  out_ += isAtom ? "" : "(";
  put(e);
  out_ += isAtom ? "" : ")";
}

void CPrinter::putOperand(const Expr &e) {
  out_ += isWhole(e) ? "" : "(";
  put(e);
  out_ += isWhole(e) ? "" : ")";
}

void CPrinter::putKind(const loop::Integer &i) { out_ += std::to_string(i.value); }

void CPrinter::putKind(const loop::Name &n) {
  out_ += n.name;
  if (n.kind == loop::Name::Kind::Value) {
    used_.values.insert(n.name);
    out_ += "_v";
  } else if (n.kind == loop::Name::Kind::Limit) {
    const std::size_t number = n.name.find_first_of("0123456789");
    if (number != std::string::npos) // not of a block of rows
      used_.tasks = std::max(used_.tasks, 1 + std::stoi(n.name.substr(number)));
  }
}

void CPrinter::putInfix(const loop::Arithmetic &a, std::string_view spelling, int precedence,
                        bool isAssociative) {
  // clang warns of `a && b || c` and of chained comparisons: parenthesise these even where C++ need not.
  const int leftNeeds = precedence <= kRelation && precedence > kSelect ? precedence + 1 : precedence;
  const bool isChain = precedence == kOr || precedence == kAnd;
  const Expr &left = a.operands[0], &right = a.operands[1];
  put(left,
      isChain ? (precedenceOf(left) == precedence ? precedence : static_cast<int>(kEquality)) : leftNeeds);
  out_ += ' ';
  out_ += spelling;
  out_ += ' ';
  put(right, isAssociative ? precedence : precedence + 1);
}

void CPrinter::putCall(const std::string &function, const std::vector<Expr> &arguments) {
  out_ += function;
  out_ += '(';
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    out_ += k ? ", " : "";
    put(arguments[k]);
  }
  out_ += ')';
}

void CPrinter::putKind(const loop::Arithmetic &a) {
  if (const auto i = infix(a.op))
    return putInfix(a, i->spelling, i->precedence, i->isAssociative);
  switch (a.op) {
  case Op::Minimum:
    return putCall(dialect_.helper(Helper::Minimum), a.operands);
  case Op::Maximum:
    return putCall(dialect_.helper(Helper::Maximum), a.operands);
  case Op::FloorDivide:
    return putCall(dialect_.helper(Helper::FloorDivide), a.operands);
  case Op::Negate:
    out_ += '-';
    return put(a.operands[0], kPrimary);
  case Op::Choose:
    put(a.operands[0], kOr);
    out_ += " ? ";
    put(a.operands[1], kOr);
    out_ += " : ";
    return put(a.operands[2], kOr);
  default:
    throw std::logic_error("an operation of whole numbers without a spelling");
  }
}

void CPrinter::putKind(const loop::Grouped &g) {
  out_ += '(';
  put(g.operand);
  out_ += ')';
}

void CPrinter::putOffset(const loop::Element &e) {
  bool isFirst = true;
  const bool isOwn = matrix(e.buffer).isOwn;
  (isOwn ? used_.own : used_.buffers).insert(e.buffer);
  const auto part = [&](std::size_t d, const Expr &index) {
    if (loop::isInteger(index, 0))
      return;
    out_ += isFirst ? "" : " + ";
    isFirst = false;
    putAtom(index);
    if (d > 0 || !isUnit(e.buffer))
      out_ += " * " + stride(e.buffer, d);
  };
  // Along dimension 0, whose stride is one in most launches, the step is constant: machines add it to an address for nothing, if
  // the rest has 64 bits before.
  const Expr step = e.indices.empty() ? nullptr : split(e.indices.front()).second;
  out_ += step ? "(long)(" : "";
  for (std::size_t d = 0; d < e.indices.size(); ++d) {
    const auto [from, further] = split(e.indices[d]);
    part(d, from);
    if (d > 0 && further)
      part(d, further);
  }
  out_ += isFirst ? "0" : "";
  out_ += step ? ")" : "";
  if (step)
    part(0, step);
}

/// The number of a cell in a group's memory.
void CPrinter::putPlaceInGroup(const loop::Element &e) {
  Expr place, steps;
  const auto addTo = [&](Expr &sum, std::size_t d, Expr part) {
    if (!part || loop::isInteger(part, 0))
      return;
    if (d > 0)
      part = loop::multiply(loop::grouped(std::move(part)),
                            loop::grouped(loop::groupStride(matrix(e.buffer), d)));
    sum = sum ? loop::add(std::move(sum), std::move(part)) : std::move(part);
  };
  for (std::size_t d = 0; d < e.indices.size(); ++d) {
    const auto [from, further] = split(e.indices[d]);
    addTo(place, d, from);
    addTo(steps, d, further);
  }
  if (steps)
    place = loop::further(place ? place : loop::integer(0), steps);
  put(place ? place : loop::integer(0));
}

void CPrinter::putKind(const loop::Element &e) {
  const loop::Matrix &m = matrix(e.buffer);
  const bool isOfGroup = !m.ofGroup.empty();
  out_ += m.name + (isOfGroup ? "_l[" : "_p[");
  if (isOfGroup)
    putPlaceInGroup(e);
  else
    putOffset(e);
  out_ += ']';
}

void CPrinter::putAddress(const Expr &element) {
  const auto &e = *as<loop::Element>(element);
  const auto isThere = [](const Expr &i) { return !loop::isInteger(i, 0); };
  const auto summands = std::count_if(e.indices.begin(), e.indices.end(), isThere);
  const bool isAtom = summands == 0 || (summands == 1 && isUnit(e.buffer) && isThere(e.indices.front()));
  out_ += matrix(e.buffer).name + (isAtom ? "_p + " : "_p + (");
  putOffset(e);
  out_ += isAtom ? "" : ")";
}

void CPrinter::putKind(const loop::Local &l) {
  out_ += l.name + "_l";
  for (const Expr &i : l.indices) {
    out_ += '[';
    put(i);
    out_ += ']';
  }
}

void CPrinter::putKind(const loop::Literal &l) { out_ += dialect_.literal(l); }
void CPrinter::putKind(const loop::Infinity &i) { out_ += dialect_.infinity(i.type); }

void CPrinter::putKind(const loop::Operation &o) {
  if (const std::string eager = o.isEager ? dialect_.eagerChoice(o.type) : ""; !eager.empty())
    return putCall(eager, o.operands);
  if (o.op == loop::Operation::Op::Choose) {
    putOperand(o.operands[0]);
    out_ += " ? ";
    putOperand(o.operands[1]);
    out_ += " : ";
    putOperand(o.operands[2]);
    return;
  }
  if (isFloatByNumber(o) && !dialect_.divisionByNumber().empty())
    return putCall(dialect_.divisionByNumber(), o.operands);
  const std::string_view spelling = loop::spelling(o.op);
  if (o.operands.size() == 1) {
    out_ += spelling;
    putOperand(o.operands[0]);
    return;
  }
  putOperand(o.operands[0]);
  out_ += ' ';
  out_ += spelling;
  out_ += ' ';
  putOperand(o.operands[1]);
}

void CPrinter::putKind(const loop::Cast &c) {
  out_ += '(' + dialect_.type(c.type) + ')';
  putOperand(c.operand);
}

void CPrinter::putKind(const loop::Function &f) {
  if (f.hasVectors)
    used_.vectorFunctions.insert(vectorDeclaration(f));
  putCall(dialect_.function(f), f.operands);
}

void CPrinter::putKind(const loop::Partial &p) { out_ += dialect_.partial(p.type, text(p.operand)); }

void CPrinter::putKind(const loop::CellsToLine &c) {
  out_ += dialect_.helper(Helper::CellsToLine) + "(&";
  put(c.cell);
  out_ += ", ";
  put(c.most);
  out_ += ')';
}

void CPrinter::putKind(const loop::IsStreamed &s) {
  used_.streamed[s.buffer] = s.always;
  out_ += matrix(s.buffer).name + "_q.areUsed()";
}

void CPrinter::putKind(const loop::StripCells &s) {
  out_ += fmt::format("pb::kStripCells<{}, {}>", body::cxxType(s.type), s.most);
}

void CPrinter::putKind(const loop::CellsIntoBlock &c) {
  out_ += dialect_.helper(Helper::CellsIntoBlock) + "<" + std::to_string(c.cells) + ">(&";
  put(c.operand);
  out_ += ')';
}

std::string CPrinter::stride(int buffer, std::size_t dimension) {
  if (!matrix(buffer).isOwn)
    used_.strides.insert({buffer, static_cast<int>(dimension)});
  return loop::strideName(matrix(buffer).name, dimension);
}

std::string CPrinter::distance(const loop::Distance &d, int buffer) {
  std::string sum;
  for (const loop::Distance::Part &p : d.parts) {
    sum += (sum.empty() ? "" : " + ") + std::to_string(p.factor);
    if (p.dimension == 0 && isUnit(buffer))
      continue;
    sum += " * " + stride(buffer, static_cast<std::size_t>(p.dimension));
  }
  return sum.empty() ? "0" : sum;
}

void CPrinter::putKind(const loop::CellVector &c) {
  putCellVector("load", c);
  out_ += kColumns + ")";
}

void CPrinter::putCellVector(const std::string &what, const loop::CellVector &c) {
  const int buffer = as<loop::Element>(c.cell)->buffer;
  const bool isAny = c.apart.parts.empty() && !isUnit(buffer);
  out_ += "pb::" + what + (isAny ? "Any" : c.apart.parts.empty() ? "" : "Apart") + "<W, isPart>(";
  putAddress(c.cell);
  if (isAny)
    out_ += ", " + stride(buffer, 0);
  else if (!c.apart.parts.empty())
    out_ += ", " + distance(c.apart, buffer);
}

void CPrinter::putKind(const loop::Spread &s) { putCall("pb::spread<W>", {s.operand}); }

void CPrinter::putKind(const loop::StripValue &) {
  throw std::logic_error("a strip is read outside of a block of points");
}

std::string CPrinter::keptPlace(const loop::KeptValue &k) {
  return fmt::format("pb__kept + (({} * R + r) * V + v) * W", k.scalar);
}

void CPrinter::putKind(const loop::KeptValue &k) { out_ += "pb::load<W, false>(" + keptPlace(k) + ", W)"; }

} // namespace pbc::emit
