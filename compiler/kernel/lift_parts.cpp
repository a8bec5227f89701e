// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/lift_parts.h"
#include "compiler/body/value.h"
#include <algorithm>
#include <isl/map.h>
#include <isl/set.h>

namespace pbc::kernel {
namespace {

bool isZero(const Expr &e) {
  switch (e.kind) {
  case Expr::Kind::Literal:
    return e.text == body::zero(e.type);
  case Expr::Kind::Cast:
    return isZero(*e.operands[0]);
  case Expr::Kind::Unary:
    return e.text == "-" && isZero(*e.operands[0]);
  case Expr::Kind::Binary:
    return e.text == "*" ? isZero(*e.operands[0]) || isZero(*e.operands[1])
           : e.text == "/"
               ? isZero(*e.operands[0])
               : (e.text == "+" || e.text == "-") && isZero(*e.operands[0]) && isZero(*e.operands[1]);
  default:
    return false;
  }
}

/// Whether the expression reads what the statement writes.
bool isTarget(const Statement &s, const Expr &e) {
  if (e.kind != Expr::Kind::Read)
    return false;
  const Access &read = s.accesses[static_cast<std::size_t>(e.index)],
               &written = s.accesses[static_cast<std::size_t>(s.write)];
  return read.buffer == written.buffer && read.relation.is_equal(written.relation);
}

/// Whether all steps of `first`, a statement in one loop, come before those of `second` at each point of the rule.
bool isBefore(const Statement &first, const Statement &second) {
  isl_map *pairs = isl_map_from_domain_and_range(first.domain.copy(), second.domain.copy());
  const auto last = static_cast<int>(first.dimensions.size()) - 1;
  for (int d = 0; d < last; ++d)
    pairs = isl_map_equate(pairs, isl_dim_in, d, isl_dim_out, d);
  return isl::manage(isl_map_order_ge(pairs, isl_dim_in, last, isl_dim_out, last)).is_empty();
}

bool usesDimension(const Expr &e, int d) {
  return (e.kind == Expr::Kind::Dimension && e.index == d) ||
         std::any_of(e.operands.begin(), e.operands.end(),
                     [&](const ExprPtr &o) { return usesDimension(*o, d); });
}

/// Takes the last dimension out of a statement that has one iteration along it at each point, if its value does not use it.
bool leaveLoop(Statement &s) {
  const auto last = static_cast<unsigned>(s.dimensions.size()) - 1;
  if (usesDimension(*s.value, static_cast<int>(last)))
    return false;
  const isl::set points = isl::manage(
      isl_set_set_tuple_name(isl_set_project_out(s.domain.copy(), isl_dim_set, last, 1), s.name.c_str()));
  // { S[x, y] -> S[x, y, k] }
  isl_map *inLoop = isl_map_from_domain_and_range(points.copy(), s.domain.copy());
  for (unsigned d = 0; d < last; ++d)
    inLoop = isl_map_equate(inLoop, isl_dim_in, static_cast<int>(d), isl_dim_out, static_cast<int>(d));
  const isl::map instance = isl::manage(inLoop);
  if (!instance.is_single_valued())
    return false;
  for (Access &a : s.accesses)
    a.relation = instance.apply_range(a.relation).gist_domain(points).coalesce();
  s.domain = points;
  s.dimensions.pop_back();
  return true;
}

} // namespace

bool addsNothing(const Statement &s) {
  const Expr &value = *s.value;
  if (!s.op.empty())
    return (s.op == "+" || s.op == "-") && isZero(value);
  const auto operand = [&](std::size_t k) -> const Expr & { return *value.operands[k]; };
  if (value.kind == Expr::Kind::Binary && (value.text == "+" || value.text == "-"))
    return (isTarget(s, operand(0)) && isZero(operand(1))) ||
           (value.text == "+" && isZero(operand(0)) && isTarget(s, operand(1)));
  return value.kind == Expr::Kind::Call && (value.text == "fma" || value.text == "fmaf") &&
         value.operands.size() == 3 && (isZero(operand(0)) || isZero(operand(1))) && isTarget(s, operand(2));
}

std::vector<Block> loopsOfParts(const Block &block, std::vector<Statement> &statements) {
  const bool hasLoops =
      std::any_of(block.body.begin(), block.body.end(), [](const Block &b) { return b.statement < 0; });
  if (block.body.size() < 2 || hasLoops)
    return {block};
  std::vector<Block> parts;
  const auto statement = [&](const Block &b) -> Statement & {
    return statements[static_cast<std::size_t>(b.statement)];
  };
  for (const Block &one : block.body) {
    const auto at = std::find_if(parts.begin(), parts.end(), [&](const Block &other) {
      return isBefore(statement(one), statement(other.body.front()));
    });
    Block part = block;
    part.body = {one};
    parts.insert(at, std::move(part));
  }
  for (std::size_t k = 1; k < parts.size(); ++k)
    if (!isBefore(statement(parts[k - 1].body.front()), statement(parts[k].body.front())))
      return {block};
  for (Block &part : parts)
    if (leaveLoop(statement(part.body.front())))
      part = Block(part.body.front());
  return parts;
}

} // namespace pbc::kernel
