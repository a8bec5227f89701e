// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The points of a launch as loops of each item. What is the same for all points of an item is done once.
//
//   points item0 in blocks { s = 0; for k { s += strip[place0, k] }; C[item0] = s }
//   =>  first0 = low0 + group0 * (PB_G0 * PB_C0); array s[PB_C0]
//       for r0 < PB_C0 { s[r0] = 0 }
//       for k { for r0 < PB_C0 { place0 = ..; s[r0] += strip[place0, k] } }
//       for r0 < PB_C0 { place0 = ..; item0 = min(first0 + place0, high0 - 1); if first0 + place0 < high0 { C[item0] = s[r0] } }
//
// Neighbouring items have neighbouring runs of 4, 2 or 1 points, as the size of the block and of the elements allow: what they read of a group's memory is
// contiguous for each of them, and falls into different banks. Points beyond the end compute what the last one does, so that all items
// reach each barrier; they store nothing.
//
// In a run, an item's points are neighbours; of its rows it has PB_R1 at a time, in turns. The first run of a launch begins at a multiple of its length:
//
//   points item0 in runs { C[item0] = a[r0] }
//   =>  first0 = floor(low0 / PB_C0) * PB_C0 + ..; begin0 = first0 + lane0 * PB_C0; whole = low0 <= begin0 and begin0 + PB_C0 <= high0
//       array result[PB_C0]; for r0 < PB_C0 { result[r0] = a[r0] }
//       if whole and PB_WIDE { for q0 < PB_C0 / 4 { C[begin0 + q0 * 4], 4 together = result[q0 * 4] } }
//       else { for r0 < PB_C0 { .. if low0 <= item0 < high0 { C[item0] = result[r0] } } }
//
// Where an item goes through planes, all of its rows are in one turn, and the turns are along axis 2. The first ones compute nothing: they
// read the planes that the first point's plane needs besides its last one. Copies for the group stand in front of all else in a turn, so that
// group_copies.cpp can copy the next plane meanwhile:
//
//   points item2 in turns { fill A_item from A[begin2 - 1] through A_plane; C[item2] = A_item[0] + A_item[2] }
//   =>  for turn2 = -2; turn2 < min(PB_C2, high2 - first2) {
//         fill A_plane from A[first2 + turn2 - 1 + 2]
//         begin2 = first2 + lane2 * PB_C2 + turn2; fill A_item through A_plane
//         if 0 <= turn2 { C[item2] = A_item[0] + A_item[2] } }
//
// Where cells are read under a condition, such as optional ones, an item is whole only if its box of them lies in the matrix, too.
//
// Source: petabricks-hetero, requirements 97 and 98.
#include "compiler/kernel/footprint.h"
#include "compiler/loop/lower/pass.h"
#include "compiler/loop/lower/shared_limits.h"
#include <algorithm>
#include <set>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

/// What an item does for each of its points.
class OfItem {
public:
  OfItem(const Points &points, const Nest &nest)
      : points_(points), nest_(nest), hasRuns_(std::any_of(points.axes.begin(), points.axes.end(), isRun)),
        turns_(turnAxis(points)), before_(turns_ > 1 ? turnsBefore(nest.buffers) : 0) {}

  NodePtr all() {
    std::vector<NodePtr> body;
    for (std::size_t k = 0; k < points_.axes.size(); ++k) {
      const Points::Axis &axis = points_.axes[k];
      if (hasRuns_)
        body.push_back(let(axis.begin, add(index(axis.first), firstOfTurn(k))));
      if (!axis.hasSeveral())
        declarePoint(body, k, isTurn(axis) ? firstOfTurn(k) : index(number("lane", k)));
      else if (!isRun(axis))
        body.push_back(let(number("run", k), runOf(k)));
    }
    if (hasRuns_) {
      const Expr whole = isWhole(), boxes = hasBoxes(points_.body, nest_, boxes_);
      body.push_back(let(kWhole, boxes ? arithmetic(Op::And, {whole, boxes}) : whole));
    }
    if (hasRuns_ && std::any_of(nest_.buffers.begin(), nest_.buffers.end(), sharesRows))
      body.push_back(make({Vote{kTogether, arithmetic(Op::Equal, {index(kWhole), integer(1)})}}));
    NodePtr work = turns_ > 1 ? inPlanes(points_.body) : spread(points_.body);
    body.push_back(hasRuns_ && !hasGroupMemory() ? make({If{hasPoints(), std::move(work), nullptr}})
                                                 : std::move(work));
    if (!staged_.empty()) // all items copy planes, also those without points
      kept_.push_back(make({Vote{kInWarps, arithmetic(Op::Equal, {integer(1), integer(1)})}}));
    std::vector<NodePtr> inFront;
    for (GroupCopy &copy : staged_)
      inFront.push_back(make({std::move(copy)}));
    body.insert(body.begin(), inFront.begin(), inFront.end());
    NodePtr made = block(std::move(body));
    if (turns_) {
      const auto k = static_cast<std::size_t>(turns_);
      const Expr count = grouped(arithmetic(Op::Divide, {pointsOfItem(k), pointsOfTurn(k)}));
      const Expr inLaunch = subtract(points_.axes[k].high, index(points_.axes[k].first));
      For turns{turnOf(turns_), integer(-before_),
                less(index(turnOf(turns_)), turns_ > 1 ? minimum(pointsOfItem(k), inLaunch) : count), nullptr,
                std::move(made)};
      turns.hint.unrolling = Hint::Unrolling::Never;
      kept_.push_back(make({std::move(turns)}));
      made = scope(std::move(kept_));
    }
    for (std::size_t k = 0; k < points_.axes.size(); ++k) {
      const Points::Axis &axis = points_.axes[k];
      const int a = static_cast<int>(k);
      const Expr before =
          multiply(index(number("group", k)), grouped(pointsOfGroup(a, axis.hasSeveral() || isTurn(axis))));
      made = make({Parallel{Parallel::Over::Items, a, number("lane", k), integer(0), nullptr, made}});
      std::vector<NodePtr> limits{let(axis.first, add(firstOfLaunch(k), before))};
      if (mentions(points_.body, axis.last))
        limits.push_back(
            let(axis.last,
                subtract(minimum(add(index(axis.first), pointsOfGroup(a, axis.hasSeveral() || isTurn(axis))),
                                 axis.high),
                         integer(1))));
      limits.push_back(made);
      made = block(std::move(limits));
      made = make({Parallel{Parallel::Over::Groups, a, number("group", k), integer(0), nullptr, made}});
    }
    return made;
  }

private:
  static std::string number(const char *name, std::size_t k) { return name + std::to_string(k); }
  static NodePtr let(const std::string &name, Expr value) {
    return make({Let{.variables = {{name, std::move(value)}}, .mayBeUnused = true}});
  }

  static bool isRun(const Points::Axis &axis) { return axis.each == kernel::as::Item::Each::Run; }

  static bool isTurn(const Points::Axis &axis) { return axis.each == kernel::as::Item::Each::Turn; }

  /// Along which axis an item goes through its points some at a time, and keeps what the next ones need of the matrices; 0: none.
  static int turnAxis(const Points &points) {
    for (std::size_t k = points.axes.size(); k-- > 1;)
      if (isTurn(points.axes[k]) || (k == 1 && isRun(points.axes[k])))
        return static_cast<int>(k);
    return 0;
  }

  bool isOfTurns(std::size_t k) const { return turns_ > 0 && k == static_cast<std::size_t>(turns_); }

  /// Points along an axis that an item computes in one turn.
  Expr pointsOfTurn(std::size_t k) const {
    if (isTurn(points_.axes[k]))
      return integer(1);
    return k == 1 && isRun(points_.axes[k]) ? pointsAtOnce(1) : pointsOfItem(k);
  }

  /// The place of the first of them in the group.
  Expr firstOfTurn(std::size_t k) const {
    const Expr first = multiply(index(number("lane", k)), pointsOfItem(k));
    return isOfTurns(k) ? add(first, multiply(index(turnOf(turns_)), pointsOfTurn(k))) : first;
  }

  Expr pointsOfItem(std::size_t k) const {
    const bool isOne = !points_.axes[k].hasSeveral() && !isTurn(points_.axes[k]);
    return isOne ? integer(1) : ofMachine(number("PB_C", k));
  }

  /// The runs along axis 0 begin at multiples of their length.
  Expr firstOfLaunch(std::size_t k) const {
    const Points::Axis &axis = points_.axes[k];
    if (k > 0 || !isRun(axis))
      return axis.low;
    return multiply(grouped(arithmetic(Op::FloorDivide, {axis.low, pointsOfItem(k)})), pointsOfItem(k));
  }

  /// Whether all points of the item are points of the launch: those of the turn, or of the first one if it computes none.
  Expr isWhole() const {
    Expr all;
    for (std::size_t k = 0; k < points_.axes.size(); ++k) {
      const Points::Axis &axis = points_.axes[k];
      const Expr begin =
          isTurn(axis) && before_ > 0
              ? add(add(index(axis.first), multiply(index(number("lane", k)), pointsOfItem(k))),
                    maximum(index(turnOf(turns_)), integer(0)))
              : index(axis.begin);
      const Expr end = add(begin, pointsOfTurn(k));
      Expr one = arithmetic(Op::LessEqual, {end, axis.high});
      if (k == 0)
        one = arithmetic(Op::And, {arithmetic(Op::LessEqual, {axis.low, index(axis.begin)}), one});
      all = all ? arithmetic(Op::And, {all, one}) : one;
    }
    return all;
  }

  bool hasGroupMemory() const {
    return std::any_of(nest_.buffers.begin(), nest_.buffers.end(),
                       [](const Matrix &m) { return !m.ofGroup.empty() && !m.isOfItem; });
  }

  /// Whether some point of the item is a point of the launch.
  Expr hasPoints() const {
    Expr all = less(points_.axes.front().low, add(index(points_.axes.front().begin), pointsOfItem(0)));
    for (const Points::Axis &axis : points_.axes)
      all = arithmetic(Op::And, {all, less(index(axis.begin), axis.high)});
    return all;
  }

  /// How many neighbouring points of an item stand together: 16 bytes of the memory that they read, if these lie next to each other and the
  /// block's size allows it.
  Expr runOf(std::size_t k) const {
    long bytes = 4;
    for (const Matrix &m : nest_.buffers)
      for (const kernel::GroupDimension &d : m.ofGroup)
        if (d.axis == static_cast<int>(k)) {
          bytes = std::max(bytes, static_cast<long>(kernel::bytesOf(m.element)));
          if (!m.isOfItem && d.factor != 1)
            return integer(1);
        }
    const Expr points = ofMachine(number("PB_C", k));
    Expr run = integer(1);
    for (long n = 2; n <= 16 / bytes; n *= 2) {
      const Expr divides = arithmetic(Op::Equal, {arithmetic(Op::Modulo, {points, integer(n)}), integer(0)});
      run = arithmetic(Op::Choose, {divides, integer(n), std::move(run)});
    }
    return run;
  }

  /// The place of point `r` of an item's block or run.
  Expr placeOf(std::size_t k) const {
    const Expr r = index(number("r", k)), run = index(number("run", k));
    if (isRun(points_.axes[k]))
      return add(firstOfTurn(k), r);
    const Expr before = multiply(grouped(arithmetic(Op::Divide, {r, run})),
                                 grouped(multiply(ofMachine(number("PB_G", k)), run)));
    return add(add(before, multiply(index(number("lane", k)), run)), arithmetic(Op::Modulo, {r, run}));
  }

  void declarePoint(std::vector<NodePtr> &to, std::size_t k, Expr place) const {
    const Points::Axis &axis = points_.axes[k];
    to.push_back(let(axis.place, std::move(place)));
    Expr item = minimum(add(index(axis.first), index(axis.place)), subtract(axis.high, integer(1)));
    to.push_back(let(axis.item, k == 0 && isRun(axis) ? maximum(item, axis.low) : item));
  }

  Expr isInside() const {
    Expr all;
    for (const Points::Axis &axis : points_.axes) {
      const Expr at = add(index(axis.first), index(axis.place));
      Expr one = less(at, axis.high);
      if (&axis == &points_.axes.front() && isRun(axis))
        one = arithmetic(Op::And, {arithmetic(Op::LessEqual, {axis.low, at}), one});
      all = all ? arithmetic(Op::And, {all, one}) : one;
    }
    return all;
  }

  /// The points as they are in the launch, which need no minimum: what is read of the same points before is not kept in registers for them.
  Replacements insideLaunch() const {
    Replacements all;
    for (const Points::Axis &axis : points_.axes)
      all.emplace_back(axis.item, grouped(add(index(axis.first), index(axis.place))));
    return all;
  }

  bool differs(const Expr &e) const {
    return e && std::any_of(points_.axes.begin(), points_.axes.end(), [&](const Points::Axis &axis) {
             return mentions(e, axis.item) || mentions(e, axis.place);
           });
  }

  /// The node for all points, with what they share around them.
  NodePtr spread(const NodePtr &n) {
    if (const Block *b = as<Block>(n)) {
      Block made{{}, b->isScope};
      for (std::size_t k = 0; k < b->nodes.size();) {
        std::vector<NodePtr> ofPoint;
        while (k < b->nodes.size() && isOfPoint(b->nodes[k]))
          ofPoint.push_back(b->nodes[k++]);
        made.nodes.push_back(ofPoint.empty() ? spread(b->nodes[k++]) : forEach(ofPoint));
      }
      return make({std::move(made)});
    }
    if (const For *f = as<For>(n); f && !differs(f->begin) && !differs(f->condition)) {
      For made = *f;
      made.body = spread(f->body);
      return make({std::move(made)});
    }
    if (const NodePtr shared = asLongForAll(n, [this](const Expr &e) { return differs(e); }))
      return spread(shared);
    if (const If *i = as<If>(n); i && !differs(i->condition))
      return make({If{i->condition, spread(i->then), i->otherwise ? spread(i->otherwise) : nullptr}});
    if (const Array *a = as<Array>(n); a && a->space == Array::Space::Own)
      return arrayOf(*a);
    if (const Array *a = as<Array>(n); a && a->space == Array::Space::Item && turns_) {
      kept_.push_back(n); // in front of all turns
      return make({Block{}});
    }
    if (const GroupCopy *copy = as<GroupCopy>(n)) {
      GroupCopy made = *copy;
      made.turns = turns_;
      made.isWithinPoints |= boxes_.contains(made.to);
      if (made.through >= 0)
        staged_.push_back(planeOf(made));
      return make({std::move(made)});
    }
    if (as<Barrier>(n) || as<Comment>(n) || as<Array>(n) || as<Let>(n))
      return n;
    return forEach({n});
  }

  /// Whether the node computes something for one point only, and has no loops.
  bool isOfPoint(const NodePtr &n) const {
    if (const If *i = as<If>(n))
      return differs(i->condition) && !i->otherwise && isOfPoint(i->then);
    if (const Block *b = as<Block>(n); b && b->nodes.size() == 1)
      return !b->isScope && isOfPoint(b->nodes.front());
    return as<Assign>(n) || as<Call>(n);
  }

  /// The node in the turns of planes: what computes something stands in those that have points.
  NodePtr inPlanes(const NodePtr &n) {
    const Expr hasPlane = arithmetic(Op::LessEqual, {integer(0), index(turnOf(turns_))});
    std::vector<NodePtr> made, computing;
    const auto finish = [&] {
      if (!computing.empty())
        made.push_back(before_ > 0 ? make({If{hasPlane, scope(std::move(computing)), nullptr}})
                                   : block(std::move(computing)));
      computing.clear();
    };
    const Block *b = as<Block>(n);
    for (const NodePtr &one : b ? b->nodes : std::vector<NodePtr>{n}) {
      const Array *array = as<Array>(one);
      const bool isInner = as<Block>(one) && hasCopies(one);
      if (!isInner && !as<GroupCopy>(one) && !array && !as<Let>(one)) {
        computing.push_back(spread(one));
        continue;
      }
      finish();
      made.push_back(isInner ? inPlanes(one) : spread(one));
    }
    finish();
    return make({Block{std::move(made), b && b->isScope}});
  }

  /// The copy of the plane that is new in a turn, for all items of the group.
  GroupCopy planeOf(const GroupCopy &ofItem) const {
    GroupCopy made{.from = ofItem.from, .to = ofItem.through, .first = ofItem.first};
    made.mayBeEmpty = ofItem.mayBeEmpty;
    made.phase = ofItem.phase;
    made.isOfTurn = true;
    Replacements toGroup;
    for (std::size_t k = 0; k < points_.axes.size(); ++k) {
      const Points::Axis &axis = points_.axes[k];
      const Expr first = index(axis.first);
      toGroup.emplace_back(axis.begin, isOfTurns(k) ? grouped(add(first, index(turnOf(turns_)))) : first);
    }
    const Matrix &kept = nest_.buffers[static_cast<std::size_t>(ofItem.to)];
    long own = 0;
    for (const kernel::GroupDimension &d : kept.ofGroup)
      own = std::max(own, keptAlong(d, turns_));
    if (own < before_) // other matrices need more turns
      made.condition = arithmetic(Op::LessEqual, {integer(-own), index(turnOf(turns_))});
    for (std::size_t d = 0; d < made.first.size(); ++d)
      made.first[d] = add(replaced(made.first[d], toGroup), integer(keptAlong(kept.ofGroup[d], turns_)));
    return made;
  }

  /// One for each point of the item's block.
  NodePtr arrayOf(Array a) {
    std::vector<Expr> extents;
    for (std::size_t k = points_.axes.size(); k-- > 0;)
      if (points_.axes[k].hasSeveral())
        extents.push_back(pointsOfTurn(k));
    if (!extents.empty())
      arrays_.insert(a.name);
    a.extents.insert(a.extents.begin(), extents.begin(), extents.end());
    return make({std::move(a)});
  }

  struct AtPoint : Mutator {
    const OfItem &of;
    explicit AtPoint(const OfItem &of) : of(of) {}
    NodePtr node(const NodePtr &n) override {
      const Assign *assign = as<Assign>(n);
      const bool stores = as<Call>(n) || (assign && as<Element>(assign->target));
      NodePtr made = Mutator::node(n);
      return stores ? make({If{of.isInside(), replaced(made, of.insideLaunch()), nullptr}}) : made;
    }
    Expr expr(const Expr &e) override {
      Expr made = Mutator::expr(e);
      const Local *local = as<Local>(made);
      if (!local || !of.arrays_.contains(local->name))
        return made;
      Local own = *local;
      std::vector<Expr> at;
      for (std::size_t k = of.points_.axes.size(); k-- > 0;)
        if (of.points_.axes[k].hasSeveral())
          at.push_back(index(number("r", k)));
      own.indices.insert(own.indices.begin(), at.begin(), at.end());
      return make({std::move(own)});
    }
  };

  /// The loops over an item's points around the nodes, row by row: no more is read of the matrices at a time than one row stores.
  NodePtr forEach(const std::vector<NodePtr> &nodes) {
    std::vector<NodePtr> rows, made;
    const auto finish = [&] {
      if (!rows.empty())
        made.push_back(alongOtherAxes(block(std::move(rows))));
      rows.clear();
    };
    for (const NodePtr &n : nodes) {
      if (NodePtr stored = rowByRow(n)) {
        finish();
        made.push_back(std::move(stored));
        continue;
      }
      NodePtr one = AtPoint(*this).node(n);
      rows.push_back(points_.axes.front().hasSeveral() ? alongAxis(0, std::move(one)) : std::move(one));
    }
    finish();
    return block(std::move(made));
  }

  /// The loops over the rows of an item's points around what is done for one of them.
  NodePtr alongOtherAxes(NodePtr row) const {
    for (std::size_t k = 1; k < points_.axes.size(); ++k)
      if (points_.axes[k].hasSeveral())
        row = alongAxis(k, std::move(row));
    return row;
  }

  /// A loop that is written out.
  static NodePtr times(const std::string &iterator, const Expr &count, NodePtr body) {
    For loop{iterator, integer(0), less(index(iterator), count), nullptr, std::move(body)};
    loop.hint.unrolling = Hint::Unrolling::Fully;
    return make({std::move(loop)});
  }

  /// The node for the points of the item along the axis.
  NodePtr alongAxis(std::size_t k, NodePtr body) const {
    std::vector<NodePtr> at;
    declarePoint(at, k, placeOf(k));
    at.push_back(std::move(body));
    return times(number("r", k), pointsOfTurn(k), block(std::move(at)));
  }

  /// Whether the cells that neighbouring points of a run write are neighbours, and those of a whole run begin at a multiple of 16 bytes.
  bool storesRuns(const Assign &assign) const {
    const Element *to = as<Element>(assign.target);
    if (!to || assign.op || to->indices.empty() || !isRun(points_.axes.front()))
      return false;
    const std::string &item = points_.axes.front().item;
    for (std::size_t d = 1; d < to->indices.size(); ++d)
      if (mentions(to->indices[d], item))
        return false;
    if (const Name *name = as<Name>(to->indices.front()))
      return name->name == item;
    const Arithmetic *moved = as<Arithmetic>(to->indices.front());
    if (!moved || (moved->op != Op::Add && moved->op != Op::Subtract))
      return false;
    const Name *name = as<Name>(moved->operands[0]);
    const Integer *by = as<Integer>(moved->operands[1]);
    return name && name->name == item && by && by->value % cellsOf16Bytes(to->buffer) == 0;
  }

  long cellsOf16Bytes(int buffer) const {
    return 16 / static_cast<long>(kernel::bytesOf(nest_.buffers[static_cast<std::size_t>(buffer)].element));
  }

  /// An assignment whose values are stored as rows of 16 bytes; null for another node.
  NodePtr rowByRow(const NodePtr &n) const {
    const Assign *assign = as<Assign>(n);
    if (!assign || !storesRuns(*assign))
      return nullptr;
    const Element &to = *as<Element>(assign->target);
    const Scalar element = nest_.buffers[static_cast<std::size_t>(to.buffer)].element;
    const long together = cellsOf16Bytes(to.buffer);
    const Expr count = pointsOfItem(0);
    const auto result = [&](Expr at) { return make(Expression{Local{kResult, element, {std::move(at)}}}); };
    std::vector<NodePtr> row{make({Array{kResult, element, {count}}})};
    row.push_back(alongAxis(0, make({Assign{result(index("r0")), {}, AtPoint(*this).expr(assign->value)}})));

    const Expr first = multiply(index("q0"), integer(together));
    const Replacements ofCell = insideLaunch();
    Replacements ofRow = ofCell;
    ofRow.front().second = add(index(points_.axes[0].begin), first);
    Assign wide{replaced(assign->target, ofRow), {}, result(first)};
    wide.together = together;
    Expr isWide = arithmetic(Op::Equal, {ofMachine("PB_WIDE"), integer(1)});
    for (Expr more : {arithmetic(Op::Equal, {arithmetic(Op::Modulo, {count, integer(together)}), integer(0)}),
                      arithmetic(Op::Equal, {index(kWhole), integer(1)})})
      isWide = arithmetic(Op::And, {isWide, std::move(more)});
    Assign single{
        replaced(assign->target, ofCell), {}, result(index("r0")), assign->statement, assign->dimensions};
    row.push_back(make(
        {If{isWide, times("q0", grouped(arithmetic(Op::Divide, {count, integer(together)})), make({wide})),
            alongAxis(0, make({If{isInside(), make({single}), nullptr}}))}}));
    return alongOtherAxes(scope(std::move(row)));
  }

  static constexpr const char *kResult = "result";
  const Points &points_;
  const Nest &nest_;
  const bool hasRuns_;
  std::set<std::string> arrays_; // that have an element for each point
  std::vector<NodePtr> kept_;    // the arrays that turns share
  const int turns_;              // the axis along which the item's points come in turns; 0: none
  const long before_;            // turns without points
  std::vector<GroupCopy> staged_;
  std::set<int> boxes_; // memories whose cells are in the matrix where the item is whole
};

struct PointLoops : LoopPass {
  using LoopPass::LoopPass;
  NodePtr node(const NodePtr &n) override {
    if (const Points *points = as<Points>(n))
      return OfItem(*points, lowering_.nest).all();
    return Mutator::node(n);
  }
};

} // namespace

NodePtr lowerPoints(const NodePtr &n, Lowering &lowering) { return PointLoops(lowering).node(n); }

} // namespace pbc::loop
