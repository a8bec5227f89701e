// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/lower/block_point.h"
#include "compiler/loop/walk.h"
#include <algorithm>

namespace pbc::loop {
namespace {

using B = BlockOfPoints;

bool isIndex(const Expr &e, const std::string &name) {
  const Name *one = e ? as<Name>(e) : nullptr;
  return one && one->name == name;
}

/// x, if the expression is -x; null otherwise.
Expr negated(const Expr &e) {
  const Grouped *group = as<Grouped>(e);
  const Arithmetic *one = as<Arithmetic>(group ? group->operand : e);
  return one && one->op == Arithmetic::Op::Negate ? one->operands.front() : nullptr;
}

/// The first read of an access.
Expr readOf(const Expr &e, int access) {
  struct Reads : Visitor {
    int access;
    Expr found;
    explicit Reads(int access) : access(access) {}
    void expr(const Expr &e) override {
      if (const Element *cell = as<Element>(e); !found && cell && cell->access == access)
        found = e;
      Visitor::expr(e);
    }
  } reads(access);
  reads.expr(e);
  return reads.found;
}

/// All cells that it reads.
std::vector<Expr> readsOf(const Expr &e) {
  struct Reads : Visitor {
    std::vector<Expr> found;
    void expr(const Expr &e) override {
      if (as<Element>(e))
        found.push_back(e);
      else
        Visitor::expr(e);
    }
  } reads;
  reads.expr(e);
  return std::move(reads.found);
}

/// Functions keep the form that has no vector versions.
struct OneByOne : Mutator {
  Expr expr(const Expr &e) override {
    const Expr below = Mutator::expr(e);
    const Function *f = as<Function>(below);
    return f && f->hasVectors ? make({Function{f->name, f->type, f->operands}}) : below;
  }
};

/// Whether it is a statement about scalars and cells; arrays have no place in registers.
bool hasArrays(const Assign &one) {
  struct Arrays : Visitor {
    bool found = false;
    void expr(const Expr &e) override {
      const Local *local = as<Local>(e);
      found |= local && !local->indices.empty() && !local->isByLane;
      Visitor::expr(e);
    }
  } arrays;
  arrays.expr(one.target);
  arrays.expr(one.value);
  return arrays.found;
}

} // namespace

bool BlockPoint::moves(const Expr &e) const {
  struct Search : Visitor {
    const std::string &x;
    bool found = false;
    explicit Search(const std::string &x) : x(x) {}
    void expr(const Expr &e) override {
      found |= as<Local>(e) || isIndex(e, x);
      if (!found)
        Visitor::expr(e);
    }
  } search(x_);
  search.expr(e);
  return search.found;
}

Scalar BlockPoint::typeOf(const Expr &e) const {
  if (const Element *cell = as<Element>(e))
    return nest_.buffers[static_cast<std::size_t>(cell->buffer)].element;
  return std::visit(
      [this](const auto &one) -> Scalar {
        if constexpr (requires { one.type; })
          return one.type;
        else
          return registers_.element;
      },
      e->as);
}

Expr BlockPoint::uniform(const Expr &e) const {
  const Expr one = OneByOne().expr(e);
  const Expr whole = as<Operation>(one) ? grouped(one) : one;
  return typeOf(one) == registers_.element ? whole : make({Cast{registers_.element, one}});
}

const Registers::Apart *BlockPoint::apart(const Expr &cell, int statement) const {
  const int access = as<Element>(cell)->access;
  const auto found =
      std::find_if(registers_.apart.begin(), registers_.apart.end(),
                   [&](const Registers::Apart &a) { return a.statement == statement && a.access == access; });
  return found == registers_.apart.end() ? nullptr : &*found;
}

Expr BlockPoint::cells(const Expr &cell, int statement) const {
  const Registers::Apart *found = apart(cell, statement);
  return make({CellVector{cell, found ? found->along : Distance{}}});
}

Expr BlockPoint::allCells(const Expr &cell, int statement) const {
  const Registers::Apart *found = apart(cell, statement);
  if (!found || !found->down)
    return nullptr;
  return make(
      {CellVector{replaced(cell, {{y_, index(B::kY)}, {x_, index(B::kX)}}), found->along, found->down}});
}

BlockPoint::Turned BlockPoint::stored(const Expr &cell, int statement) {
  return {"pb__c" + std::to_string(arrays_++), registers_.element, allCells(cell, statement)};
}

NodePtr BlockPoint::Turned::array() const {
  return make({Array{name, element, {index(B::kRows), index(B::kVectors)}, true}});
}
Expr BlockPoint::Turned::whole() const { return make(Expression{Local{name, element, {}}}); }
Expr BlockPoint::Turned::vector() const {
  return make(Expression{Local{name, element, {index(B::kRow), index(B::kVector)}}});
}

std::optional<std::size_t> BlockPoint::strip(const Expr &e) const {
  const Element *cell = as<Element>(e);
  for (std::size_t k = 0; cell && !step_.empty() && k < registers_.strips.size(); ++k) {
    const Registers::Strip &s = registers_.strips[k];
    if (!(perRow_ && s.isOutput && !s.isKept) &&
        std::any_of(s.readers.begin(), s.readers.end(),
                    [&](const auto &r) { return r.statement == statement_ && r.access == cell->access; }))
      return k;
  }
  return std::nullopt;
}

bool BlockPoint::isReadOnce(std::size_t k) const {
  const std::vector<Registers::Reader> &readers = registers_.strips[k].readers;
  const std::vector<Expr> all = readsOf(whole_);
  return readers.size() == 1 && std::count_if(all.begin(), all.end(), [&](const Expr &read) {
                                  return as<Element>(read)->access == readers.front().access;
                                }) == 1;
}

/// Folds the factor into a strip of rows if it is made of one cell of it, which nothing else reads, and of what no point changes.
Expr BlockPoint::factor(const Expr &e) {
  if (moves(e) || as<Element>(e) || typeOf(e) != registers_.element || registers_.joinedBegin)
    return value(e);
  std::optional<std::size_t> host;
  Expr cell;
  int strips = 0;
  bool isFixed = true;
  for (const Expr &read : readsOf(e)) {
    isFixed = isFixed && nest_.buffers[static_cast<std::size_t>(as<Element>(read)->buffer)].isInput;
    if (const std::optional<std::size_t> k = strip(read))
      host = k, cell = read, ++strips;
  }
  if (strips != 1 || !isFixed || registers_.strips[*host].isAlongX || !isReadOnce(*host))
    return value(e);
  struct Cells : Mutator {
    const Expr &cell;
    explicit Cells(const Expr &cell) : cell(cell) {}
    Expr expr(const Expr &e) override { return e == cell ? index(B::kCell) : Mutator::expr(e); }
  };
  folded_[*host] = replaced(uniform(Cells(cell).expr(e)), {{step_, index(B::kK)}});
  return make({StripValue{static_cast<int>(*host), index(step_)}});
}

Expr BlockPoint::value(const Expr &e) {
  const Element *cell = as<Element>(e);
  if (const std::optional<std::size_t> k = strip(e))
    return make({StripValue{static_cast<int>(*k), index(step_)}});
  if (!moves(e))
    return uniform(e);
  if (const Local *local = as<Local>(e))
    return make({Local{local->name, local->type, {index(B::kRow), index(B::kVector)}}});
  if (const Expr all = cell && step_.empty() && !perRow_ ? allCells(e, statement_) : nullptr) {
    loads_.push_back({"pb__c" + std::to_string(arrays_++), registers_.element, all});
    return loads_.back().vector();
  }
  if (cell)
    return cells(e, statement_);
  if (const Operation *operation = as<Operation>(e)) {
    std::vector<Expr> operands;
    const bool hasFactors =
        operation->op == Operation::Op::Multiply || operation->op == Operation::Op::Divide;
    for (const Expr &operand : operation->operands)
      operands.push_back(hasFactors ? factor(operand) : value(operand));
    return grouped(make({Operation{operation->op, operation->type, std::move(operands)}}));
  }
  if (const Function *function = as<Function>(e)) {
    std::vector<Expr> operands;
    for (const Expr &operand : function->operands)
      operands.push_back(value(operand));
    return make({Function{function->name, function->type, std::move(operands)}});
  }
  // A cast to its own type: the transformation allows nothing else.
  const Cast *cast = as<Cast>(e);
  return cast ? value(cast->operand) : e;
}

std::vector<BlockPoint::Used> BlockPoint::cellsOf(const Assign &one) const {
  std::vector<Used> all;
  const auto put = [&](const Expr &e, bool isWritten) {
    const Registers::Apart *found = apart(e, one.statement);
    if (moves(e) && (!found || found->down))
      all.push_back({make({CellVector{e}}), isWritten, found != nullptr});
  };
  for (const Expr &read : readsOf(one.value))
    put(read, false);
  if (as<Element>(one.target))
    put(one.target, true);
  return all;
}

BlockPoint::Result BlockPoint::of(const Assign &one, const std::string &step, bool perRow) {
  statement_ = one.statement, step_ = step, perRow_ = perRow, whole_ = one.value;
  const auto x = static_cast<std::size_t>(registers_.x), y = static_cast<std::size_t>(registers_.y);
  if (x >= one.dimensions.size() || y >= one.dimensions.size() || !isIndex(one.dimensions[x], x_) ||
      !isIndex(registers_.isBackward ? negated(one.dimensions[y]) : one.dimensions[y], y_))
    return {nullptr, Left::Why::Shifted};
  for (std::size_t k = 0; !step_.empty() && k < registers_.strips.size(); ++k)
    for (const Registers::Reader &r : registers_.strips[k].readers)
      if (const Expr cell = r.statement == statement_ ? readOf(one.value, r.access) : nullptr)
        cells_[k] = replaced(cell, {{y_, index(B::kY)}, {x_, index(B::kX)}, {step_, index(B::kK)}});
  if (hasArrays(one))
    return {nullptr, Left::Why::OtherBody};
  Expr result = value(one.value);
  const bool isUniform = !moves(one.value);
  const Local *local = as<Local>(one.target);
  if (isUniform && (!local || !one.op))
    result = make({Spread{result}});
  const Expr target = local ? make({Local{local->name, local->type, {index(B::kRow), index(B::kVector)}}})
                            : cells(one.target, statement_);
  if (!local && one.op)
    return {nullptr, Left::Why::OtherBody};
  return {make({Assign{target, one.op, result, one.statement}}), {}};
}

Expr BlockPoint::firstCell(std::size_t k) const {
  const auto at = cells_.find(k);
  return at == cells_.end() ? nullptr : at->second;
}

Expr BlockPoint::folded(std::size_t k) const {
  const auto at = folded_.find(k);
  return at == folded_.end() ? nullptr : at->second;
}

} // namespace pbc::loop
