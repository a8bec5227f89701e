// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/lower/fill.h"
#include "compiler/kernel/footprint.h"
#include <string>
#include <utility>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

NodePtr declared(const std::string &name, Expr value) { return make({Let{{{name, std::move(value)}}}}); }

/// How the cells of a box are read.
struct Reading {
  bool isAcross = false; // on the other side of the diagonal, so that their coordinates are exchanged
  bool isPartial =
      false; // only those are that are stored at these coordinates; the diagonal is not read across
};

/// Of the coordinates of cells that are stored, the one that is not above the other.
std::size_t lowerCoordinate(const GroupCopy &copy) { return *copy.stored == kernel::Half::Lower ? 0 : 1; }

/// The loop over the cells of one copy. Its coordinates are those at which the matrix is read.
class Fill {
public:
  Fill(const GroupCopy &copy, const Nest &nest, Expr turn, Reading reading = {})
      : copy_(copy), turn_(std::move(turn)), reading_(reading),
        matrix_(nest.buffers[static_cast<std::size_t>(copy.from)]),
        memory_(nest.buffers[static_cast<std::size_t>(copy.to)]) {}

  NodePtr node() const {
    std::vector<NodePtr> all;
    for (std::size_t d = 0; d < copy_.first.size(); ++d)
      all.push_back(declared(number("from", d), copy_.first[placeOf(d)]));
    const NodePtr single = ofCells(1);
    if (rowsHaveEdges())
      all.push_back(make({If{isWideInside(), inAndBesideVectors(), single}}));
    else
      all.push_back(canBeWide() ? make({If{isWide(), ofCells(kWide / bytes()), single}}) : single);
    NodePtr made = copy_.mayBeEmpty ? make({If{hasCells(matrix_), scope(std::move(all)), nullptr}})
                                    : scope(std::move(all));
    return copy_.condition ? make({If{copy_.condition, std::move(made), nullptr}}) : made;
  }

private:
  static constexpr long kWide = 16;       // bytes
  static constexpr long kRowsOfBanks = 8; // of 16 bytes: 32 banks
  static constexpr long kLanesOfWarp = 32;

  long bytes() const { return static_cast<long>(kernel::bytesOf(memory_.element)); }
  /// Neighbours along dimension 0 of the matrix are neighbours in the memory.
  bool canBeWide() const {
    return !reading_.isPartial && (reading_.isAcross ? copy_.isAlignedAcross : copy_.isAligned) &&
           placeOf(0) == 0 && memory_.parts == 1 && bytes() < kWide;
  }

  /// Whether lines of the memory, and the groups' first points, begin at multiples of 16 bytes, and the launch knows the same of the
  /// matrix (PB_WIDE).
  Expr isWide() const {
    const Expr cells = integer(kWide / bytes());
    Expr all = arithmetic(Op::Equal, {ofMachine("PB_WIDE"), integer(1)});
    all = arithmetic(Op::And, {all, divides(cells, extent(0))});
    if (memory_.ofGroup.size() > 1 || memory_.buffers > 1)
      all = arithmetic(Op::And, {all, divides(cells, grouped(groupStride(memory_, 1)))});
    const kernel::GroupDimension &along = memory_.ofGroup.front();
    if (along.axis < 0)
      return all;
    return arithmetic(Op::And, {all, divides(cells, grouped(pointsOfGroup(along.axis, along.isBlock)))});
  }

  /// Whether it is known where the multiples of 16 bytes are in a row that may begin and end between them.
  bool rowsHaveEdges() const {
    const kernel::GroupDimension &along = memory_.ofGroup.front();
    return copy_.isOfTurn && copy_.phase && placeOf(0) == 0 && bytes() >= 4 && bytes() < kWide &&
           along.axis >= 0 && along.factor == 1;
  }
  Expr isWideInside() const {
    const kernel::GroupDimension &along = memory_.ofGroup.front();
    const Expr own = grouped(pointsOfGroup(along.axis, along.isBlock));
    return arithmetic(Op::And, {arithmetic(Op::Equal, {ofMachine("PB_WIDE"), integer(1)}),
                                divides(integer(kWide / bytes()), own)});
  }

  /// Rows of `head` cells, vectors, and the cells behind them.
  NodePtr inAndBesideVectors() const {
    const long together = kWide / bytes(), head = (together - *copy_.phase) % together;
    const Expr vectors = grouped(arithmetic(
        Op::Divide, {head ? grouped(subtract(extent(0), integer(head))) : extent(0), integer(together)}));
    const Expr inVectors = grouped(multiply(vectors, integer(together)));
    const Expr place = index("place"), first = multiply(place, integer(together));
    const Expr from = index("from0"), at = index("at0");
    const Expr inMatrix = arithmetic(
        Op::And, {arithmetic(Op::LessEqual, {integer(0), add(from, at)}),
                  arithmetic(Op::LessEqual, {add(add(from, at), integer(together)), sizeOf(matrix_, 0)})});
    // Few items come here. A loop that is not written out keeps no addresses in registers meanwhile.
    For cells{"edge", integer(0), less(index("edge"), integer(together)), nullptr,
              block({declared("edge0", add(at, index("edge"))), copy(1, "edge0")})};
    cells.hint.unrolling = Hint::Unrolling::Never;
    const NodePtr vector =
        block({declared("at0", head ? add(first, integer(head)) : first),
               make({If{inMatrix, copy(together, "at0", true), make({std::move(cells)})}})});
    const Expr beside = grouped(subtract(extent(0), inVectors));
    const Expr behind = add(place, inVectors);
    const NodePtr edge = block(
        {declared("at0", head ? arithmetic(Op::Choose, {less(place, integer(head)), place, behind}) : behind),
         copy(1)});
    const NodePtr edges = dealt(maximum(beside, integer(1)), edge, true);
    return block({dealt(vectors, vector), make({If{less(integer(0), beside), edges, nullptr}})});
  }

  /// The cells of each item, so many neighbours at once.
  NodePtr ofCells(long together) const {
    const Expr columns =
        together == 1 ? extent(0) : grouped(arithmetic(Op::Divide, {extent(0), integer(together)}));
    const Expr place = index("place");
    return dealt(columns, block({declared("at0", together == 1 ? place : multiply(place, integer(together))),
                                 copy(together)}));
  }

  /// Deals out rows of so many places to the items, with `one` for each. Places that are far apart go to so few items of a warp that
  /// these write different banks.
  NodePtr dealt(const Expr &columns, const NodePtr &one, bool isFarApart = false) const {
    const Expr all32 = integer(kLanesOfWarp);
    const Expr group =
        grouped(multiply(multiply(ofMachine("PB_G0"), ofMachine("PB_G1")), ofMachine("PB_G2")));
    const Expr inWarps = divides(all32, group);
    const Expr lanes = index("lanes"), number = index("slot");
    const Expr items =
        !isFarApart
            ? group
            : grouped(arithmetic(Op::Choose,
                                 {inWarps, multiply(arithmetic(Op::Divide, {group, all32}), lanes), group}));
    const Expr slot =
        !isFarApart ? number
                    : grouped(arithmetic(
                          Op::Choose, {inWarps,
                                       add(multiply(grouped(arithmetic(Op::Divide, {number, all32})), lanes),
                                           arithmetic(Op::Modulo, {number, all32})),
                                       number}));
    const Expr width = index("width"), rows = index("rows");
    std::vector<NodePtr> all, own;
    if (isFarApart)
      all.push_back(declared("lanes", minimum(all32, multiply(integer(kRowsOfBanks), grouped(columns)))));
    Expr widest = items;
    if (placeOf(0) !=
        0) // so that neighbours in 8 rows of the memory, 16 bytes further each, and next to each other use different banks
      widest = arithmetic(Op::Choose, {less(integer(kRowsOfBanks), items), integer(kRowsOfBanks), items});
    all.push_back(declared(
        "width", arithmetic(Op::Choose, {less(columns, grouped(widest)), columns, grouped(widest)})));
    all.push_back(declared("rows", arithmetic(Op::Divide, {items, width})));
    own.push_back(declared("column", arithmetic(Op::Modulo, {slot, width})));
    own.push_back(declared("row", arithmetic(Op::Divide, {slot, width})));
    Expr lines = integer(1);
    for (std::size_t d = 1; d < copy_.first.size(); ++d)
      lines = d > 1 ? multiply(std::move(lines), extent(d)) : extent(d);
    const NodePtr line = block({linesPlaces(), each("q0", "place", index("column"), columns, width, one)});
    NodePtr deal = unless(divides(width, items), less(index("row"), rows),
                          each("q1", "line", index("row"), grouped(std::move(lines)), rows, line));
    if (isFarApart)
      deal = make({If{arithmetic(Op::Or, {less(integer(0), grouped(arithmetic(Op::Modulo, {group, all32}))),
                                          less(arithmetic(Op::Modulo, {number, all32}), lanes)}),
                      std::move(deal), nullptr}});
    own.push_back(std::move(deal));
    all.push_back(
        make({Parallel{Parallel::Over::InGroup, 0, "slot", integer(0), nullptr, block(std::move(own))}}));
    return scope(std::move(all));
  }

  static std::string number(const char *name, std::size_t d) { return name + std::to_string(d); }
  static Expr divides(const Expr &by, const Expr &e) {
    return arithmetic(Op::Equal, {arithmetic(Op::Modulo, {e, by}), integer(0)});
  }
  static NodePtr unless(const Expr &always, const Expr &condition, const NodePtr &n) {
    return make({If{arithmetic(Op::Or, {always, condition}), n, nullptr}});
  }
  Expr extent(std::size_t d) const { return grouped(groupExtent(memory_.ofGroup[placeOf(d)])); }

  /// for q < (count + step - 1) / step { name = first + q * step; if name < count { body } }
  NodePtr each(const char *q, const char *name, const Expr &first, const Expr &count, const Expr &step,
               const NodePtr &body) const {
    const Expr times = arithmetic(Op::Divide, {grouped(subtract(add(count, step), integer(1))), step});
    const NodePtr one = unless(divides(step, count), less(index(name), count), body);
    For loop{q, integer(0), less(index(q), times), nullptr,
             block({declared(name, add(first, multiply(index(q), step))), one})};
    if (reading_.isPartial) // few boxes lie on the diagonal
      loop.hint.unrolling = Hint::Unrolling::Never;
    return make({std::move(loop)});
  }

  /// Whether many neighbours along dimension 1 would be in the same banks as what lies beside them along dimension 0.
  bool isInParts() const {
    const kernel::GroupDimension &along = memory_.ofGroup[placeOf(0)];
    const bool isShort = along.axis < 0 && along.sizes.empty() && along.extent < kRowsOfBanks;
    return isShort && copy_.first.size() == 3 && !copy_.isOfTurn && placeOf(0) != 0;
  }

  /// The places of a line along dimensions 1 and 2, so that a warp copies 16 bytes of each of 8 rows of the memory.
  NodePtr placesInParts() const {
    const long rows = kRowsOfBanks / memory_.ofGroup[placeOf(0)].extent;
    const Expr part = index("part"), line = index("line"), places = grouped(multiply(part, extent(2)));
    const Expr most = integer(placeOf(1) == 0 ? kWide / bytes() : rows);
    return block({declared("part", arithmetic(Op::Choose, {divides(most, extent(1)), most, extent(1)})),
                  declared("at1", add(arithmetic(Op::Modulo, {line, part}),
                                      multiply(part, grouped(arithmetic(Op::Divide, {line, places}))))),
                  declared("at2", arithmetic(Op::Modulo,
                                             {grouped(arithmetic(Op::Divide, {line, part})), extent(2)}))});
  }

  /// The places along dimensions 1, 2, ... of a line.
  NodePtr linesPlaces() const {
    if (isInParts())
      return placesInParts();
    std::vector<NodePtr> all;
    Expr rest = index("line");
    for (std::size_t d = 1; d < copy_.first.size(); ++d) {
      if (d + 1 == copy_.first.size()) {
        all.push_back(declared(number("at", d), rest));
        continue;
      }
      Expr place = arithmetic(Op::Modulo, {rest, extent(d)}),
           next = arithmetic(Op::Divide, {rest, extent(d)});
      if (copy_.isOfTurn &&
          d + 2 == copy_.first.size()) { // compilers do not know that a number below n has n times 0 in it
        const Expr isOne = arithmetic(Op::Equal, {extent(d + 1), integer(1)});
        place = arithmetic(Op::Choose, {isOne, rest, grouped(std::move(place))});
        next = arithmetic(Op::Choose, {isOne, integer(0), grouped(std::move(next))});
      }
      all.push_back(declared(number("at", d), std::move(place)));
      all.push_back(declared(number("rest", d), std::move(next)));
      rest = index(number("rest", d));
    }
    return block(std::move(all));
  }

  NodePtr copy(long together, const char *at0 = "at0", bool isWithinRow = false) const {
    std::vector<Expr> inMemory(copy_.first.size()), inMatrix(copy_.first.size());
    for (std::size_t d = 0; d < inMatrix.size(); ++d) {
      const std::size_t m = placeOf(d);
      const bool isBelow = !copy_.isWithin.empty() && copy_.isWithin[m];
      const bool isAbove = !copy_.mayBeNegative.empty() && !copy_.mayBeNegative[m];
      const Expr from = index(number("from", d));
      if (copy_.isOfTurn) {
        const Expr at = index(d ? number("at", d) : at0);
        const bool hasLead = d == 0 && copy_.phase.value_or(0);
        inMemory[m] = hasLead ? add(integer(*copy_.phase), at) : at;
        inMatrix[d] = add(from, isOfTurns(m) ? multiply(at, ofMachine("PB_C2")) : at);
        if (d == 0 && isWithinRow)
          continue;
      } else {
        const auto [first, step] = ofItem(d, together);
        inMemory[m] = step ? further(first, step) : first;
        if (isBelow && isAbove && step) {
          inMatrix[d] = further(add(from, first), step);
          continue;
        }
        inMatrix[d] = add(from, index(number("at", d)));
      }
      if (!isBelow)
        inMatrix[d] = minimum(inMatrix[d], subtract(sizeOf(matrix_, d), integer(d ? 1 : together)));
      if (!isAbove)
        inMatrix[d] = maximum(inMatrix[d], integer(0));
    }
    if (turn_)
      inMemory.push_back(turn_);
    Assign made{
        make({Element{copy_.to, std::move(inMemory)}}), {}, make({Element{copy_.from, std::move(inMatrix)}})};
    made.isBackground = true;
    made.together = together;
    const NodePtr one = make({std::move(made)});
    return reading_.isPartial ? make({If{isStored(), one, nullptr}}) : one;
  }

  /// Whether the cell at hand is stored at its coordinates.
  Expr isStored() const {
    const auto at = [](std::size_t d) { return add(index(number("from", d)), index(number("at", d))); };
    const std::size_t low = lowerCoordinate(copy_);
    return arithmetic(reading_.isAcross ? Op::Less : Op::LessEqual, {at(low), at(1 - low)});
  }

  /// Whether the memory has one plane for each item of the group along axis 2, along this dimension of it.
  bool isOfTurns(std::size_t m) const { return copy_.isOfTurn && memory_.ofGroup[m].axis == 2; }

  /// The first of the item's places along a dimension of the box, and what loops add to it; without that where a line's places are
  /// found by division.
  std::pair<Expr, Expr> ofItem(std::size_t d, long together) const {
    if (d > 1 || (d == 1 && copy_.first.size() > 2))
      return {index(number("at", d)), nullptr};
    const auto cells = [&](Expr e) {
      return d || together == 1 ? std::move(e) : multiply(std::move(e), integer(together));
    };
    return {cells(index(d ? "row" : "column")),
            cells(multiply(index(d ? "q1" : "q0"), index(d ? "rows" : "width")))};
  }

  /// Which dimension of the memory holds the cells that are read along dimension `d` of the matrix.
  std::size_t placeOf(std::size_t d) const {
    const std::size_t wanted = reading_.isAcross ? 1 - d : d;
    std::size_t m = 0;
    while (memory_.ofGroup[m].dimension != static_cast<int>(wanted))
      ++m;
    return m;
  }

  const GroupCopy &copy_;
  const Expr turn_;
  const Reading reading_;
  const Matrix &matrix_, &memory_;
};

/// Boxes on one side of the diagonal are copied as those of other matrices are, and the few on it cell by cell.
NodePtr withBothHalves(const GroupCopy &copy, const Nest &nest, const Expr &turn) {
  const auto read = [&](Reading reading) { return Fill(copy, nest, turn, reading).node(); };
  const std::vector<kernel::GroupDimension> &box = nest.buffers[static_cast<std::size_t>(copy.to)].ofGroup;
  const auto first = [&](std::size_t m) { return grouped(copy.first[m]); };
  const auto last = [&](std::size_t m) {
    return subtract(add(first(m), grouped(groupExtent(box[m]))), integer(1));
  };
  const std::size_t lower = static_cast<std::size_t>(box[0].dimension) == lowerCoordinate(copy) ? 0 : 1,
                    upper = 1 - lower;
  const Expr isInside = arithmetic(Op::LessEqual, {last(lower), first(upper)}),
             isOutside = less(last(upper), first(lower));
  const NodePtr onDiagonal = block({read({.isPartial = true}), read({.isAcross = true, .isPartial = true})});
  return make({If{isInside, read({}), make({If{isOutside, read({.isAcross = true}), onDiagonal}})}});
}

} // namespace

NodePtr filled(const GroupCopy &copy, const Nest &nest, const Expr &turn) {
  return copy.stored ? withBothHalves(copy, nest, turn) : Fill(copy, nest, turn).node();
}

} // namespace pbc::loop
