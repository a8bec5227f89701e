// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies of what the points of an item read, in its registers.
//
//   fill A_item from A[begin0 - 1, begin1]        for runs of points of `float`, two behind a multiple of 16 bytes
//   =>  if whole { for at1 { A_item[at1, 0] = A[..]; for q { A_item[at1, 1 + 4 q], 4 together = A[..] }; the cells behind them } }
//       else { for at1 { for at0 { A_item[at1, at0] = A[min(max(begin0 - 1 + at0, 0), A_n0 - 1), ..] } } }
//
// All loops are written out, so that the memory is in registers. Where all points of the item are points of the launch, the cells are
// in the matrix. Elsewhere the matrix's outermost cells stand for those beyond it, which nothing uses.
#include "compiler/kernel/footprint.h"
#include "compiler/loop/lower/pass.h"

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

class ItemFill {
public:
  ItemFill(const GroupCopy &copy, const Nest &nest)
      : copy_(copy), matrix_(nest.buffers[static_cast<std::size_t>(copy.from)]),
        memory_(nest.buffers[static_cast<std::size_t>(copy.to)]) {}

  NodePtr node() const {
    std::vector<NodePtr> all;
    for (std::size_t d = 0; d < copy_.first.size(); ++d)
      all.push_back(make({Let{{{number("from", d), copy_.first[d]}}}}));
    NodePtr edge = lines(cells(0, extent(0), true));
    if (copy_.mayBeEmpty)
      edge = make({If{hasCells(matrix_), std::move(edge), nullptr}});
    if (copy_.isWithinPoints)
      edge = make({If{isTrue(index(kWhole)), inside(), std::move(edge)}});
    all.push_back(std::move(edge));
    return scope(std::move(all));
  }

private:
  static constexpr long kWide = 16; // bytes
  static std::string number(const char *name, std::size_t d) { return name + std::to_string(d); }
  static Expr isTrue(const Expr &e) { return arithmetic(Op::Equal, {e, integer(1)}); }
  Expr extent(std::size_t d) const { return grouped(itemExtent(memory_.ofGroup[d])); }
  long bytes() const { return static_cast<long>(kernel::bytesOf(memory_.element)); }

  /// for at = begin; at < end, written out
  static NodePtr each(const std::string &at, const Expr &begin, const Expr &end, NodePtr body) {
    For loop{at, begin, less(index(at), end), nullptr, std::move(body)};
    loop.hint.unrolling = Hint::Unrolling::Fully;
    return make({std::move(loop)});
  }

  NodePtr lines(NodePtr line) const {
    for (std::size_t d = 1; d < copy_.first.size(); ++d)
      line = each(number("at", d), integer(0), extent(d), std::move(line));
    return line;
  }

  /// One cell, or so many neighbours, at at0, at1, ...
  NodePtr copy(bool isClamped, long together = 1) const {
    std::vector<Expr> inMemory, inMatrix;
    for (std::size_t d = 0; d < copy_.first.size(); ++d) {
      const Expr at = index(number("at", d));
      Expr cell = add(index(number("from", d)), at);
      if (isClamped)
        cell = maximum(minimum(std::move(cell), subtract(sizeOf(matrix_, d), integer(1))), integer(0));
      inMatrix.push_back(std::move(cell));
      inMemory.insert(inMemory.begin(), at);
    }
    Assign made{make({Local{memory_.name, memory_.element, std::move(inMemory)}}),
                {},
                make({Element{copy_.from, std::move(inMatrix)}})};
    made.together = together;
    return make({std::move(made)});
  }

  NodePtr cells(long begin, const Expr &end, bool isClamped) const {
    return each("at0", integer(begin), end, copy(isClamped));
  }

  /// All cells are in the matrix.
  NodePtr inside() const {
    NodePtr single = lines(cells(0, extent(0), false));
    const long together = kWide / bytes();
    if (!copy_.phase || together < 2 || bytes() < 4)
      return single;
    const long head = (together - *copy_.phase) % together;
    const Expr vectors =
        grouped(arithmetic(Op::Divide, {grouped(subtract(extent(0), integer(head))), integer(together)}));
    const Expr past = multiply(vectors, integer(together));
    std::vector<NodePtr> line;
    if (head)
      line.push_back(cells(0, minimum(integer(head), extent(0)), false));
    const Expr place = multiply(index("q0"), integer(together));
    line.push_back(each(
        "q0", integer(0), vectors,
        block({make({Let{{{"at0", head ? add(place, integer(head)) : place}}}}), copy(false, together)})));
    line.push_back(each("at0", head ? add(past, integer(head)) : past, extent(0), copy(false)));
    Expr isWide = isTrue(ofMachine("PB_WIDE"));
    if (const kernel::GroupDimension &along = memory_.ofGroup.front(); along.axis >= 0) {
      const Expr rest = arithmetic(
          Op::Modulo, {ofMachine(number("PB_C", static_cast<std::size_t>(along.axis))), integer(together)});
      isWide = arithmetic(Op::And, {isWide, arithmetic(Op::Equal, {rest, integer(0)})});
    }
    return make({If{isWide, lines(block(std::move(line))), single}});
  }

  const GroupCopy &copy_;
  const Matrix &matrix_, &memory_;
};

struct ItemCopies : LoopPass {
  using LoopPass::LoopPass;
  NodePtr node(const NodePtr &n) override {
    const GroupCopy *copy = as<GroupCopy>(n);
    return copy && copy->isOfItem ? ItemFill(*copy, lowering_.nest).node() : Mutator::node(n);
  }
};

} // namespace

NodePtr lowerItemCopies(const NodePtr &n, Lowering &lowering) { return ItemCopies(lowering).node(n); }

} // namespace pbc::loop
