// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies into a group's memory, dealt out to its items.
//
//   fill A_group from A[first0 - 1, first1]
//   =>  barrier (in a loop, or behind another copy: others may still read what was there)
//       for q < (cells + items - 1) / items { n = slot + q * items; if n < cells { .. A_group[..] = A[..] } }
//       barrier
//
// Neighbouring items copy neighbouring cells of dimension 0 of the matrix. Where the box reaches beyond the matrix, its last cells
// are copied again, which needs no branch; nothing reads what lies there.
#include "compiler/loop/lower/pass.h"
#include <utility>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

NodePtr let(const std::string &name, Expr value) { return make({Let{{{name, std::move(value)}}}}); }

/// The loop over the cells of one copy.
class Fill {
public:
  Fill(const GroupCopy &copy, const Nest &nest)
      : copy_(copy), matrix_(nest.buffers[static_cast<std::size_t>(copy.from)]),
        memory_(nest.buffers[static_cast<std::size_t>(copy.to)]) {}

  NodePtr node() const {
    Expr cells = integer(1), items = multiply(ofMachine("PB_G0"), ofMachine("PB_G1"));
    items = grouped(multiply(std::move(items), ofMachine("PB_G2")));
    std::vector<NodePtr> before, each;
    each.push_back(let("n", add(index("slot"), multiply(index("q"), items))));
    std::vector<Expr> inMemory(memory_.ofGroup.size()), inMatrix(memory_.ofGroup.size());
    Expr hasCells = nullptr, rest = index("n");
    for (std::size_t d = 0; d < inMatrix.size(); ++d) {
      const std::size_t m = placeOf(static_cast<int>(d));
      const std::string number = std::to_string(d), at = "at" + number, from = "from" + number;
      const Expr extent = grouped(groupExtent(memory_.ofGroup[m]));
      before.push_back(let(from, copy_.first[m]));
      const bool isLast = d + 1 == inMatrix.size();
      each.push_back(let(at, isLast ? rest : arithmetic(Op::Modulo, {grouped(rest), extent})));
      if (!isLast) {
        each.push_back(let("rest" + number, arithmetic(Op::Divide, {grouped(rest), extent})));
        rest = index("rest" + number);
      }
      cells = d ? multiply(std::move(cells), extent) : extent;
      inMemory[m] = index(at);
      const Expr size = ofMachine(matrix_.name + "_n" + number);
      inMatrix[d] = minimum(add(index(from), index(at)), subtract(size, integer(1)));
      if (copy_.mayBeNegative.empty() || copy_.mayBeNegative[m])
        inMatrix[d] = maximum(inMatrix[d], integer(0));
      const Expr isThere = less(integer(0), size);
      hasCells = hasCells ? arithmetic(Op::And, {hasCells, isThere}) : isThere;
    }
    cells = grouped(std::move(cells));
    const Expr isAll = arithmetic(Op::Equal, {arithmetic(Op::Modulo, {cells, items}), integer(0)});
    const NodePtr copy = make({Assign{make({Element{copy_.to, std::move(inMemory)}}),
                                      {},
                                      make({Element{copy_.from, std::move(inMatrix)}}),
                                      -1,
                                      {},
                                      true}});
    each.push_back(copy);
    const NodePtr isThere =
        make({If{arithmetic(Op::Or, {isAll, less(index("n"), cells)}), block(tail(each)), nullptr}});
    const Expr rounds = arithmetic(Op::Divide, {grouped(subtract(add(cells, items), integer(1))), items});
    For loop{"q", integer(0), less(index("q"), rounds), nullptr, block({each.front(), isThere})};
    before.push_back(
        make({Parallel{Parallel::Over::InGroup, 0, "slot", integer(0), nullptr, make({std::move(loop)})}}));
    const NodePtr all = scope(std::move(before));
    return copy_.mayBeEmpty ? make({If{std::move(hasCells), all, nullptr}}) : all;
  }

private:
  static std::vector<NodePtr> tail(const std::vector<NodePtr> &all) { return {all.begin() + 1, all.end()}; }

  /// Which dimension of the memory holds dimension `d` of the matrix.
  std::size_t placeOf(int d) const {
    std::size_t m = 0;
    while (memory_.ofGroup[m].dimension != d)
      ++m;
    return m;
  }

  const GroupCopy &copy_;
  const Matrix &matrix_, &memory_;
};

class Copies : public LoopPass {
public:
  using LoopPass::LoopPass;

  NodePtr node(const NodePtr &n) override {
    if (as<GroupCopy>(n))
      return together({n});
    if (const Block *b = as<Block>(n))
      return ofBlock(*b);
    loops_ += as<For>(n) != nullptr;
    NodePtr made = Mutator::node(n);
    loops_ -= as<For>(n) != nullptr;
    return made;
  }

private:
  static void flatten(std::vector<NodePtr> &to, const Block &b) {
    for (const NodePtr &one : b.nodes) {
      const Block *inner = as<Block>(one);
      if (inner && !inner->isScope)
        flatten(to, *inner);
      else
        to.push_back(one);
    }
  }

  /// Copies one after the other share their barriers.
  NodePtr ofBlock(const Block &b) {
    std::vector<NodePtr> flat, made, copies;
    flatten(flat, b);
    const auto finish = [&] {
      if (!copies.empty())
        made.push_back(together(copies));
      copies.clear();
    };
    for (const NodePtr &one : flat) {
      if (as<GroupCopy>(one)) {
        copies.push_back(one);
        continue;
      }
      finish();
      made.push_back(node(one));
    }
    finish();
    return make({Block{std::move(made), b.isScope}});
  }

  NodePtr together(const std::vector<NodePtr> &copies) {
    std::vector<NodePtr> all;
    if (loops_ > 0 || std::exchange(hasCopied_, true))
      all.push_back(make({Barrier{}}));
    for (const NodePtr &one : copies)
      all.push_back(Fill(*as<GroupCopy>(one), lowering_.nest).node());
    all.push_back(make({Barrier{true}}));
    return block(std::move(all));
  }

  int loops_ = 0;          // around
  bool hasCopied_ = false; // other items may still read what an earlier copy has left
};

} // namespace

NodePtr lowerGroupCopies(const NodePtr &n, Lowering &lowering) { return Copies(lowering).node(n); }

} // namespace pbc::loop
