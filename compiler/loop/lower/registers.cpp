// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two loops as blocks of points, whose values are in registers (runtime/abi/register_tile.h).
//
//   for c0 [registers] for c1 { s = 0; for c2 s += A[c2, c0] * B[c1, c2]; C[c1, c0] = s }
//   =>  block of points (c0, c1): s[r][v] = 0
//                                 for c2 s[r][v] += strip 0 at c2 * strip 1 at c2
//                                 vector C[c1, c0] = s[r][v]
//
// The block's code is printed once for a vector or a row of the block; its loops over rows and vectors are written out.
#include "compiler/loop/lower/ahead.h"
#include "compiler/loop/lower/block_point.h"
#include "compiler/loop/lower/join_steps.h"
#include "compiler/loop/lower/pass.h"
#include <algorithm>
#include <numeric>
#include <utility>

namespace pbc::loop {
namespace {

using Why = Left::Why;
using B = BlockOfPoints;

constexpr Hint kRolled{.vectors = Hint::Vectors::Never, .unrolling = Hint::Unrolling::Never};

using Range = CountingLoop;

std::optional<Range> rangeOf(const NodePtr &n) {
  const For *loop = as<For>(n);
  if (!loop)
    return std::nullopt;
  if (!loop->condition)
    return Range{loop->iterator, loop->begin, add(loop->begin, integer(1)), loop->body};
  if (!isCounting(*loop))
    return std::nullopt;
  return Range{loop->iterator, loop->begin, endOf(*loop), loop->body};
}

NodePtr rolled(const Range &loop, const Expr &begin, const Expr &end, std::vector<NodePtr> body) {
  return make({For{
      loop.iterator, begin, less(index(loop.iterator), end), nullptr, block(std::move(body)), {}, kRolled}});
}

NodePtr assign(const std::string &variable, Expr value) {
  return make({Assign{index(variable), {}, std::move(value)}});
}

bool isStatement(const NodePtr &n) { return as<Assign>(n); }

/// The body of the two loops as the code of a block.
class BlockBuilder {
public:
  BlockBuilder(const Lowering &lowering, const Range &y, const Range &x)
      : nest_(lowering.nest), registers_(*lowering.nest.registers), y_(y), x_(x),
        points_(lowering.nest, y.iterator, x.iterator) {}

  std::variant<BlockOfPoints, Why> build(std::vector<std::string> around) {
    std::vector<NodePtr> parts, all;
    for (const NodePtr &part : sequence(x_.body)) {
      const Array *local = as<Array>(part);
      if (local && (local->space != Array::Space::Own || !local->extents.empty()))
        return Why::OtherBody;
      if (local)
        locals_.push_back(local->name);
      if (local)
        all.push_back(
            make({Array{local->name, local->element, {index(B::kRows), index(B::kVectors)}, true}}));
      else
        parts.push_back(part);
    }
    const bool needsStrips = std::any_of(registers_.strips.begin(), registers_.strips.end(),
                                         [](const Registers::Strip &s) { return s.isStrided; });
    findLoops(parts);
    if (loops_.empty() && (registers_.isUneven || registers_.behind || needsStrips))
      return registers_.strips.empty() ? Why::NoStrips : Why::OtherBody;
    if (loops_.empty())
      for (const NodePtr &part : parts)
        add(all, part);
    else
      addDeep(all, parts);
    if (why_)
      return *why_;
    addArrays(all, all);
    BlockOfPoints made{y_.iterator,
                       x_.iterator,
                       y_.begin,
                       y_.end,
                       x_.begin,
                       x_.end,
                       block(std::move(all)),
                       registers_.element,
                       registers_.scalars,
                       registers_.size,
                       {},
                       std::move(around)};
    if (!loops_.empty())
      made.depth = depth(needsStrips);
    if (joined_)
      made.cells = withStrips(made.cells, joined_->operands);
    return why_ ? std::variant<BlockOfPoints, Why>(*why_) : std::move(made);
  }

private:
  /// Whether the loop may be left and entered again, what the scalars hold being kept meanwhile.
  bool isResumed() const { return registers_.resumes && loops_.size() == 1; }
  bool isUneven() const { return registers_.isUneven && !joined_; }

  /// The loops of a body of statements and loops over statements, by part; none if the body is another one.
  void findLoops(const std::vector<NodePtr> &parts) {
    if (!registers_.isDeep || registers_.strips.empty())
      return;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (isStatement(parts[k]))
        continue;
      std::optional<Range> loop = rangeOf(parts[k]);
      const std::vector<NodePtr> inner = loop ? sequence(loop->body) : std::vector<NodePtr>{};
      if (!loop || !std::all_of(inner.begin(), inner.end(), isStatement)) {
        loops_.clear();
        return;
      }
      loops_.emplace_back(k, std::move(*loop));
    }
    if (!registers_.joinedBegin || loops_.size() != 2 || loops_[1].first != loops_[0].first + 1)
      return;
    joined_ = joinedSteps(nest_, y_.iterator, x_.iterator, loops_[0].second, loops_[1].second);
    if (!joined_)
      return;
    loops_.pop_back();
    loops_[0].second.begin = registers_.joinedBegin, loops_[0].second.end = registers_.joinedEnd;
  }

  /// A part of a body without strips.
  void add(std::vector<NodePtr> &to, const NodePtr &part) {
    if (const Assign *statement = as<Assign>(part)) {
      addStatement(to, *statement);
      return;
    }
    if (const Block *parts = as<Block>(part)) {
      for (const NodePtr &one : parts->nodes)
        add(to, one);
      return;
    }
    const std::optional<Range> loop = rangeOf(part);
    if (!loop) {
      why_ = Why::OtherBody;
      return;
    }
    std::vector<NodePtr> body;
    for (const NodePtr &one : sequence(loop->body))
      add(body, one);
    to.push_back(rolled(*loop, loop->begin, loop->end, std::move(body)));
  }

  /// The statement for all points. What cells that are turned hold is loaded before it. What it stores in such cells, or others of its
  /// block read from a strip, is in an array until it is stored.
  void addStatement(std::vector<NodePtr> &to, const Assign &statement) {
    const NodePtr made = point(statement);
    if (!made)
      return;
    for (const BlockPoint::Turned &load : points_.takeLoads()) {
      to.push_back(load.array());
      to.push_back(make({Assign{load.whole(), {}, load.cells}}));
    }
    const Assign &one = *as<Assign>(made);
    const CellVector *cells = as<CellVector>(one.target);
    const bool isKept = cells && keepsRows();
    const bool isTurned =
        cells && (isKept || !registers_.behind) && points_.allCells(statement.target, statement.statement);
    if (!isKept && !isTurned) {
      to.push_back(each(made));
      return;
    }
    stored_.push_back(points_.stored(statement.target, statement.statement));
    const BlockPoint::Turned &array = stored_.back();
    std::vector<NodePtr> all{make({Assign{array.vector(), {}, one.value, one.statement}})};
    for (std::size_t k = 0; isKept && k < registers_.strips.size(); ++k)
      if (registers_.strips[k].isKept)
        all.push_back(make(
            {Assign{make({StripValue{static_cast<int>(k), loop::add(index(y_.iterator), registers_.behind)}}),
                    {},
                    array.vector(),
                    one.statement}}));
    if (!isTurned)
      all.push_back(make({Assign{one.target, {}, array.vector(), one.statement}}));
    to.push_back(each(block(std::move(all))));
  }

  /// Whether rows that wait read what others have computed from strips only.
  bool keepsRows() const {
    return std::any_of(registers_.strips.begin(), registers_.strips.end(),
                       [](const Registers::Strip &s) { return s.isKept; });
  }

  /// Declares the arrays at the begin of `all`, and stores them at the end of `last`.
  void addArrays(std::vector<NodePtr> &all, std::vector<NodePtr> &last) {
    for (const BlockPoint::Turned &array : std::exchange(stored_, {})) {
      all.insert(all.begin(), array.array());
      if (array.cells)
        last.push_back(make({Assign{array.cells, {}, array.whole()}}));
    }
  }

  NodePtr point(const Assign &statement) {
    const BlockPoint::Result made = points_.of(statement, current_, perRow_);
    if (made.why)
      why_ = made.why;
    return made.node;
  }

  /// `body` for each vector of the block, or of the row.
  NodePtr each(NodePtr body) const {
    const NodePtr all = vectors(block({make({place()}), std::move(body)}));
    return perRow_ ? all : writtenOut(B::kRow, B::kRows, all);
  }
  static NodePtr vectors(NodePtr body) { return writtenOut(B::kVector, B::kVectors, std::move(body)); }

  /// The row, unless it is given, or one so many behind it, and the column of a vector.
  Let place(const Expr &behind = nullptr) const {
    Let place{{}};
    place.mayBeUnused = true;
    if (!perRow_)
      place.variables.push_back(
          {y_.iterator, loop::add(behind ? loop::add(index(B::kY), behind) : index(B::kY), index(B::kRow))});
    place.variables.push_back(
        {x_.iterator, loop::add(index(B::kX), multiply(index(B::kVector), index(B::kWidth)))});
    return place;
  }

  static NodePtr writtenOut(const char *iterator, const char *count, NodePtr body) {
    return make({For{iterator,
                     integer(0),
                     less(index(iterator), index(count)),
                     nullptr,
                     std::move(body),
                     {},
                     {.unrolling = Hint::Unrolling::Fully}}});
  }

  /// `body` for each row of the block.
  NodePtr rows(std::vector<NodePtr> body) const {
    body.insert(body.begin(), row());
    return writtenOut(B::kRow, B::kRows, block(std::move(body)));
  }
  NodePtr row() const {
    Let place{{{y_.iterator, loop::add(index(B::kY), index(B::kRow))}}};
    place.mayBeUnused = true;
    return make({std::move(place)});
  }

  void addDeep(std::vector<NodePtr> &to, const std::vector<NodePtr> &parts) {
    std::vector<NodePtr> before;
    std::size_t next = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (next == loops_.size() || loops_[next].first != k) {
        addStatement(before, *as<Assign>(parts[k]));
        continue;
      }
      const Range &loop = loops_[next++].second;
      if (joined_)
        ++k; // the loop that is joined with it
      if (isResumed()) {
        addArrays(before, before);
        before = {make({If{index(B::kIsFirst), block(std::move(before)), keep(false)}})};
      }
      to.insert(to.end(), before.begin(), before.end());
      before.clear();
      current_ = loop.iterator;
      if (loops_.size() == 1)
        ahead_ = rowAhead({parts.begin(), parts.begin() + static_cast<long>(k)},
                          {parts.begin() + static_cast<long>(k) + 1, parts.end()});
      if (isResumed() && !isUneven())
        to.push_back(steps(loop, index(B::kFirstStep), index(B::kPastStep)));
      else if (!isUneven() && !registers_.behind)
        to.push_back(steps(loop, loop.begin, loop.end));
      else
        addJointly(to, loop, std::to_string(k),
                   std::vector(parts.begin() + static_cast<long>(k) + 1, parts.end()));
      current_.clear();
      if (registers_.behind)
        return; // the rest runs row by row
    }
    if (isResumed()) {
      addArrays(before, before);
      before = {make({If{index(B::kIsLast), block(std::move(before)), keep(true)}})};
    }
    to.insert(to.end(), before.begin(), before.end());
  }

  /// The steps of the loop from `begin` to `end`.
  NodePtr steps(const Range &loop, const Expr &begin, const Expr &end) {
    std::vector<NodePtr> body;
    for (const NodePtr &statement : sequence(loop.body))
      body.push_back(each(point(*as<Assign>(statement))));
    return ahead_.empty() || perRow_
               ? rolled(loop, begin, end, std::move(body))
               : stepsInRounds(loop.iterator, begin, end, block(std::move(body)), ahead_);
  }

  /// Asks for the memory of one row that is used after the steps, by `rest` if they are the last ones: the cells of a vector each, and what the next
  /// block goes on from, or reads in `initial` if its steps are the first ones.
  std::vector<NodePtr> rowAhead(const std::vector<NodePtr> &initial, const std::vector<NodePtr> &rest) const {
    const auto cellsOf = [&](const std::vector<NodePtr> &parts, const Expr &behind) -> std::vector<NodePtr> {
      std::vector<NodePtr> ofVectors, ofColumns, all;
      for (const NodePtr &part : parts)
        if (const Assign *one = as<Assign>(part))
          for (const BlockPoint::Used &used : points_.cellsOf(*one))
            (used.isTurned ? ofColumns : ofVectors).push_back(make({Prefetch{used.cells, used.isWritten}}));
      if (!ofVectors.empty())
        all.push_back(vectors(block({make({place(behind)}), block(std::move(ofVectors))})));
      if (!ofColumns.empty())
        all.push_back(columnsOfRound(y_.iterator, behind, x_.iterator, block(std::move(ofColumns))));
      return all;
    };
    std::vector<NodePtr> row = cellsOf(rest, nullptr), next = cellsOf(initial, index(B::kRows));
    if (!isResumed()) {
      row.insert(row.end(), next.begin(), next.end());
      return row;
    }
    std::vector<NodePtr> kept;
    if (!row.empty())
      row = {make({If{index(B::kIsLast), block(std::move(row))}})};
    for (std::size_t k = 0; k < locals_.size(); ++k)
      kept.push_back(
          make({Prefetch{make(Expression{KeptValue{static_cast<int>(locals_.size() + k)}}), true}}));
    row.push_back(make({If{index(B::kIsFirst), block(std::move(next)), vectors(block(std::move(kept)))}}));
    return row;
  }

  /// A loop whose bounds depend on the row: the steps before and after those that all rows of the block share are
  /// executed row by row. If rows wait for each other, so is the code after the loop, and they share only steps that read what is done before
  /// the block.
  void addJointly(std::vector<NodePtr> &to, const Range &loop, const std::string &number,
                  const std::vector<NodePtr> &rest) {
    const std::string low = "pb__lo" + number, high = "pb__hi" + number;
    const Expr lo = index(low), hi = index(high);
    const bool beginsMove = mentions(loop.begin, y_.iterator), endsMove = mentions(loop.end, y_.iterator);
    Let shared{{{low, index(B::kFirstStep)}, {high, index(B::kPastStep)}}};
    shared.isConstant = false;
    to.push_back(make({std::move(shared)}));
    to.push_back(make(
        {For{B::kRow, integer(0), less(index(B::kRow), index(B::kRows)), nullptr,
             block({row(), assign(low, maximum(lo, loop.begin)), assign(high, minimum(hi, loop.end))})}}));
    if (registers_.behind)
      to.push_back(assign(high, minimum(hi, loop::add(index(B::kY), registers_.behind))));
    // Where a row begins behind steps that wait, none is shared, and no row runs one of these before the rows above it are done.
    const bool isLate = registers_.behind && beginsMove;
    to.push_back(isLate ? assign(low, minimum(lo, hi)) : assign(high, maximum(lo, hi)));
    perRow_ = true;
    // Of the steps of this part only, if there are others.
    const Expr first = isResumed() ? maximum(loop.begin, index(B::kFirstStep)) : loop.begin,
               past = isResumed() ? minimum(loop.end, index(B::kPastStep)) : loop.end;
    if (beginsMove)
      to.push_back(rows({steps(loop, first, minimum(lo, past))}));
    perRow_ = false;
    to.push_back(steps(loop, lo, hi));
    perRow_ = true;
    if (endsMove || registers_.behind) {
      const NodePtr own = steps(loop, isLate ? maximum(hi, first) : hi, past);
      current_.clear();
      to.push_back(registers_.behind ? afterLoop(own, rest) : rows({own}));
    }
    perRow_ = false;
  }

  /// The steps that rows do not share where they wait for each other, and what is behind them, if these were the last steps.
  NodePtr afterLoop(const NodePtr &own, const std::vector<NodePtr> &rest) {
    std::vector<NodePtr> row{own};
    for (const NodePtr &part : rest)
      add(row, part);
    std::vector<NodePtr> all{rows(std::move(row))};
    if (!isResumed())
      return all.front();
    addArrays(all, all);
    perRow_ = false;
    return make({If{index(B::kIsLast), block(std::move(all)), block({rows({own}), keep(true)})}});
  }

  /// Puts the scalars of all points where they are kept between parts of the loop, or gets them from there.
  NodePtr keep(bool isStored) const {
    std::vector<NodePtr> all;
    for (std::size_t k = 0; k < locals_.size(); ++k) {
      const Expr local = BlockPoint::Turned{locals_[k], registers_.element, nullptr}.vector(),
                 there = make(Expression{KeptValue{static_cast<int>(k)}});
      all.push_back(make({Assign{isStored ? there : local, {}, isStored ? local : there}}));
    }
    return each(block(std::move(all)));
  }

  /// What the runtime needs to cut the loop over k and to copy what it reads.
  B::Depth depth(bool isStrided) {
    B::Depth made;
    for (const auto &[part, loop] : loops_) {
      made.begin = made.begin ? minimum(made.begin, loop.begin) : loop.begin;
      made.end = made.end ? maximum(made.end, loop.end) : loop.end;
    }
    std::vector<int> order(registers_.strips.size());
    std::iota(order.begin(), order.end(), 0);
    if (joined_) {
      order = joined_->operands;
      order.insert(order.end(), joined_->takers.begin(), joined_->takers.end());
      made.change = joined_->change;
    }
    made.operands = static_cast<int>(joined_ ? joined_->operands.size() : order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      const auto number = static_cast<std::size_t>(order[k]),
                 operands = static_cast<std::size_t>(made.operands);
      const Registers::Strip &s = registers_.strips[number];
      made.strips.push_back({s.isAlongX, s.isOutput, s.isKept,
                             k < operands ? points_.firstCell(number) : joined_->taken[k - operands],
                             s.across, s.step, points_.folded(number)});
      if (joined_ && k < operands && !s.isAlongX)
        made.strips.back().then = static_cast<int>(k + operands);
      if (!made.strips.back().first)
        why_ = Why::OtherBody;
    }
    made.isUneven = isUneven() || registers_.behind || loops_.size() > 1;
    made.isStrided = isStrided;
    made.isResumed = isResumed();
    made.behind = registers_.behind;
    return made;
  }

  const Nest &nest_;
  const Registers &registers_;
  const Range y_, x_;
  BlockPoint points_;
  std::vector<BlockPoint::Turned> stored_;
  std::vector<std::pair<std::size_t, Range>> loops_; // of a deep nest, with their position in the body
  std::vector<NodePtr> ahead_;                       // what the steps ask for, for one row
  std::string current_;                              // the iterator of the one inside of which we are
  bool perRow_ = false;                              // the row is given
  std::vector<std::string> locals_;                  // the scalars of a point
  std::optional<JoinedSteps> joined_;                // what two loops are together
  std::optional<Why> why_;
};

struct HasRealisation : Visitor {
  bool found = false;
  void node(const NodePtr &n) override {
    const For *loop = as<For>(n);
    found |= loop && loop->how;
    if (!found)
      Visitor::node(n);
  }
  void expr(const Expr &) override {}
};

class RegistersPass : public LoopPass {
public:
  using LoopPass::LoopPass;

  NodePtr node(const NodePtr &n) override {
    const For *loop = as<For>(n);
    if (!loop)
      return Mutator::node(n);
    if (realisedAs<kernel::as::Registers>(loop)) {
      auto made = blocks(*loop);
      if (auto *points = std::get_if<BlockOfPoints>(&made))
        return make({std::move(*points)});
      lowering_.leave(*loop, std::get<Why>(made));
    }
    around_.push_back(loop->iterator);
    NodePtr below = Mutator::node(n);
    around_.pop_back();
    return realisedAs<kernel::as::Registers>(loop) ? plain(*as<For>(below)) : below;
  }

private:
  std::variant<BlockOfPoints, Why> blocks(const For &outer) const {
    if (!lowering_.target.unitStride)
      return Why::GeneralStrides;
    if (!lowering_.nest.registers)
      return Why::NotAnalysed;
    const NodePtr outerNode = make({outer});
    const std::optional<Range> y = rangeOf(outerNode);
    if (!y || !as<For>(outer.body))
      return y ? Why::NotTwoLoops : Why::NotCounting;
    const std::optional<Range> x = rangeOf(outer.body);
    if (!x)
      return Why::NotCounting;
    HasRealisation inside;
    inside.node(outer.body);
    if (inside.found)
      return Why::OwnRealisation;
    return BlockBuilder(lowering_, *y, *x).build(around_);
  }

  std::vector<std::string> around_;
};

} // namespace

NodePtr lowerRegisters(const NodePtr &n, Lowering &lowering) { return RegistersPass(lowering).node(n); }

} // namespace pbc::loop
