// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/verify.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>
#include <utility>

namespace pbc::loop {
namespace {

class Verifier : public Visitor {
public:
  explicit Verifier(Stage stage) : stage_(stage) {}

  void node(const NodePtr &n) override {
    if (wrong_)
      return;
    std::visit([&](const auto &kind) { check(kind, n); }, n->as);
  }

  void expr(const Expr &e) override {
    if (const Name *name = as<Name>(e); name && name->kind == Name::Kind::Index && !isDeclared(name->name))
      fail(name->name + " is used where no loop and no Let declares it");
    if (const Local *local = as<Local>(e); local && !isDeclared(local->name))
      fail("the scalar " + local->name + " is used where no Array declares it");
    if ((as<StripValue>(e) || as<KeptValue>(e)) && blocks_ == 0)
      fail("a strip is read outside of a block of points");
    Visitor::expr(e);
  }

  std::optional<std::string> wrong() const { return wrong_; }

private:
  void fail(std::string text) {
    if (!wrong_)
      wrong_ = std::move(text);
  }
  bool isDeclared(const std::string &name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  }
  void declare(const std::string &name) {
    if (isDeclared(name))
      fail(name + " is declared again where it is already declared");
    names_.push_back(name);
  }
  /// What `visit` declares ends with it.
  void scoped(const std::function<void()> &visit) {
    const std::size_t before = names_.size();
    visit();
    names_.resize(before);
  }
  /// Whether the expression differs between the items of a group.
  bool differs(const Expr &e) const {
    return e && std::any_of(differing_.begin(), differing_.end(),
                            [&](const std::string &n) { return mentions(e, n); });
  }
  void diverging(bool differs, const std::function<void()> &visit) {
    diverging_ += differs;
    divergingInWarp_ += differs;
    scoped(visit);
    diverging_ -= differs;
    divergingInWarp_ -= differs;
  }
  void declare(const std::string &name, bool differs) {
    declare(name);
    if (differs)
      differing_.insert(name);
    else
      differing_.erase(name);
  }

  void check(const Block &b, const NodePtr &n) {
    if (b.isScope)
      scoped([&] { Visitor::node(n); });
    else
      Visitor::node(n);
  }

  void check(const For &f, const NodePtr &) {
    if (stage_ == Stage::Lowered && f.how)
      fail("the loop over " + f.iterator + " still has the realisation " + kernel::text(*f.how));
    if (stage_ == Stage::Lowered && !f.condition)
      fail("the loop over " + f.iterator + ", which runs once, is no Let");
    if (!f.begin && !isDeclared(f.iterator))
      fail("the loop over " + f.iterator + " goes on from a variable that no Let declares");
    if (f.begin)
      expr(f.begin);
    const bool isDiverging = differs(f.begin) || differs(f.condition) || differs(f.step);
    diverging(isDiverging, [&] {
      if (f.begin)
        declare(f.iterator, isDiverging);
      for (const Expr &e : {f.condition, f.step})
        if (e)
          expr(e);
      node(f.body);
    });
  }

  void check(const If &i, const NodePtr &) {
    expr(i.condition);
    for (const NodePtr &branch : {i.then, i.otherwise})
      if (branch)
        diverging(differs(i.condition), [&] {
          // What a warp has agreed upon, all of its items do.
          const bool isAgreed = branch == i.then && isOfVote(i.condition);
          const int before = std::exchange(divergingInWarp_, isAgreed ? 0 : divergingInWarp_);
          node(branch);
          divergingInWarp_ = before;
        });
  }

  void check(const Let &l, const NodePtr &) {
    for (const Let::Variable &v : l.variables) {
      expr(v.value);
      declare(v.name, differs(v.value));
    }
  }

  void check(const Array &a, const NodePtr &n) {
    if (a.space == Array::Space::Group && diverging_)
      fail("the array " + a.name + " of a group is declared where not all items of the group are");
    Visitor::node(n);
    declare(a.name);
  }

  void check(const Assign &a, const NodePtr &) {
    expr(a.target);
    expr(a.value);
  }
  void check(const Call &, const NodePtr &n) { Visitor::node(n); }
  void check(const Prefetch &p, const NodePtr &) {
    if (!as<CellVector>(p.cells) && !as<KeptValue>(p.cells) && !as<Element>(p.cells))
      fail("what is prefetched is no cells");
    expr(p.cells);
  }
  void check(const TurnedRows &t, const NodePtr &n) {
    if (!as<Element>(t.first) || !as<Element>(t.next) || !as<Local>(t.array))
      fail("rows are turned that are no cells, or go into no array");
    Visitor::node(n);
  }
  void check(const Comment &, const NodePtr &) {}

  void check(const Barrier &, const NodePtr &) {
    if (diverging_)
      fail("a barrier stands where not all items of a group are");
  }

  void check(const Shuffle &s, const NodePtr &n) {
    if (divergingInWarp_)
      fail("items read each other's registers where not all items of a warp are");
    Visitor::node(n);
    declare(s.name, true);
  }

  void check(const Vote &v, const NodePtr &n) {
    if (diverging_)
      fail("a warp votes where not all items of a group are");
    Visitor::node(n);
    declare(v.name, true);
    votes_.insert(v.name);
  }

  /// Whether the condition is that a vote has been 1.
  bool isOfVote(const Expr &e) const {
    const Arithmetic *equal = as<Arithmetic>(e);
    if (!equal || equal->op != Arithmetic::Op::Equal)
      return false;
    const Name *name = as<Name>(equal->operands[0]);
    return name && votes_.contains(name->name) && isInteger(equal->operands[1], 1);
  }

  void check(const GroupCopy &, const NodePtr &n) {
    if (diverging_ && !as<GroupCopy>(n)->isOfItem)
      fail("a copy into a group's memory stands where not all items of a group are");
    if (stage_ == Stage::Lowered)
      fail("a copy into a group's memory has no loops");
    Visitor::node(n);
  }

  void check(const Points &p, const NodePtr &) {
    if (stage_ == Stage::Lowered)
      fail("the points of a launch have no loops");
    scoped([&] {
      for (const Points::Axis &axis : p.axes) {
        expr(axis.low);
        expr(axis.high);
        declare(axis.first);
        declare(axis.last);
        declare(axis.item, true);
        declare(axis.place, true);
        declare(axis.begin, true);
        declare(axis.point, true);
      }
      node(p.body);
    });
  }

  void check(const Cells &c, const NodePtr &) {
    if (stage_ == Stage::Lowered)
      fail("the cells of a launch have no loops");
    scoped([&] {
      for (const Cells::Axis &axis : c.axes) {
        expr(axis.low);
        expr(axis.high);
        declare(axis.item, &axis == &c.axes.front());
      }
      node(c.body);
    });
  }

  void check(const Parallel &p, const NodePtr &) {
    expr(p.begin);
    if (p.end)
      expr(p.end);
    const bool isItem = p.over == Parallel::Over::Launch || p.over == Parallel::Over::Items ||
                        p.over == Parallel::Over::InGroup || p.over == Parallel::Over::Lanes;
    scoped([&] {
      declare(p.iterator, isItem);
      node(p.body);
    });
  }

  void check(const BlockOfPoints &b, const NodePtr &) {
    for (const Expr &e : {b.yBegin, b.yEnd})
      expr(e);
    scoped([&] {
      ++blocks_;
      for (const char *own :
           {BlockOfPoints::kY, BlockOfPoints::kX, BlockOfPoints::kRows, BlockOfPoints::kVectors,
            BlockOfPoints::kWidth, BlockOfPoints::kK, BlockOfPoints::kFirstStep, BlockOfPoints::kPastStep,
            BlockOfPoints::kIsFirst, BlockOfPoints::kIsLast})
        declare(own);
      scoped([&] {
        declare(b.y);
        for (const Expr &e : {b.xBegin, b.xEnd})
          expr(e);
        if (b.depth)
          for (const Expr &e : {b.depth->begin, b.depth->end, b.depth->change})
            if (e)
              expr(e);
        declare(BlockOfPoints::kCell);
        if (b.depth)
          for (const BlockOfPoints::Strip &s : b.depth->strips)
            if (s.folded)
              expr(s.folded);
      });
      if (b.depth)
        for (const BlockOfPoints::Strip &s : b.depth->strips)
          expr(s.first);
      node(b.cells);
      --blocks_;
    });
  }

  const Stage stage_;
  std::vector<std::string> names_;
  std::set<std::string> differing_; // names whose values differ between items
  std::set<std::string> votes_;
  int diverging_ = 0, divergingInWarp_ = 0, blocks_ = 0;
  std::optional<std::string> wrong_;
};

} // namespace

std::optional<std::string> problem(const NodePtr &n, Stage stage) {
  Verifier verifier(stage);
  verifier.node(n);
  return verifier.wrong();
}

void verify(const NodePtr &n, Stage stage) {
  if (const auto wrong = problem(n, stage))
    throw std::logic_error("a loop tree is wrong: " + *wrong);
}

} // namespace pbc::loop
