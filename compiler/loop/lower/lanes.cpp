// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Groups of iterations: each statement runs over all lanes of a group before the next one, so that the scalars of a body
// are vectors. Then follow groups of a quarter, and the iterations that are left over. Where strides are not known, rows may be what lies side by
// side, as in a transposed view: groups of rows then use what a line of memory has at once, and others are left out.
//
//   for c1 [lanes:8] { s[0] = 0; for c2 { s[0] += A[c2, c1] } }
//   =>  { c1_g = ..; c1_e = ..
//         for ; c1_g + 8 <= c1_e; c1_g += 8 {
//           for l in [0, 8) { c1 = c1_g + l; s[l] = 0 }
//           for c2 { for l in [0, 8) { c1 = c1_g + l; s[l] += A[c2, c1] } } }
//         .. }
#include "compiler/loop/lower/pass.h"
#include "compiler/loop/lower/turned_rows.h"

namespace pbc::loop {
namespace {

const std::string kLane = "pb__l";

/// Whether some cell that the statement accesses lies in another row for each lane: vectors would be put together cell by cell.
bool areCellsApart(const NodePtr &statement, const std::string &iterator) {
  struct Cells : Visitor {
    const std::string &iterator;
    bool found = false;
    explicit Cells(const std::string &iterator) : iterator(iterator) {}
    void expr(const Expr &e) override {
      if (const Element *cell = as<Element>(e))
        for (std::size_t c = 1; c < cell->indices.size(); ++c)
          found |= mentions(cell->indices[c], iterator);
      Visitor::expr(e);
    }
  } cells(iterator);
  cells.node(statement);
  return cells.found;
}

/// Statements as loops over lanes, whose vectors are as wide as the loop is long: then the code has no loop, and the
/// lanes are in registers. If the loop were unrolled first, functions would be called lane by lane. Where lanes are rows that lie
/// apart, loops along them run in strips that are turned (turned_rows.h), and each statement of others is written out.
struct OverLanes : Mutator {
  const Nest &nest;
  const std::string &iterator;
  const long count;
  const bool unitStride;
  OverLanes(const Nest &nest, const std::string &iterator, long count, bool unitStride)
      : nest(nest), iterator(iterator), count(count), unitStride(unitStride) {}

  NodePtr node(const NodePtr &n) override {
    if (const For *along = as<For>(n);
        along && unitStride && count == kTurnedLanes && isCounting(*along) && along->begin)
      if (const NodePtr strips = inStrips(*along))
        return strips;
    if (!as<Assign>(n) && !as<Call>(n))
      return Mutator::node(n);
    Let lane{{{iterator, add(index(iterator + "_g"), index(kLane))}}};
    lane.mayBeUnused = true;
    constexpr Hint writtenOut{.vectors = Hint::Vectors::Never, .unrolling = Hint::Unrolling::Fully};
    const Hint vector{.vectors = Hint::Vectors::Always,
                      .unrolling = Hint::Unrolling::Never,
                      .width = count,
                      .interleave = 1};
    const Hint &hint = areCellsApart(n, iterator) ? writtenOut : vector;
    isStatement_ = true;
    const NodePtr body = block({make({std::move(lane)}), Mutator::node(n)});
    isStatement_ = false;
    return make({For{kLane, integer(0), less(index(kLane), integer(count)), nullptr, body, {}, hint}});
  }

  Expr expr(const Expr &e) override {
    const Local *local = as<Local>(e);
    if (!isStatement_ || !local || !local->isByLane)
      return isStatement_ ? Mutator::expr(e) : e;
    Local changed = *local;
    changed.indices.back() = index(kLane);
    return make({std::move(changed)});
  }

private:
  /// Strips of the loop that are turned, and the rest as it is. Null if it cannot be turned. Where cells may not be there, strips are asked one by
  /// one; else the rest comes behind them, so that what lanes add up is in registers from strip to strip.
  NodePtr inStrips(const For &along) {
    const std::string begin = along.iterator + "_s", end = along.iterator + "_e",
                      cells = along.iterator + "_n";
    const std::optional<TurnedStrip> turned =
        turnedStrip(nest, along, {iterator, iterator + "_g", count}, {begin, cells});
    if (!turned)
      return nullptr;
    const Expr next = add(index(begin), index(cells)),
               isWhole = arithmetic(Arithmetic::Op::LessEqual, {next, index(end)});
    std::vector<NodePtr> all{make({Let{{{cells, make({StripCells{turned->widest, count}})}}}}),
                             make({Let{{{end, endOf(along)}}}})};
    For rest = along;
    rest.begin = index(begin);
    if (turned->condition) {
      rest.condition = less(index(along.iterator), minimum(next, index(end)));
      const NodePtr strip = make({If{arithmetic(Arithmetic::Op::And, {isWhole, turned->condition}),
                                     Mutator::node(turned->body), Mutator::node(make({std::move(rest)}))}});
      all.push_back(make({For{begin, along.begin, less(index(begin), index(end)), index(cells), strip}}));
      return scope(std::move(all));
    }
    Let first{{{begin, along.begin}}};
    first.isConstant = false;
    rest.condition = less(index(along.iterator), index(end));
    all.push_back(make({std::move(first)}));
    all.push_back(make({For{begin, nullptr, isWhole, index(cells), Mutator::node(turned->body)}}));
    all.push_back(Mutator::node(make({std::move(rest)})));
    return scope(std::move(all));
  }

  bool isStatement_ = false;
};

/// Whether a loop inside has bounds that differ between lanes.
bool boundsMove(const NodePtr &body, const std::string &iterator) {
  struct Bounds : Visitor {
    const std::string &iterator;
    bool found = false;
    explicit Bounds(const std::string &iterator) : iterator(iterator) {}
    void node(const NodePtr &n) override {
      if (const For *loop = as<For>(n))
        found |= (loop->begin && mentions(loop->begin, iterator)) ||
                 (loop->condition && mentions(loop->condition, iterator));
      if (!found)
        Visitor::node(n);
    }
    void expr(const Expr &) override {}
  } bounds(iterator);
  bounds.node(body);
  return bounds.found;
}

struct Lanes : LoopPass {
  using LoopPass::LoopPass;

  NodePtr node(const NodePtr &n) override {
    NodePtr below = Mutator::node(n);
    const For *loop = as<For>(below);
    const auto *how = realisedAs<kernel::as::Lanes>(loop);
    if (!how)
      return below;
    if (const std::optional<Left::Why> why = obstacle(*loop, how->count)) {
      lowering_.leave(*loop, *why);
      return plain(*loop);
    }
    return groups(*loop, how->count);
  }

private:
  std::optional<Left::Why> obstacle(const For &loop, long count) const {
    if (!lowering_.target.unitStride && (lowering_.target.isDevice || count > kTurnedLanes))
      return Left::Why::GeneralStrides;
    if (!loop.condition)
      return Left::Why::RunsOnce;
    if (!isCounting(loop))
      return Left::Why::NotCounting;
    if (branchesOn(loop.body, loop.iterator))
      return Left::Why::Branches;
    return boundsMove(loop.body, loop.iterator) ? std::optional(Left::Why::BoundsMove) : std::nullopt;
  }

  NodePtr groups(const For &loop, long count) const {
    const std::string group = loop.iterator + "_g", past = loop.iterator + "_e";
    const Expr at = index(group), end = index(past);
    Let first{{{group, loop.begin}}};
    first.isConstant = false;
    std::vector<NodePtr> all = {make({std::move(first)}), make({Let{{{past, endOf(loop)}}}})};
    const bool unitStride = lowering_.target.unitStride;
    for (const long size : unitStride ? std::vector{count, count / 4} : std::vector{count})
      all.push_back(make(
          {For{group, nullptr, arithmetic(Arithmetic::Op::LessEqual, {add(at, integer(size)), end}),
               integer(size), OverLanes(lowering_.nest, loop.iterator, size, unitStride).node(loop.body)}}));
    all.push_back(make({For{loop.iterator, at, less(index(loop.iterator), end), nullptr, loop.body}}));
    return scope(std::move(all));
  }
};

} // namespace

NodePtr lowerLanes(const NodePtr &n, Lowering &lowering) { return Lanes(lowering).node(n); }

} // namespace pbc::loop
