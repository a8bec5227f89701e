// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The parts of BodyLifter that are about matrices with a structure: a statement becomes one for each value that they have in it.
#include "compiler/body/structured.h"
#include "compiler/body/value.h"
#include "compiler/kernel/lift_body.h"
#include "compiler/kernel/lift_parts.h"
#include <isl/set.h>

namespace pbc::kernel {

/// A read of a cell of a matrix with a structure.
ExprPtr BodyLifter::structured(const body::Value &value, Statement &s) {
  using Value = body::StructureRegion::Value;
  const sema::Structure &structure = *transform_.matrices[binding(value.index).matrix].structure;
  std::vector<std::string> at = coordinates(value.index, value.operands);
  auto e = std::make_shared<Expr>();
  e->type = value.type;
  e->kind = Expr::Kind::Literal;
  for (const body::StructureRegion &region : body::regionsOf(structure, at[0], at[1])) {
    const isl::set where =
        ctx_.set(prefix_ + "{ " + tuple(s) + (region.where.empty() ? "" : " : " + region.where) + " }");
    const isl::set here = s.domain.intersect(where);
    if (here.is_empty())
      continue;
    if (!s.domain.is_subset(where))
      throw Several{here};
    if (region.value == Value::Zero || region.value == Value::One) {
      e->text = region.value == Value::Zero ? body::zero(value.type) : body::one(value.type);
      return e;
    }
    if (region.value == Value::Mirrored)
      std::swap(at[0], at[1]);
    break;
  }
  e->kind = Expr::Kind::Read;
  e->index = cellAt(s, value.index, at, false);
  return e;
}

ExprPtr BodyLifter::constantOf(int local, const Statement &s) const {
  for (const ScalarParts::Part &part : scalars_.of(local)) {
    const isl::set where = isl::manage(isl_set_set_tuple_name(part.where.copy(), s.name.c_str()));
    const isl::set here = s.domain.intersect(where);
    if (here.is_empty())
      continue;
    if (!s.domain.is_subset(where))
      throw Several{here};
    return part.value;
  }
  return nullptr;
}

std::vector<Block> BodyLifter::assign(const body::Node &written) {
  const std::optional<GuardedSum> guarded = guardedSum(written);
  const body::Node &node = guarded ? guarded->addition : written;
  std::vector<Block> all;
  std::vector<isl::set> open; // parts of the domain, over dimensions alone
  const bool isCut = node.target.isLocal && scalars_.isPrivate(node.target.index);
  std::vector<ScalarParts::Part> parts; // the value may read those of the assignment before
  for (bool isWhole = true; isWhole || !open.empty(); isWhole = false) {
    Statement s = begin(node.span);
    if (guarded)
      s.domain = poly::simplified(
          s.domain.intersect(ctx_.set(prefix_ + "{ " + tuple(s) + " : " + guarded->where + " }")));
    if (!isWhole) {
      s.domain = isl::manage(isl_set_set_tuple_name(open.back().release(), s.name.c_str()));
      open.pop_back();
    }
    const std::vector<Buffer> buffers = kernel_.buffers;
    const std::vector<int> locals = localBuffers_, accumulators = accumulators_;
    const isl::set domain = s.domain;
    try {
      all.push_back(assign(node, std::move(s)));
    } catch (const Several &found) {
      isConditional_ = false;
      condition_.clear();
      kernel_.buffers = buffers, localBuffers_ = locals, accumulators_ = accumulators;
      open.push_back(poly::simplified(domain.subtract(found.part)));
      open.push_back(poly::simplified(found.part));
      continue;
    }
    const Statement &last = kernel_.statements.back();
    ExprPtr constant;
    if (isCut && !isWhole && !last.domain.is_empty()) {
      constant = kernel::constantOf(last);
      parts.push_back({isl::manage(isl_set_reset_tuple_id(last.domain.copy())), constant});
    }
    if (constant || last.domain.is_empty() || addsNothing(last)) {
      kernel_.statements.pop_back();
      all.pop_back();
    }
  }
  if (isCut)
    scalars_.set(node.target.index, std::move(parts));
  return all;
}

std::set<int> BodyLifter::privateBuffers() const {
  std::set<int> all;
  for (std::size_t k = 0; k < localBuffers_.size(); ++k)
    if (scalars_.isPrivate(static_cast<int>(k)) && localBuffers_[k] >= 0)
      all.insert(localBuffers_[k]);
  return all;
}

} // namespace pbc::kernel
