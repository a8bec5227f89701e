// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/kept_rows.h"
#include "compiler/loop/rows_in_group.h"
#include "compiler/loop/walk.h"
#include <utility>

namespace pbc::loop {
namespace {

constexpr const char *kKeptRows = "rows", *kKeptRow = "row", *kKeptStep = "step";
constexpr long kMostKept = 64; // of a row's loop, all of whose steps are written out

Expr keptRow(const Matrix &of, const char *number) {
  return make({Local{kKeptRows, of.element, {index(number)}}});
}

NodePtr declared(const std::string &name, Expr value) {
  return make({Let{.variables = {{name, std::move(value)}}, .mayBeUnused = true}});
}

NodePtr unrolledTo(const char *iterator, Expr end, NodePtr body) {
  For loop{iterator, integer(0), less(index(iterator), std::move(end)), nullptr, std::move(body)};
  loop.hint.unrolling = Hint::Unrolling::Fully;
  return make({std::move(loop)});
}

struct CountLoops : Visitor {
  int count = 0;
  bool areCounting = true;
  void node(const NodePtr &n) override {
    if (const For *f = as<For>(n)) {
      ++count;
      areCounting &= isCounting(*f);
    }
    Visitor::node(n);
  }
};

/// What is in the loop over rows: reads of its steps come from what is kept, and what is written is kept, too.
class InRow : public Mutator {
public:
  InRow(const Matrix &of, int result) : of_(of), result_(result) {}

  NodePtr node(const NodePtr &n) override {
    if (const For *steps = as<For>(n)) {
      isInStep_ = true;
      NodePtr body =
          scope({declared(steps->iterator, add(steps->begin, index(kKeptStep))), Mutator::node(steps->body)});
      isInStep_ = false;
      return unrolledTo(kKeptStep, index(kKeptRow), std::move(body));
    }
    const Assign *assign = as<Assign>(n);
    const Element *target = assign ? as<Element>(assign->target) : nullptr;
    if (!target || target->buffer != result_)
      return Mutator::node(n);
    Assign kept = *assign, stored = *assign;
    kept.target = keptRow(of_, kKeptRow);
    kept.value = Mutator::expr(assign->value);
    stored.value = keptRow(of_, kKeptRow);
    return block({make({std::move(kept)}), make({std::move(stored)})});
  }
  Expr expr(const Expr &e) override {
    const Element *cell = as<Element>(e);
    return isInStep_ && cell && cell->buffer == result_ ? keptRow(of_, kKeptStep) : Mutator::expr(e);
  }

private:
  const Matrix &of_;
  int result_;
  bool isInStep_ = false;
};

/// The loop over rows, without the loops over items around it; null if it has another form.
struct FindRows : Visitor {
  NodePtr rows;
  void node(const NodePtr &n) override {
    const For *loop = as<For>(n);
    if (!loop)
      return Visitor::node(n);
    CountLoops loops;
    loops.node(n);
    isOnly = !std::exchange(rows, n) && loops.count == 2 && loops.areCounting;
  }
  bool isOnly = false;
};

struct Exchanged : Mutator {
  NodePtr from, to;
  Exchanged(NodePtr from, NodePtr to) : from(std::move(from)), to(std::move(to)) {}
  NodePtr node(const NodePtr &n) override { return n == from ? to : Mutator::node(n); }
};

/// Rows of a whole block in registers.
NodePtr keeping(const NodePtr &n, const Matrix &of, int result) {
  const For &rows = *as<For>(n);
  NodePtr inRow = InRow(of, result).node(rows.body);
  const Expr ofBlock = ofMachine("PB_C0");
  const NodePtr kept =
      unrolledTo(kKeptRow, ofBlock,
                 scope({declared(rows.iterator, add(rows.begin, index(kKeptRow))), std::move(inRow)}));
  const Expr isWhole =
      arithmetic(Arithmetic::Op::Equal, {grouped(subtract(limit("highrows"), limit("lowrows"))), ofBlock});
  const Expr isShort = less(ofBlock, integer(kMostKept + 1));
  return make(
      {If{arithmetic(Arithmetic::Op::And, {isShort, isWhole}),
          scope({make({Array{.name = kKeptRows, .element = of.element, .extents = {ofBlock}}}), kept}), n}});
}

} // namespace

NodePtr withKeptRows(const Nest &nest, int result) {
  FindRows found;
  found.node(nest.body);
  if (!found.isOnly)
    return nest.body;
  const NodePtr kept = keeping(found.rows, nest.buffers[static_cast<std::size_t>(result)], result);
  const NodePtr all = Exchanged(found.rows, kept).node(nest.body);
  const NodePtr inGroup = withRowsInGroup(nest, result, kept, kMostKept, nest.body);
  return inGroup ? inGroup : all;
}

} // namespace pbc::loop
