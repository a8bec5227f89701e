// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where cells lie in rows of a group's memory that have parts: those whose places differ by a multiple of the number of parts next to each
// other, so that items which read every second cell read different banks.
//
//   rows of 2 parts: 0 2 4 .. gap 1 3 5 .. gap
//   A_group[2 * place0 + 1, line]   =>   A_group[place0 + length, line]                        length: of a part, with its gap
//   A_group[column, line] = A[..]   =>   A_group[column / 2 + column % 2 * length, line] = A[..]
//
// Invariant: all places are at least 0.
#include "compiler/loop/lower/pass.h"
#include <optional>
#include <utility>
#include <vector>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

/// A sum of multiples of the number of parts, divided by it, and a constant.
struct SumOfMultiples {
  Expr quotient; // null: 0
  long constant = 0;
};

Expr sumOf(const Expr &a, const Expr &b, Op op) {
  if (!b)
    return a;
  if (!a)
    return op == Op::Add ? b : arithmetic(Op::Negate, {grouped(b)});
  return arithmetic(op, {a, op == Op::Add ? b : grouped(b)});
}

std::optional<SumOfMultiples> asMultiples(const Expr &e, long parts) {
  if (const Integer *i = as<Integer>(e))
    return SumOfMultiples{nullptr, i->value};
  if (const Grouped *g = as<Grouped>(e))
    return asMultiples(g->operand, parts);
  const Arithmetic *a = as<Arithmetic>(e);
  if (!a)
    return std::nullopt;
  if (a->op == Op::Multiply) {
    const std::size_t number = as<Integer>(a->operands[0]) ? 0 : 1;
    const Integer *factor = as<Integer>(a->operands[number]);
    if (!factor || factor->value % parts != 0)
      return std::nullopt;
    const Expr &other = a->operands[1 - number];
    const long times = factor->value / parts;
    return SumOfMultiples{times == 1 ? other : multiply(integer(times), other), 0};
  }
  if (a->op != Op::Add && a->op != Op::Subtract)
    return std::nullopt;
  std::optional<SumOfMultiples> first = asMultiples(a->operands[0], parts);
  const std::optional<SumOfMultiples> second = first ? asMultiples(a->operands[1], parts) : std::nullopt;
  if (!second)
    return std::nullopt;
  first->quotient = sumOf(first->quotient, second->quotient, a->op);
  first->constant += a->op == Op::Add ? second->constant : -second->constant;
  return first;
}

class RowParts : public Mutator {
public:
  explicit RowParts(const std::vector<Matrix> &matrices) : matrices_(matrices) {}

  Expr expr(const Expr &e) override {
    Expr made = Mutator::expr(e);
    const Element *element = as<Element>(made);
    const Matrix *memory = element ? &matrices_[static_cast<std::size_t>(element->buffer)] : nullptr;
    if (!memory || memory->parts == 1)
      return made;
    Element moved = *element;
    moved.indices.front() = inParts(moved.indices.front(), *memory);
    return make({std::move(moved)});
  }

private:
  static Expr inParts(const Expr &place, const Matrix &memory) {
    const long parts = memory.parts;
    const Expr length = grouped(partLength(memory));
    if (const std::optional<SumOfMultiples> sum = asMultiples(place, parts)) {
      const long part = (sum->constant % parts + parts) % parts, before = (sum->constant - part) / parts;
      Expr at = sum->quotient ? sum->quotient : integer(before);
      if (sum->quotient && before)
        at = before > 0 ? add(std::move(at), integer(before)) : subtract(std::move(at), integer(-before));
      return part == 0 ? at : add(std::move(at), part == 1 ? length : multiply(integer(part), length));
    }
    const Arithmetic *further = as<Arithmetic>(place);
    const Expr whole = grouped(
        further && further->op == Op::Further ? add(further->operands[0], further->operands[1]) : place);
    const Expr part = grouped(arithmetic(Op::Modulo, {whole, integer(parts)}));
    return add(arithmetic(Op::Divide, {whole, integer(parts)}), multiply(part, length));
  }

  const std::vector<Matrix> &matrices_;
};

} // namespace

NodePtr lowerRowParts(const NodePtr &n, Lowering &lowering) {
  return RowParts(lowering.nest.buffers).node(n);
}

} // namespace pbc::loop
