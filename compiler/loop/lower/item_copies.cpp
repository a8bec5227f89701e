// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies of what the points of an item read, in its registers.
//
//   fill A_item from A[begin0 - 1, begin1]        for runs of points of `float`, two behind a multiple of 16 bytes
//   =>  if whole { for at1 { A_item[at1, 0] = A[..]; for q { A_item[at1, 1 + 4 q], 4 together = A[..] }; the cells behind them } }
//       else { for at1 { for at0 { A_item[at1, at0] = A[min(max(begin0 - 1 + at0, 0), A_n0 - 1), ..] } } }
//
// Items of one warp that all are whole load only cells of their own, 16 bytes at once, and take the cells beside them from their
// neighbours:
//
//   =>  if together { for at1 { for q { A_item[at1, 1 + 4 q], 4 together = A[..] }
//                               other = A_item[at1, PB_C0] of 1 lane before; A_item[at1, 0] = other; if lane is the first { A_item[at1, 0] = A[..] }
//                               ... the cells behind the run, of 1, 2, ... lanes further } }
//
// What does not move with the rows is loaded in the first turn. Where the rows of the item's next points overlap those of its last ones, only the new ones are loaded:
//
//   =>  for at1 < 2 { if 0 < turn1 { for at0 { A_item[at1, at0] = A_item[at1 + PB_R1, at0] } else { .. } } for at1 >= 2 { .. }
//
// In turns of planes, the planes that two turns read move by one, and the last one is loaded, in turns without points, too; or where it comes
// through memory of the group, taken from there:
//
//   =>  for at2 < 2 { for at1, at0 { A_item[at2, at1, at0] = A_item[at2 + 1, at1, at0] } }
//       for at1, at0 { A_item[2, at1, at0] = A_plane[0, lane1 * PB_C1 + at1, lane0 * PB_C0 + at0] }
//
// If that memory has more than two buffers, it still has the planes before, and what an item takes from there it need not keep. Of a star in
// three buffers, the cells beside a point are loaded in the turn of its plane only:
//
//   =>  for at1, at0 { A_item[0, at1, at0] = A_item[1, at1, at0] }
//       for 1 <= at2 < 3 { for at1, at0 { A_item[at2, at1, at0] = A_plane[0, .., .., of 2 - at2 turns before] } }
//
// All loops are written out, so that the memory is in registers. Where all points of the item are points of the launch, the cells are
// in the matrix. Elsewhere the matrix's outermost cells stand for those beyond it, which nothing uses.
#include "compiler/kernel/footprint.h"
#include "compiler/loop/lower/pass.h"
#include <algorithm>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

class ItemFill {
public:
  ItemFill(const GroupCopy &copy, const Nest &nest)
      : copy_(copy), matrix_(nest.buffers[static_cast<std::size_t>(copy.from)]),
        memory_(nest.buffers[static_cast<std::size_t>(copy.to)]),
        through_(copy.through >= 0 ? &nest.buffers[static_cast<std::size_t>(copy.through)] : nullptr),
        before_(copy.turns > 1 ? turnsBefore(nest.buffers) : 0) {}

  NodePtr node() const {
    if (copy_.through >= 0)
      return lines(fromGroup());
    std::vector<NodePtr> all;
    for (std::size_t d = 0; d < copy_.first.size(); ++d)
      all.push_back(make({Let{{{number("from", d), copy_.first[d]}}}}));
    NodePtr edge = lines(cells(0, extent(0), true));
    if (copy_.mayBeEmpty)
      edge = make({If{hasCells(matrix_), std::move(edge), nullptr}});
    if (copy_.isWithinPoints)
      edge = make({If{isTrue(index(kWhole)), inside(), std::move(edge)}});
    all.push_back(std::move(edge));
    NodePtr made = scope(std::move(all));
    if (!copy_.turns)
      return made;
    const auto moving = std::find_if(memory_.ofGroup.begin(), memory_.ofGroup.end(),
                                     [&](const kernel::GroupDimension &d) { return d.axis == copy_.turns; });
    const Expr turn = index(turnOf(copy_.turns));
    if (moving == memory_.ofGroup.end()) // what all turns read is there from the first one on
      return make({If{arithmetic(Op::Equal, {turn, integer(-before_)}), std::move(made), nullptr}});
    const long own = copy_.turns > 1 ? keptAlong(*moving, copy_.turns) : before_;
    return own == before_
               ? made
               : make({If{arithmetic(Op::LessEqual, {integer(-own), turn}), std::move(made), nullptr}});
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
    for (std::size_t d = 1; d < copy_.first.size(); ++d) {
      const kernel::GroupDimension &along = memory_.ofGroup[d];
      const std::string at = number("at", d);
      long common = copy_.turns ? keptAlong(along, copy_.turns) : 0; // with the next turn
      if (copy_.through >= 0 && along.axis == copy_.turns)
        common = along.extent - planesOfGroup(); // others come from the group's memory again
      if (common == 0) {
        line = each(at, integer(0), extent(d), std::move(line));
        continue;
      }
      const bool inPlanes = copy_.turns > 1;
      const NodePtr fromBefore = rows(d, add(index(at), inPlanes ? integer(1) : pointsAtOnce(copy_.turns)));
      const Expr isLater = less(integer(-before_), index(turnOf(copy_.turns)));
      // In planes, the first turns move what is not there yet, and compute nothing: a condition for each cell would cost more.
      line = block({each(at, integer(0), integer(common),
                         inPlanes ? fromBefore : make({If{isLater, fromBefore, line}})),
                    each(at, integer(common), extent(d), line)});
    }
    return line;
  }

  /// The cells of a row, in the dimensions below d, get the values of the row `from` of dimension d.
  NodePtr rows(std::size_t d, const Expr &from) const {
    std::vector<Expr> source;
    for (std::size_t k = copy_.first.size(); k-- > 0;)
      source.push_back(k == d ? from : index(number("at", k)));
    NodePtr made =
        make({Assign{own(), {}, make(Expression{Local{memory_.name, memory_.element, std::move(source)}})}});
    for (std::size_t k = 0; k < d; ++k)
      made = each(number("at", k), integer(0), extent(k), std::move(made));
    return made;
  }

  /// The item's own cell at at0, at1, ...; or so many cells before or behind it in its row.
  Expr own(const Expr &moved = nullptr) const {
    std::vector<Expr> at;
    for (std::size_t d = copy_.first.size(); d-- > 0;)
      at.push_back(d == 0 && moved ? moved : index(number("at", d)));
    return make(Expression{Local{memory_.name, memory_.element, std::move(at)}});
  }

  /// How many of the last planes the memory of the group has.
  long planesOfGroup() const { return through_->buffers - 1; }

  /// A row at at1, at2, ... from the memory of the group, which has the planes that are new in this turn, or more of them.
  NodePtr fromGroup() const {
    const long together = kWide / bytes();
    NodePtr single = each("at0", integer(0), extent(0), fromGroup(1));
    const kernel::GroupDimension &along = memory_.ofGroup.front();
    if (!copy_.phase || bytes() < 4 || together < 2 || along.axis != 0 || !along.isBlock || along.factor != 1)
      return single;
    const Expr rest = arithmetic(Op::Modulo, {ofMachine("PB_C0"), integer(together)});
    const auto copied = [&](long count) { return fromGroup(count); };
    NodePtr wide = inVectors(together, copied);
    if (sharesRows(memory_))
      wide = make({If{isTrue(index(kInWarps)), exchanged(together, copied), std::move(wide)}});
    return make({If{arithmetic(Op::Equal, {rest, integer(0)}), std::move(wide), single}});
  }

  /// The cell, or so many, at at0 of the row.
  NodePtr fromGroup(long together) const {
    std::vector<Expr> inGroup;
    Expr turnsAgo;
    for (std::size_t d = 0; d < copy_.first.size(); ++d) {
      const kernel::GroupDimension &along = memory_.ofGroup[d];
      const auto k = static_cast<std::size_t>(std::max(0, along.axis));
      const Expr lane = index(number("lane", k)), at = index(number("at", d));
      Expr place = at;
      if (along.axis == copy_.turns) {
        place = lane;
        turnsAgo = subtract(integer(along.extent - 1), at);
      } else if (along.axis >= 0) {
        const Expr first = along.isBlock ? multiply(lane, ofMachine(number("PB_C", k))) : lane;
        place = add(along.factor == 1 ? first : multiply(integer(along.factor), grouped(first)), at);
      }
      inGroup.push_back(d == 0 && copy_.phase.value_or(0) ? add(integer(*copy_.phase), place) : place);
    }
    if (planesOfGroup() > 1)
      inGroup.push_back(grouped(std::move(turnsAgo)));
    Assign made{own(), {}, make({Element{copy_.through, std::move(inGroup)}})};
    made.together = together;
    return make({std::move(made)});
  }

  /// A row in vectors that lie at multiples of 16 bytes if the item's run does, and the cells before and behind them.
  template <class Copy>
  NodePtr inVectors(long together, const Copy &copied) const {
    const long head = (together - *copy_.phase) % together;
    const Expr vectors =
        grouped(arithmetic(Op::Divide, {grouped(subtract(extent(0), integer(head))), integer(together)}));
    const Expr past = multiply(vectors, integer(together));
    std::vector<NodePtr> line;
    if (head)
      line.push_back(each("at0", integer(0), minimum(integer(head), extent(0)), copied(1)));
    const Expr place = multiply(index("q0"), integer(together));
    line.push_back(
        each("q0", integer(0), vectors,
             block({make({Let{{{"at0", head ? add(place, integer(head)) : place}}}}), copied(together)})));
    line.push_back(each("at0", head ? add(past, integer(head)) : past, extent(0), copied(1)));
    return block(std::move(line));
  }

  /// One cell, or so many neighbours, at at0, at1, ...
  NodePtr copy(bool isClamped, long together = 1) const {
    std::vector<Expr> inMatrix;
    for (std::size_t d = 0; d < copy_.first.size(); ++d) {
      Expr cell = add(index(number("from", d)), index(number("at", d)));
      if (isClamped)
        cell = maximum(minimum(std::move(cell), subtract(sizeOf(matrix_, d), integer(1))), integer(0));
      inMatrix.push_back(std::move(cell));
    }
    Assign made{own(), {}, make({Element{copy_.from, std::move(inMatrix)}})};
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
    const auto copied = [&](long count) { return copy(false, count); };
    Expr isWide = isTrue(ofMachine("PB_WIDE"));
    if (const kernel::GroupDimension &along = memory_.ofGroup.front(); along.axis >= 0) {
      const Expr rest = arithmetic(
          Op::Modulo, {ofMachine(number("PB_C", static_cast<std::size_t>(along.axis))), integer(together)});
      isWide = arithmetic(Op::And, {isWide, arithmetic(Op::Equal, {rest, integer(0)})});
    }
    NodePtr wide = lines(inVectors(together, copied));
    if (sharesRows(memory_))
      wide = make({If{isTrue(index(kTogether)), lines(exchanged(together, copied)), std::move(wide)}});
    return make({If{isWide, std::move(wide), single}});
  }

  /// A row of which the item copies its own run, which begins `head` cells behind the row's first cell; the cells beside it come from
  /// other lanes.
  template <class Copy>
  NodePtr exchanged(long together, const Copy &copied) const {
    const long head = (together - *copy_.phase) % together;
    const Expr run = ofMachine("PB_C0"), at = index("at0");
    const Expr place = multiply(index("q0"), integer(together));
    std::vector<NodePtr> line{
        each("q0", integer(0), grouped(arithmetic(Op::Divide, {run, integer(together)})),
             block({make({Let{{{"at0", head ? add(place, integer(head)) : place}}}}), copied(together)}))};
    const Expr lane = grouped(arithmetic(Op::Modulo, {ofMachine("PB_LOCAL_INDEX"), ofMachine("PB_WARP")}));
    if (head) {
      const Expr isFirst = arithmetic(Op::Or, {less(lane, integer(1)), less(index("lane0"), integer(1))});
      line.push_back(each("at0", integer(0), integer(head),
                          taken(own(add(at, run)), integer(1), true, isFirst, copied(1))));
    }
    const Expr lanes = index("lanes");
    const Expr isLast =
        arithmetic(Op::Or, {arithmetic(Op::GreaterEqual, {add(lane, lanes), ofMachine("PB_WARP")}),
                            arithmetic(Op::GreaterEqual, {add(index("lane0"), lanes), ofMachine("PB_G0")})});
    const Expr distance = arithmetic(Op::Divide, {grouped(head ? subtract(at, integer(head)) : at), run});
    line.push_back(
        each("at0", head ? add(run, integer(head)) : run, extent(0),
             block({make({Let{{{"lanes", distance}}}}),
                    taken(own(subtract(at, multiply(lanes, run))), lanes, false, isLast, copied(1))})));
    return block(std::move(line));
  }

  /// The cell at at0 from the item so many lanes before or further, or where there is none, as it is copied.
  NodePtr taken(Expr value, Expr lanes, bool isBefore, const Expr &isAtEnd, NodePtr copied) const {
    return scope({make({Shuffle{"other", memory_.element, std::move(value), std::move(lanes), isBefore}}),
                  make({Assign{own(), {}, index("other")}}),
                  make({If{isAtEnd, std::move(copied), nullptr}})});
  }

  const GroupCopy &copy_;
  const Matrix &matrix_, &memory_;
  const Matrix *const through_; // null: the cells come from the matrix
  const long before_;           // turns without points
};

struct ItemCopies : LoopPass {
  using LoopPass::LoopPass;
  NodePtr node(const NodePtr &n) override {
    const GroupCopy *copy = as<GroupCopy>(n);
    return copy && copy->isOfItem ? ItemFill(*copy, lowering_.nest).node() : Mutator::node(n);
  }
};

} // namespace

bool sharesRows(const Matrix &memory) {
  if (!memory.isOfItem || kernel::bytesOf(memory.element) < 4)
    return false;
  const kernel::GroupDimension &row = memory.ofGroup.front();
  return row.axis == 0 && row.isBlock && row.factor == 1 && row.extent > 1;
}

NodePtr lowerItemCopies(const NodePtr &n, Lowering &lowering) { return ItemCopies(lowering).node(n); }

} // namespace pbc::loop
