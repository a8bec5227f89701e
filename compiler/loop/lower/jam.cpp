// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows together: the vector loop inside computes the cells of several rows before it writes them, so that what they read
// in common is read once. The rows that are left over run singly.
//
//   for c0 [jam:2] for c1 [vector] B[c1, c0] = f(c0, c1)
//   =>  { c0 = ..; c0_e = ..
//         for ; c0 + 2 <= c0_e; c0 += 2 { c1 = ..; c1_e = ..
//           for ; c1 < c1_e { row0 = f(c0, c1); row1 = f(c0 + 1, c1); B[c1, c0] = row0; B[c1, c0 + 1] = row1 } }
//         for ; c0 < c0_e { for c1 [vector] .. } }
//
// Updates of cells that the rows have in common go through their new values:
//
//   C[c1] += f(c0, c1)   =>   row0 = C[c1] + f(c0, c1); row1 = row0 + f(c0 + 1, c1); C[c1] = row1
#include "compiler/loop/lower/pass.h"

namespace pbc::loop {
namespace {

struct Jam : LoopPass {
  using LoopPass::LoopPass;

  NodePtr node(const NodePtr &n) override {
    NodePtr below = Mutator::node(n);
    const For *loop = as<For>(below);
    const auto *how = realisedAs<kernel::as::Jam>(loop);
    if (!how)
      return below;
    if (const std::optional<Left::Why> why = obstacle(*loop)) {
      lowering_.leave(*loop, *why);
      return plain(*loop);
    }
    return jammed(*loop, how->rows);
  }

private:
  std::optional<Left::Why> obstacle(const For &outer) const {
    if (!lowering_.target.unitStride)
      return Left::Why::GeneralStrides;
    if (!outer.condition)
      return Left::Why::RunsOnce;
    const For *inner = as<For>(outer.body);
    if (!realisedAs<kernel::as::Vector>(inner))
      return Left::Why::NoVectorLoop;
    if (!inner->condition)
      return Left::Why::RunsOnce;
    if (!isCounting(outer) || !isCounting(*inner))
      return Left::Why::NotCounting;
    if (mentions(inner->begin, outer.iterator) || mentions(endOf(*inner), outer.iterator))
      return Left::Why::BoundsMove;
    const Assign *body = as<Assign>(inner->body);
    return body && cellType(body->target) ? std::nullopt : std::optional(Left::Why::NotOneCell);
  }

  /// The type of a cell of a matrix or of an array; nothing for a scalar.
  std::optional<Scalar> cellType(const Expr &target) const {
    if (const Element *cell = as<Element>(target))
      return lowering_.nest.buffers[static_cast<std::size_t>(cell->buffer)].element;
    const Local *own = as<Local>(target);
    return own && !own->indices.empty() && !own->isByLane ? std::optional(own->type) : std::nullopt;
  }

  /// The vector loop's body for all rows, which update the same cells.
  NodePtr updates(const For &outer, const Assign &one, int count) const {
    std::vector<NodePtr> all;
    const Scalar type = *cellType(one.target);
    Expr cell = one.target;
    for (int row = 0; row < count; ++row) {
      const std::string name = "row" + std::to_string(row);
      const Replacements by = {{outer.iterator, add(index(outer.iterator), integer(row))}};
      const Expr term = row ? replaced(one.value, by) : one.value;
      all.push_back(make({Let{{{name, make({Operation{*one.op, type, {cell, term}}})}}, type}}));
      cell = index(name);
    }
    all.push_back(make({Assign{one.target, std::nullopt, cell, one.statement}}));
    return block(std::move(all));
  }

  /// The vector loop's body for all rows.
  NodePtr rows(const For &outer, const Assign &one, int count) const {
    if (one.op && !mentions(one.target, outer.iterator))
      return updates(outer, one, count);
    std::vector<NodePtr> all, writes;
    const Scalar type = *cellType(one.target);
    for (int row = 0; row < count; ++row) {
      const std::string name = "row" + std::to_string(row);
      const Replacements by = {{outer.iterator, add(index(outer.iterator), integer(row))}};
      all.push_back(make({Let{{{name, row ? replaced(one.value, by) : one.value}}, type}}));
      writes.push_back(
          make({Assign{row ? replaced(one.target, by) : one.target, one.op, index(name), one.statement}}));
    }
    all.insert(all.end(), writes.begin(), writes.end());
    return block(std::move(all));
  }

  NodePtr jammed(const For &outer, int count) const {
    const For &inner = *as<For>(outer.body);
    const Assign &one = *as<Assign>(inner.body);
    std::vector<NodePtr> all, together;
    const bool isFromLine = lowering_.nest.isTiledInTime && as<Element>(one.target);
    const Expr end = declareCounter(all, outer), innerEnd = declareCounter(together, inner);
    if (isFromLine)
      together.push_back(make({Let{{line(inner.iterator, innerEnd, one.target)}}}));
    addVectorLoop(together, inner.iterator, innerEnd, rows(outer, one, count),
                  vectorHint(*realisedAs<kernel::as::Vector>(&inner)), isFromLine);
    const Expr i = index(outer.iterator), step = integer(count);
    all.push_back(
        make({For{outer.iterator, nullptr, arithmetic(Arithmetic::Op::LessEqual, {add(i, step), end}), step,
                  block(std::move(together))}}));
    all.push_back(make({goOn(outer.iterator, end, outer.body)}));
    return scope(std::move(all));
  }
};

} // namespace

NodePtr lowerJam(const NodePtr &n, Lowering &lowering) { return Jam(lowering).node(n); }

} // namespace pbc::loop
