// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cells that are computed by teams of a group's items.
//
//   cells item0 { s = 0; for k < n [team] { s += A[k, item0] }; R[item0] = s }
//   =>  group array team0; place = low0 + group0 * PB_C0 + cell; item0 = min(place, high0 - 1)
//       s = 0; if lane > 0 { s = 0 }
//       for k = lane; k < n; step team { s += A[k, item0] }    (accumulators.cpp)
//       s = the sum of all items' s                            (team_folds.cpp)
//       if place < high0 and lane = 0 { R[item0] = s }
//
// A group has PB_C0 cells along its first function, in teams of PB_G0 * PB_G1 * PB_G2 / PB_C0 items (a whole number). Several groups may
// share the steps of the same cells, in `parts` parts, by launches that follow each other: pass 1 leaves each part's value in the launch's
// memory; pass 2 folds these into the cell, or, for a scan (scans.cpp), replaces each by the sum of the parts before it; pass 3, only for
// scans, computes the cells. In pass 0 one group does all steps. Invariant: all items of a group reach the same barriers, so cells beyond
// the end are computed and not stored, and a loop to which only some of them come is not shared out.
#include "compiler/loop/lower/pass.h"
#include "compiler/loop/lower/team_code.h"
#include <algorithm>
#include <set>
#include <utility>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;
using TeamHow = kernel::as::Team;

std::string counted(const char *name, std::size_t k) { return name + std::to_string(k); }

void addFlat(std::vector<NodePtr> &to, const Block &b) {
  for (const NodePtr &one : b.nodes) {
    const Block *inner = as<Block>(one);
    if (inner && !inner->isScope)
      addFlat(to, *inner);
    else
      to.push_back(one);
  }
}

/// The names whose values differ between the items of a group, and the loops and branches around that depend on them.
class Differing {
public:
  bool differs(const Expr &e) const {
    return e &&
           std::any_of(names_.begin(), names_.end(), [&](const std::string &n) { return mentions(e, n); });
  }
  void add(const std::string &name) { names_.insert(name); }

private:
  std::set<std::string> names_;
};

/// What a group does for its cells.
class OfCells {
public:
  OfCells(const Cells &cells, const Nest &nest, bool isWide) : nest_(nest), code_(cells, isWide) {
    if (!cells.axes.empty())
      differing_.add(cells.axes.front().item);
  }

  NodePtr all() {
    NodePtr body = frame(node(code_.cells().body));
    std::vector<NodePtr> nodes;
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
      const Expr items = multiply(multiply(ofMachine("PB_G0"), ofMachine("PB_G1")), ofMachine("PB_G2"));
      nodes.push_back(make({Array{counted("team", k), arrays_[k], {items}, false, Array::Space::Group}}));
    }
    nodes.push_back(std::move(body));
    return block(std::move(nodes));
  }

  /// Whether several groups can share the steps of a cell: only one loop, which is always reached, needs what all parts have.
  bool canBeWide() const { return loops_ == 1 && canBeWide_; }
  SharedOut shared() const {
    SharedOut out{loops_, 0, arrays_};
    if (code_.isWide())
      out.values = static_cast<int>(arrays_.size());
    return out;
  }
  std::vector<Left> left() const { return left_; }

private:
  // ---- around the body

  NodePtr frame(NodePtr body) const {
    const Cells &cells = code_.cells();
    const Expr slot = index("slot"), cellsOfGroup = ofMachine("PB_C0"), team = index("team");
    const Expr items =
        grouped(multiply(multiply(ofMachine("PB_G0"), ofMachine("PB_G1")), ofMachine("PB_G2")));
    const auto divided = [](const Expr &a, const Expr &b) { return arithmetic(Op::Divide, {a, b}); };
    const auto rest = [](const Expr &a, const Expr &b) { return arithmetic(Op::Modulo, {a, b}); };
    std::vector<NodePtr> own{
        letNumber("team", divided(items, cellsOfGroup)),
        letNumber("lane", cells.areNeighbours ? divided(slot, cellsOfGroup) : rest(slot, team)),
        letNumber("cell", cells.areNeighbours ? rest(slot, cellsOfGroup) : divided(slot, team))};
    if (!cells.axes.empty()) {
      const Cells::Axis &first = cells.axes.front();
      own.push_back(
          letNumber("place", add(add(first.low, multiply(groupOf(0), cellsOfGroup)), index("cell"))));
      own.push_back(letNumber(first.item, minimum(index("place"), subtract(first.high, integer(1)))));
    }
    for (std::size_t k = 1; k < cells.axes.size(); ++k)
      own.push_back(letNumber(cells.axes[k].item, add(cells.axes[k].low, groupOf(k))));
    if (code_.isWide())
      addParts(own);
    own.push_back(std::move(body));
    NodePtr all =
        make({Parallel{Parallel::Over::InGroup, 0, "slot", integer(0), nullptr, block(std::move(own))}});
    for (std::size_t k = 0; k < std::max<std::size_t>(1, cells.axes.size()); ++k)
      all = make({Parallel{Parallel::Over::Groups, static_cast<int>(k), counted("group", k), integer(0),
                           nullptr, all}});
    return all;
  }

  /// The group's number among those of other cells.
  Expr groupOf(std::size_t axis) const {
    const Expr group = index(counted("group", axis));
    return axis == 0 && code_.isWide() ? grouped(arithmetic(Op::Divide, {group, ofLaunch("here")})) : group;
  }

  void addParts(std::vector<NodePtr> &own) const {
    own.push_back(letNumber("part", arithmetic(Op::Modulo, {index("group0"), ofLaunch("here")})));
    Expr number, count;
    for (std::size_t k = code_.cells().axes.size(); k-- > 0;) {
      const Cells::Axis &axis = code_.cells().axes[k];
      const Expr extent = grouped(subtract(axis.high, axis.low)), at = subtract(index(axis.item), axis.low);
      number = number ? add(multiply(grouped(number), extent), at) : at;
      count = count ? multiply(count, extent) : extent;
    }
    const auto ofCells = [](const char *name, const Expr &value) {
      return make({Let{.variables = {{name, value}}, .mayBeUnused = true, .within = Let::Within::Launch}});
    };
    own.push_back(ofCells("number", number ? number : integer(0)));
    own.push_back(ofCells("cells", count ? count : integer(1)));
  }

  // ---- the body

  NodePtr node(const NodePtr &n) {
    if (const Block *b = as<Block>(n))
      return ofBlock(*b);
    if (const For *f = as<For>(n))
      return ofLoop(*f);
    if (const If *i = as<If>(n)) {
      const bool differs = differing_.differs(i->condition);
      return make({If{i->condition, inside(differs, i->then),
                      i->otherwise ? inside(differs, i->otherwise) : nullptr}});
    }
    if (const Let *l = as<Let>(n))
      for (const Let::Variable &v : l->variables)
        if (differing_.differs(v.value))
          differing_.add(v.name);
    return as<Assign>(n) ? statement(n) : n;
  }

  /// What comes behind the shared loop of a cell in parts has no place in pass 1.
  NodePtr ofBlock(const Block &b) {
    std::vector<NodePtr> flat, made;
    addFlat(flat, b);
    for (std::size_t k = 0; k < flat.size(); ++k) {
      const bool wasFolded = isFolded_;
      made.push_back(node(flat[k]));
      if (wasFolded || !isFolded_ || k + 1 == flat.size())
        continue;
      std::vector<NodePtr> behind;
      while (++k < flat.size())
        behind.push_back(node(flat[k]));
      made.push_back(make({If{TeamCode::isNoPass(kPartsPass), block(std::move(behind)), nullptr}}));
    }
    return make({Block{std::move(made), b.isScope}});
  }

  /// Inside, barriers are allowed only if all items of the group go there.
  NodePtr inside(bool differs, const NodePtr &n) {
    ++depth_;
    diverging_ += differs;
    NodePtr made = node(n);
    diverging_ -= differs;
    --depth_;
    return made;
  }

  NodePtr ofLoop(const For &f) {
    const auto *how = f.how ? std::get_if<TeamHow>(&*f.how) : nullptr;
    if (!f.condition)
      return ofOnce(f);
    if (isShared_)
      return how && how->deals && !isDealt_ ? make({dealt(f)}) : plainLoop(f);
    if (!how || !how->folds)
      return plainLoop(f);
    if (!diverging_)
      if (NodePtr made = nest_.teams->scan ? scan(f) : folding(f))
        return made;
    left_.push_back({*f.how, f.iterator, Left::Why::NotAllItems});
    return plainLoop(f);
  }

  NodePtr ofOnce(For f) {
    if (differing_.differs(f.begin))
      differing_.add(f.iterator);
    if (f.how && std::holds_alternative<TeamHow>(*f.how)) {
      left_.push_back({*f.how, f.iterator, Left::Why::RunsOnce});
      f.how.reset();
    }
    f.body = node(f.body);
    return make({std::move(f)});
  }

  NodePtr plainLoop(For f) {
    const bool differs = differing_.differs(f.begin) || differing_.differs(f.condition);
    if (f.how && std::holds_alternative<TeamHow>(*f.how))
      f.how.reset();
    f.body = inside(differs, f.body);
    return make({std::move(f)});
  }

  /// Only the first item writes matrices; in a loop whose steps are not dealt to items yet, it executes everything.
  NodePtr statement(const NodePtr &n) {
    const Assign &assign = *as<Assign>(n);
    if (as<Element>(assign.target)) {
      canBeWide_ &= !nest_.teams->scan;
      return make({If{code_.stores(), n, nullptr}});
    }
    if (!isShared_ || isDealt_)
      return n;
    Expr isFirst = TeamCode::isFirstLane();
    if (isTop_)
      isFirst = arithmetic(Op::And, {isFirst, arithmetic(Op::Equal, {index("part"), integer(0)})});
    return make({If{isFirst, n, nullptr}});
  }

  std::string arrayOf(Scalar element) {
    arrays_.push_back(element);
    return counted("team", arrays_.size() - 1);
  }

  // ---- reductions

  /// The scalars that the loop folds into.
  std::vector<TeamSum> sumsOf(const For &f) {
    struct Find : Visitor {
      int statement = -1;
      void node(const NodePtr &n) override {
        if (const Assign *a = as<Assign>(n))
          statement = a->statement;
        else
          Visitor::node(n);
      }
      void expr(const Expr &) override {}
    } find;
    find.node(f.body);
    std::vector<TeamSum> sums;
    for (const Teams::Shared &s : nest_.teams->loops)
      if (std::find(s.statements.begin(), s.statements.end(), find.statement) != s.statements.end())
        for (const Teams::Fold &fold : s.folds)
          sums.push_back(
              {make({Local{fold.local, fold.with.element, {}}}), fold.with, arrayOf(fold.with.element)});
    return sums;
  }

  /// Null if it is not known what the loop folds.
  NodePtr folding(const For &f) {
    const std::vector<TeamSum> sums = sumsOf(f);
    if (sums.empty())
      return nullptr;
    canBeWide_ &= depth_ == 0;
    isTop_ = code_.isWide() && depth_ == 0;
    ++loops_;
    std::vector<NodePtr> all;
    Expr isOther = less(integer(0), index("lane"));
    if (isTop_)
      isOther = arithmetic(Op::Or, {arithmetic(Op::Or, {isOther, less(integer(0), index("part"))}),
                                    TeamCode::isPass(kFoldPass)});
    for (const TeamSum &s : sums)
      all.push_back(make({If{isOther, assignTo(s.local, neutral(s.with)), nullptr}}));
    isShared_ = true;
    const NodePtr steps = std::get<TeamHow>(*f.how).deals ? withAccumulators(dealt(f), sums) : plainLoop(f);
    isShared_ = false;
    all.push_back(isTop_ ? make({If{TeamCode::isPass(kFoldPass), partsOf(sums), steps}}) : steps);
    all.push_back(foldedByTeam(sums, code_));
    if (depth_ > 0) // the group's arrays are used again
      all.push_back(make({Barrier{}}));
    if (isTop_) {
      std::vector<NodePtr> stores;
      for (std::size_t k = 0; k < sums.size(); ++k)
        stores.push_back(assignTo(TeamCode::partial(sums[k].with.element, k, index("part")), sums[k].local));
      all.push_back(make({If{arithmetic(Op::And, {TeamCode::isPass(kPartsPass), code_.stores()}),
                             block(std::move(stores)), nullptr}}));
    }
    isFolded_ = std::exchange(isTop_, false);
    return block(std::move(all));
  }

  /// The steps of one item.
  For dealt(For f) {
    f.how.reset();
    const bool hasUnitStep = !f.step || isInteger(f.step, 1);
    const auto times = [&](const Expr &count) {
      return hasUnitStep ? count : multiply(f.step, grouped(count));
    };
    const Expr lane = index("lane"), team = index("team");
    f.begin = add(f.begin, times(isTop_ ? add(multiply(index("part"), team), lane) : lane));
    f.step = times(isTop_ ? multiply(ofLaunch("here"), team) : team);
    isDealt_ = true;
    f.body = node(f.body);
    isDealt_ = false;
    return f;
  }

  /// Pass 2: each item folds the values of some parts.
  NodePtr partsOf(const std::vector<TeamSum> &sums) const {
    std::vector<NodePtr> all;
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const TeamSum &s = sums[k];
      const NodePtr body =
          block({letValue("other", s.with.element, TeamCode::partial(s.with.element, k, index("p"))),
                 assignTo(s.local, combined(s.with, s.local, index("other")))});
      all.push_back(
          make({For{"p", index("lane"), less(index("p"), ofLaunch("parts")), index("team"), body}}));
    }
    return block(std::move(all));
  }

  // ---- scans

  /// Null if its steps are no range that is the same for all items, or not each of them runs the scan's statement.
  NodePtr scan(const For &f) {
    if (!isCounting(f) || differing_.differs(f.begin) || differing_.differs(f.condition))
      return nullptr;
    const Teams::Scan &s = *nest_.teams->scan;
    const auto step = [&](const NodePtr &n) { // lanes beyond the end do not come here
      ++diverging_;
      NodePtr made = node(n);
      --diverging_;
      return made;
    };
    NodePtr made = scanLoop(f, s, code_, counted("team", arrays_.size()), step);
    if (!made)
      return nullptr;
    arrays_.push_back(s.with.element);
    ++loops_;
    canBeWide_ &= depth_ == 0;
    return made;
  }

  const Nest &nest_;
  const TeamCode code_;
  Differing differing_;
  std::vector<Scalar> arrays_; // of a value for each item of the group
  std::vector<Left> left_;
  bool isShared_ = false,
       isDealt_ = false;  // inside of a loop that is shared out; of the loop whose steps are dealt
  bool isTop_ = false;    // this loop's steps are those of several groups
  bool isFolded_ = false; // we are behind it
  bool canBeWide_ = true;
  int depth_ = 0, diverging_ = 0; // loops and branches around; those that differ between items
  int loops_ = 0;                 // that were shared out
};

struct TeamLoops : LoopPass {
  using LoopPass::LoopPass;
  NodePtr node(const NodePtr &n) override {
    if (const Cells *cells = as<Cells>(n))
      return ofCells(*cells);
    const For *loop = as<For>(n);
    if (!realisedAs<TeamHow>(loop))
      return Mutator::node(n);
    lowering_.leave(*loop, Left::Why::NoTeam);
    return Mutator::node(plain(*loop));
  }

  NodePtr ofCells(const Cells &cells) const {
    OfCells single(cells, lowering_.nest, false);
    NodePtr made = single.all();
    if (!single.canBeWide())
      return finish(single, std::move(made));
    OfCells wide(cells, lowering_.nest, true);
    made = wide.all();
    return finish(wide, std::move(made));
  }

  NodePtr finish(const OfCells &how, NodePtr made) const {
    lowering_.sharedOut = how.shared();
    for (const Left &l : how.left())
      lowering_.left.push_back(l);
    return made;
  }
};

} // namespace

NodePtr lowerTeams(const NodePtr &n, Lowering &lowering) { return TeamLoops(lowering).node(n); }

} // namespace pbc::loop
