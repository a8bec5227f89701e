// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads of cells that are the same in all iterations of a vector loop stand in front of it, if the loop writes other cells of the
// same matrix.
//
//   for c2 = low; c2 < high {vectors}      =>   let double pb__fixed0 = low < high ? D[c0 - 1, c1, 0] : 0
//     D[c2, c1, 1] = D[c0 - 1, c1, 0] + 1       for c2 = low; c2 < high {vectors}
//                                                 D[c2, c1, 1] = pb__fixed0 + 1
//
// No iteration of a vector loop writes what another one reads, so none writes such a cell if there are two; and if there is only one,
// it reads the cell before it writes it. LLVM does not see that: it reads the cell again in each iteration, and where an arm of a choice
// does, by a gather of eight times the same address.
// Invariant: a cell is read only where some iteration reads it.
#include "compiler/loop/lower/pass.h"
#include "compiler/loop/print.h"
#include <algorithm>
#include <map>

namespace pbc::loop {
namespace {

/// A value that an iteration computes, and the cell that gets it, if one does.
struct Computed {
  Expr value;
  const Element *cell;
};

/// What a loop without branches and loops inside computes, in its order; nothing for other bodies.
std::optional<std::vector<Computed>> computedIn(const NodePtr &body) {
  std::vector<Computed> all;
  for (const NodePtr &n : sequence(body)) {
    if (const Block *inner = as<Block>(n); inner && inner->isScope) {
      const auto more = computedIn(block(inner->nodes));
      if (!more)
        return std::nullopt;
      all.insert(all.end(), more->begin(), more->end());
    } else if (const Assign *one = as<Assign>(n)) {
      all.push_back({one->value, as<Element>(one->target)});
    } else if (const Let *let = as<Let>(n)) {
      for (const Let::Variable &v : let->variables)
        all.push_back({v.value, nullptr});
    } else if (!as<Array>(n) && !as<Comment>(n)) {
      return std::nullopt;
    }
  }
  return all;
}

/// The names that are declared inside of a node.
class Names : public Visitor {
public:
  void node(const NodePtr &n) override {
    if (const Let *let = as<Let>(n))
      for (const Let::Variable &v : let->variables)
        all.insert(v.name);
    if (const Array *array = as<Array>(n))
      all.insert(array->name);
    Visitor::node(n);
  }
  std::set<std::string> all;
};

/// The cells that an expression reads whatever its conditions are.
class CertainReads : public Visitor {
public:
  void expr(const Expr &e) override {
    if (as<CellsToLine>(e) || as<CellVector>(e))
      return;
    if (as<Element>(e))
      all.push_back(e);
    if (const Operation *o = as<Operation>(e);
        o && (o->op == Operation::Op::Choose || o->op == Operation::Op::And || o->op == Operation::Op::Or))
      return expr(o->operands.front());
    Visitor::expr(e);
  }
  std::vector<Expr> all;
};

/// Puts names in the places of cells that statements read before any has written their matrix.
class Named : public Mutator {
public:
  Named(const Nest &nest, const std::map<std::string, Expr> &names) : nest_(nest), names_(names) {}
  NodePtr node(const NodePtr &n) override {
    const Assign *one = as<Assign>(n);
    if (!one)
      return Mutator::node(n); // the values of names, and what is below
    Assign changed = *one;
    changed.value = expr(one->value);
    if (const Element *cell = as<Element>(one->target))
      written_.insert(cell->buffer);
    return changed.value == one->value ? n : make({std::move(changed)});
  }
  Expr expr(const Expr &e) override {
    if (as<CellsToLine>(e) || as<CellVector>(e))
      return e;
    if (const Element *cell = as<Element>(e); cell && !written_.count(cell->buffer))
      if (const auto at = names_.find(text(nest_, e)); at != names_.end())
        return at->second;
    return Mutator::expr(e);
  }

private:
  const Nest &nest_;
  const std::map<std::string, Expr> &names_;
  std::set<int> written_;
};

class FixedReads : public LoopPass {
public:
  using LoopPass::LoopPass;
  NodePtr node(const NodePtr &n) override {
    NodePtr below = Mutator::node(n);
    const For *loop = as<For>(below);
    if (!loop || !loop->condition || loop->hint.vectors != Hint::Vectors::Always)
      return below;
    const auto computed = computedIn(loop->body);
    return computed ? inFront(*loop, *computed) : below;
  }

private:
  NodePtr inFront(const For &loop, const std::vector<Computed> &computed) {
    Names inside;
    inside.node(loop.body);
    inside.all.insert(loop.iterator);
    std::set<int> written, writtenBefore;
    for (const Computed &one : computed)
      if (one.cell)
        written.insert(one.cell->buffer);
    std::map<std::string, Expr> names;
    std::vector<NodePtr> all;
    for (const Computed &one : computed) {
      CertainReads reads;
      reads.expr(one.value);
      for (const Expr &read : reads.all) {
        const int buffer = as<Element>(read)->buffer;
        const bool moves = std::any_of(inside.all.begin(), inside.all.end(),
                                       [&](const std::string &name) { return mentions(read, name); });
        if (moves || !written.count(buffer) || writtenBefore.count(buffer) ||
            names.count(text(lowering_.nest, read)))
          continue;
        const Scalar type = lowering_.nest.buffers[std::size_t(buffer)].element;
        const std::string name = "pb__fixed" + std::to_string(count_++);
        names.emplace(text(lowering_.nest, read), index(name));
        all.push_back(make({Let{{{name, whereItRuns(loop, read, type)}}, type}}));
      }
      if (one.cell)
        writtenBefore.insert(one.cell->buffer);
    }
    if (all.empty())
      return make({loop});
    For changed = loop;
    changed.body = Named(lowering_.nest, names).node(loop.body);
    all.push_back(make({std::move(changed)}));
    return scope(std::move(all));
  }

  /// The cell if the loop has an iteration.
  static Expr whereItRuns(const For &loop, const Expr &cell, Scalar type) {
    const Expr runs =
        loop.begin ? replaced(loop.condition, {{loop.iterator, grouped(loop.begin)}}) : loop.condition;
    return make({Operation{Operation::Op::Choose, type, {runs, cell, make({Literal{"0", type}})}}});
  }

  int count_ = 0;
};

} // namespace

NodePtr lowerFixedReads(const NodePtr &n, Lowering &lowering) { return FixedReads(lowering).node(n); }

} // namespace pbc::loop
