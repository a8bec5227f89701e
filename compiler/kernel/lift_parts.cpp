// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/lift_parts.h"
#include "compiler/body/value.h"
#include "compiler/poly/names.h"
#include <algorithm>
#include <isl/map.h>
#include <isl/set.h>
#include <map>

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

isl::set withoutName(const isl::set &domain) { return isl::manage(isl_set_reset_tuple_id(domain.copy())); }

bool hasSameSteps(const Statement &a, const Statement &b) {
  return withoutName(a.domain).is_equal(withoutName(b.domain));
}

/// What the statement reads of these buffers, by buffer: the domains of its readers without their names.
void addReads(std::map<int, std::vector<isl::set>> &read, const Statement &s, const std::set<int> &buffers) {
  const isl::set here = withoutName(s.domain);
  for (const Access &a : s.accesses)
    if (std::vector<isl::set> &known = read[a.buffer];
        !a.isWrite && buffers.contains(a.buffer) &&
        std::none_of(known.begin(), known.end(), [&](const isl::set &other) { return other.is_equal(here); }))
      known.push_back(here);
}

/// The parts of a domain in which these sets are, without a name: the sets, if no two of them have common points, else one part.
std::vector<isl::set> partsOf(const isl::set &domain, const std::vector<isl::set> &sets) {
  const isl::set whole = withoutName(domain);
  std::vector<isl::set> parts;
  isl::set all = whole.subtract(whole);
  bool areApart = true;
  for (const isl::set &one : sets) {
    const isl::set here = poly::simplified(whole.intersect(one));
    if (here.is_empty())
      continue;
    areApart &= here.intersect(all).is_empty();
    all = all.unite(here);
    parts.push_back(here);
  }
  return areApart || parts.empty() ? parts : std::vector{poly::simplified(all)};
}

/// The same statement under a name of its own.
Statement renamed(Statement s, const std::vector<Statement> &statements) {
  s.name = "R" + std::to_string(s.rule) + "_S" +
           std::to_string(std::count_if(statements.begin(), statements.end(),
                                        [&](const Statement &other) { return other.rule == s.rule; }));
  for (Access &a : s.accesses)
    a.relation = isl::manage(isl_map_set_tuple_name(a.relation.copy(), isl_dim_in, s.name.c_str()));
  return s;
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

/// The same for all of these statements, or none.
bool leaveLoop(const std::vector<Block> &blocks, std::vector<Statement> &statements) {
  std::vector<Statement> outside;
  for (const Block &b : blocks) {
    outside.push_back(statements[static_cast<std::size_t>(b.statement)]);
    if (!leaveLoop(outside.back()))
      return false;
  }
  for (std::size_t k = 0; k < blocks.size(); ++k)
    statements[static_cast<std::size_t>(blocks[k].statement)] = std::move(outside[k]);
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

ExprPtr constantOf(const Statement &s) {
  if (s.value->kind == Expr::Kind::Literal || !isZero(*s.value))
    return s.value->kind == Expr::Kind::Literal ? s.value : nullptr;
  auto zero = std::make_shared<Expr>();
  zero->kind = Expr::Kind::Literal;
  zero->type = s.value->type;
  zero->text = body::zero(zero->type);
  return zero;
}

std::vector<Block> cutAlongReaders(const std::vector<Block> &body, const std::set<int> &buffers,
                                   std::vector<Statement> &statements) {
  std::vector<Block> all; // from the last to the first
  std::map<int, std::vector<isl::set>> read;
  for (auto one = body.rbegin(); one != body.rend(); ++one) {
    all.push_back(*one);
    if (one->statement < 0)
      continue;
    const Statement whole = statements[static_cast<std::size_t>(one->statement)];
    const auto where = read.find(whole.accesses[static_cast<std::size_t>(whole.write)].buffer);
    const std::vector<isl::set> parts =
        where == read.end() ? std::vector<isl::set>{} : partsOf(whole.domain, where->second);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (k > 0) {
        all.push_back(*one);
        all.back().statement = static_cast<int>(statements.size());
        statements.push_back(renamed(whole, statements));
      }
      Statement &part = statements[static_cast<std::size_t>(all.back().statement)];
      part.domain = isl::manage(isl_set_set_tuple_name(parts[k].copy(), part.name.c_str()));
    }
    for (std::size_t k = 0; k < std::max<std::size_t>(parts.size(), 1); ++k)
      addReads(read, statements[static_cast<std::size_t>((all.end() - 1 - static_cast<long>(k))->statement)],
               buffers);
  }
  std::reverse(all.begin(), all.end());
  return all;
}

std::vector<Block> loopsOfParts(const Block &block, std::vector<Statement> &statements) {
  const bool hasLoops =
      std::any_of(block.body.begin(), block.body.end(), [](const Block &b) { return b.statement < 0; });
  if (block.body.size() < 2 || hasLoops)
    return {block};
  const auto statement = [&](const Block &b) -> Statement & {
    return statements[static_cast<std::size_t>(b.statement)];
  };
  const auto first = [&](const Block &part) -> Statement & { return statement(part.body.front()); };
  std::vector<Block> parts;
  for (const Block &one : block.body) {
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const Block &other) {
      return hasSameSteps(statement(one), first(other));
    });
    if (same != parts.end()) {
      same->body.push_back(one);
      continue;
    }
    const auto at = std::find_if(parts.begin(), parts.end(),
                                 [&](const Block &other) { return isBefore(statement(one), first(other)); });
    Block part = block;
    part.body = {one};
    parts.insert(at, std::move(part));
  }
  // Each pair: at a point where the part between two others has no step, these two may be in another order.
  for (std::size_t k = 1; k < parts.size(); ++k)
    for (std::size_t before = 0; before < k; ++before)
      if (!isBefore(first(parts[before]), first(parts[k])))
        return {block};
  std::vector<Block> all;
  for (Block &part : parts) {
    const bool isOne = parts.size() > 1 && leaveLoop(part.body, statements);
    if (isOne)
      all.insert(all.end(), part.body.begin(), part.body.end());
    else
      all.push_back(std::move(part));
  }
  return all;
}

} // namespace pbc::kernel
