// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/step_loops.h"
#include "compiler/kernel/item_values.h"
#include "compiler/loop/box_conditions.h"
#include "compiler/loop/convert.h"
#include "compiler/loop/statement.h"
#include "compiler/loop/step_memory.h"
#include "compiler/loop/step_window.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <map>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

NodePtr define(std::string name, Expr value, Let::Within within = Let::Within::Nothing) {
  return make(
      {Let{.variables = {{std::move(name), std::move(value)}}, .mayBeUnused = true, .within = within}});
}
/// A launch has fewer rounds than a group has places along an axis (runtime/device/launch_rounds.h).
NodePtr defineRounds(std::string name, Expr value) {
  return define(std::move(name), std::move(value), Let::Within::Group);
}
/// How far so many rounds read.
Expr haloOf(const char *rounds, long reach) {
  return reach == 1 ? index(rounds) : grouped(multiply(index(rounds), integer(reach)));
}
Expr both(Expr l, Expr r) { return l ? arithmetic(Op::And, {std::move(l), std::move(r)}) : r; }

/// In matrices whose versions share slots, later rounds of a launch overwrite what earlier ones would write.
Expr isLastRound() { return arithmetic(Op::Equal, {add(index("step"), integer(1)), limit("high0")}); }

/// Whether a point that nobody needs may be computed of any values.
class Harmless : public Visitor {
public:
  static bool of(const NodePtr &body) {
    Harmless all;
    all.node(body);
    return all.isHarmless_;
  }

private:
  void expr(const Expr &e) override {
    if (const Element *cell = as<Element>(e))
      for (const Expr &i : cell->indices)
        isHarmless_ &= isOfPlaces(i);
    if (const Operation *o = as<Operation>(e)) {
      using Computed = Operation::Op;
      const bool mayTrap = o->op == Computed::Divide || o->op == Computed::Modulo ||
                           o->op == Computed::ShiftLeft || o->op == Computed::ShiftRight;
      isHarmless_ &= !mayTrap || as<Literal>(o->operands[1]);
    }
    Visitor::expr(e);
  }

  /// Whether no value decides which cell it is.
  static bool isOfPlaces(const Expr &e) {
    struct Find : Visitor {
      bool found = false;
      void expr(const Expr &one) override {
        found |= !as<Arithmetic>(one) && !as<Grouped>(one) && !as<Name>(one) && !as<Integer>(one);
        Visitor::expr(one);
      }
    } find;
    find.expr(e);
    return !find.found;
  }

  bool isHarmless_ = true;
};

/// The statements of a point in one round, with the group's memory in the place of matrices.
class Keeping : public Mutator {
public:
  /// What a point writes to a matrix of which the group keeps cells.
  struct Result {
    std::string name; // of the array that has it, of the item's points
    int buffer;
    Expr target;
  };

  using Windows = std::map<int, StepWindow>; // by buffer
  /// `number`: of the point among those of its item, whose results are stored when all have them; null: each is stored at once.
  /// `windows`: what the item has of the round before in registers; null: points read the group's memory.
  Keeping(const kernel::Scheduled &kernel, bool isFirst, Expr number = nullptr,
          const Windows *windows = nullptr)
      : kernel_(kernel), steps_(*kernel.schedule.steps), isFirst_(isFirst), number_(std::move(number)),
        windows_(windows) {}

  NodePtr node(const NodePtr &n) override {
    const Assign *assign = as<Assign>(n);
    if (!assign || assign->statement < 0)
      return Mutator::node(n);
    assign_ = assign;
    Assign made = *assign;
    made.value = expr(assign->value);
    const Element *to = as<Element>(assign->target);
    if (!to)
      return make({std::move(made)});
    const bool isKept = std::find(steps_.kept.begin(), steps_.kept.end(), to->buffer) != steps_.kept.end();
    if (isKept && number_) {
      results.push_back({kResult + std::to_string(results.size()), to->buffer, assign->target});
      return make({Assign{resultOf(results.back()), {}, made.value}});
    }
    hasOthers |= !isKept;
    if (!isKept)
      return make({If{isOwn(false), make({std::move(made)}), nullptr}});
    const kernel::Scalar element = kernel_.buffers[static_cast<std::size_t>(to->buffer)].element;
    const Expr result = make(Expression{Local{kResult, element, {}}});
    return scope({make({Array{kResult, element, {}}}), make({Assign{result, {}, made.value}}),
                  make({Assign{kept(to->buffer, 0, {}), {}, result}}),
                  make({If{isOwn(true), make({Assign{assign->target, {}, result}}), nullptr}})});
  }

  Expr expr(const Expr &e) override {
    const Element *cell = as<Element>(e);
    if (cell && assign_ && cell->access >= 0)
      for (const kernel::TimeSteps::Read &read : steps_.reads)
        if (read.statement == assign_->statement && read.access == cell->access &&
            (read.behind == 0 || !isFirst_))
          return windows_ && read.behind ? windows_->at(cell->buffer).cell(away(read))
                                         : kept(cell->buffer, read.behind, away(read));
    return Mutator::expr(e);
  }

  /// Stores the point's results in the group's memory.
  NodePtr keeps() const {
    std::vector<NodePtr> all;
    for (const Result &r : results)
      all.push_back(make({Assign{kept(r.buffer, 0, {}), {}, resultOf(r)}}));
    return block(std::move(all));
  }
  /// Stores those of the group's own points in the matrices.
  NodePtr stores() const {
    std::vector<NodePtr> all;
    for (const Result &r : results)
      all.push_back(make({If{isInOwnBox(), make({Assign{r.target, {}, resultOf(r)}}), nullptr}}));
    return block(std::move(all));
  }
  /// The same of what is in the group's memory.
  NodePtr storesOfKept() const {
    std::vector<NodePtr> all;
    for (const Result &r : results)
      all.push_back(make({If{isInOwnBox(), make({Assign{r.target, {}, kept(r.buffer, 0, {})}}), nullptr}}));
    return block(std::move(all));
  }
  std::vector<Result> results;
  bool hasOthers = false; // it writes matrices of which the group keeps nothing

private:
  Expr resultOf(const Result &r) const {
    return make(
        Expression{Local{r.name, kernel_.buffers[static_cast<std::size_t>(r.buffer)].element, {number_}}});
  }

  std::vector<Expr> away(const kernel::TimeSteps::Read &read) const {
    const kernel::Statement &s = kernel_.statements[static_cast<std::size_t>(read.statement)];
    std::vector<Expr> all;
    for (const isl::pw_aff &distance : read.away)
      all.push_back(expression(indexExpression(distance, s.domain), assign_->dimensions));
    return all;
  }

  /// The group's cell of this point, or of one that lies so far away.
  Expr kept(int buffer, int behind, const std::vector<Expr> &away) const {
    return stepMemoryCell(steps_, kernel_.buffers[static_cast<std::size_t>(buffer)], behind, away);
  }

  Expr isInOwnBox() const {
    Expr all;
    for (std::size_t k = 0; k < steps_.reach.size(); ++k) {
      const Expr item = index(alongAxis("item", k));
      all = both(all, arithmetic(Op::LessEqual, {index(alongAxis("begin", k)), item}));
      all = both(all, less(item, index(alongAxis("end", k))));
    }
    return all;
  }

  /// Whether the group stores what the point writes.
  Expr isOwn(bool isOverwritten) const {
    return isOverwritten && steps_.slots ? both(isInOwnBox(), isLastRound()) : isInOwnBox();
  }

  static constexpr const char *kResult = "result";
  const kernel::Scheduled &kernel_;
  const kernel::TimeSteps &steps_;
  const bool isFirst_;
  const Expr number_;
  const Windows *const windows_;
  const Assign *assign_ = nullptr; // around the expression
};

class Steps {
public:
  explicit Steps(const kernel::Scheduled &kernel) : kernel_(kernel), steps_(*kernel.schedule.steps) {}

  NodePtr loops(const NodePtr &body) const {
    const Expr step = index("step");
    const auto at = [&](bool isFirst) {
      return Keeping(kernel_, isFirst)
          .node(replaced(body, {{"low0", step}, {"high0", add(step, integer(1))}}));
    };
    const Expr isFirst = arithmetic(Op::Equal, {step, limit("low0")});
    NodePtr all = make({If{isFirst, scope({at(true)}), scope({at(false)})}});
    all = make({If{isNeeded(), all, nullptr}});
    for (std::size_t k = 0; k < axes(); ++k)
      all = places(k, all);
    const std::vector<Inner> inside = inners(body);
    for (const Inner &one : inside)
      all = make({If{arithmetic(Op::Choose, {isFirst, one.isFirst ? index(one.name) : integer(0),
                                             one.isFirst ? integer(0) : index(one.name)}),
                     one.loops, all}});
    std::vector<NodePtr> round{defineRounds("more", subtract(subtract(limit("high0"), integer(1)), step))};
    for (std::size_t k = 0; k < axes(); ++k)
      needed(k, round);
    round.push_back(all);
    round.push_back(make({Barrier{}}));
    all = make({For{"step", limit("low0"), less(step, limit("high0")), nullptr, block(std::move(round))}});
    for (std::size_t k = 0; k < axes(); ++k)
      all = make({Parallel{Parallel::Over::Items, static_cast<int>(k), alongAxis("lane", k), integer(0),
                           nullptr, all}});
    std::vector<NodePtr> group;
    group.push_back(defineRounds("past", subtract(subtract(limit("high0"), limit("low0")), integer(1))));
    for (std::size_t k = 0; k < axes(); ++k)
      own(k, group);
    for (const Inner &one : inside)
      group.push_back(define(one.name, one.condition));
    group.push_back(all);
    all = block(std::move(group));
    for (std::size_t k = 0; k < axes(); ++k)
      all = make({Parallel{Parallel::Over::Groups, static_cast<int>(k), alongAxis("group", k), integer(0),
                           nullptr, all}});
    std::vector<NodePtr> kernel = arrays();
    kernel.push_back(all);
    return block(std::move(kernel));
  }

private:
  /// The round of a group at whose places all points do the same: what an item reads comes before what it writes, so that it reads a cell
  /// for several of its points once. They lie in columns, of places side by side along all axes but the first. Points near the edge
  /// of the group's memory are computed of cells that have no meaning, and are no points that anyone needs.
  struct Inner {
    std::string name; // of the number that says so
    bool isFirst;     // in the first round of a launch, or in later ones
    NodePtr loops;
    Expr condition; // that the group is such a one
  };

  /// The first round of the first launch may be another one than those of later launches.
  std::vector<Inner> inners(const NodePtr &body) const {
    std::vector<Inner> all;
    for (Inner one : {inner("isInside", body, false, ""), inner("isInsideAtFirst", body, true, ""),
                      inner("isInsideAtBegin", body, true, "step")})
      if (one.loops)
        all.push_back(std::move(one));
    return all;
  }

  /// Without loops if the points do not all do the same.
  Inner inner(const char *name, const NodePtr &body, bool isFirst, const std::string &other) const {
    const Expr step = index("step");
    const NodePtr ofStep = replaced(body, {{"low0", step}, {"high0", add(step, integer(1))}});
    Corners corners{{"step",
                     {isFirst ? limit("low0") : add(limit("low0"), integer(1)),
                      isFirst ? limit("low0") : subtract(limit("high0"), integer(1))}}};
    Expr condition;
    for (std::size_t k = 0; k < axes(); ++k) {
      const Expr origin = index(alongAxis("origin", k)),
                 last = subtract(add(origin, placesAlong(k)), integer(1));
      corners[alongAxis("item", k)] = {origin, last};
      condition = both(condition, arithmetic(Op::LessEqual, {low(k), origin}));
      condition = both(condition, less(last, high(k)));
    }
    const std::optional<StraightBody> straight = straightInBox(ofStep, corners, other);
    if (!straight || !Harmless::of(straight->body))
      return {name, isFirst, nullptr, nullptr};
    if (straight->condition)
      condition = both(condition, grouped(straight->condition));
    Expr number, count;
    for (std::size_t k = axes(); k-- > 0;) {
      const Expr cell = index(alongAxis("cell", k)), cells = ofMachine(alongAxis("PB_C", k));
      number = number ? add(multiply(grouped(number), cells), cell) : cell;
      count = count ? multiply(count, cells) : cells;
    }
    const auto numbered = [&](NodePtr of) {
      return block({define("number", number, Let::Within::Places), std::move(of)});
    };
    Keeping keeping(kernel_, isFirst, index("number"));
    const NodePtr values = numbered(keeping.node(straight->body));
    if (keeping.hasOthers || keeping.results.empty())
      return {name, isFirst, nullptr, nullptr};
    std::vector<NodePtr> all;
    for (const Keeping::Result &r : keeping.results)
      all.push_back(
          make({Array{r.name, kernel_.buffers[static_cast<std::size_t>(r.buffer)].element, {count}}}));
    std::vector<NodePtr> inWindows = all;
    all.push_back(cells(values));
    all.push_back(cells(numbered(keeping.keeps())));
    const NodePtr stores = cells(numbered(keeping.stores()));
    all.push_back(steps_.slots ? make({If{isLastRound(), scope({stores}), nullptr}}) : stores);
    NodePtr round = scope(std::move(all));
    if (!isFirst && fillWindows(straight->body, numbered, inWindows))
      round = make({If{StepWindow::isOfUse(steps_), scope(std::move(inWindows)), round}});
    return {name, isFirst, round, condition};
  }

  /// Appends the round of a group whose items have windows. False: some distance is not known. In the last round, neighbouring items store
  /// neighbouring cells, which are those of other items.
  template <class Numbered>
  bool fillWindows(const NodePtr &body, const Numbered &numbered, std::vector<NodePtr> &to) const {
    Keeping::Windows windows;
    for (const int buffer : steps_.kept)
      if (!windows.emplace(buffer, StepWindow(kernel_, buffer)).first->second.exists())
        return false;
    for (const auto &[buffer, window] : windows)
      for (NodePtr &node : window.fill())
        to.push_back(std::move(node));
    Keeping keeping(kernel_, false, index("number"), &windows);
    to.push_back(StepWindow::overCells(axes(), numbered(keeping.node(body))));
    to.push_back(StepWindow::overCells(axes(), numbered(keeping.keeps())));
    const NodePtr stores = scope({make({Barrier{}}), cells(keeping.storesOfKept())});
    to.push_back(steps_.slots ? make({If{isLastRound(), stores, nullptr}}) : stores);
    return true;
  }

  /// The item's places, one after the other.
  NodePtr cells(NodePtr body) const {
    for (std::size_t k = 0; k < axes(); ++k) {
      const Expr cell = index(alongAxis("cell", k)), count = ofMachine(alongAxis("PB_C", k)),
                 lane = index(alongAxis("lane", k)), place = index(alongAxis("place", k));
      const Expr at =
          k == 0 ? add(lane, multiply(cell, ofMachine("PB_G0"))) : add(multiply(lane, count), cell);
      body = make({For{alongAxis("cell", k),
                       integer(0),
                       less(cell, count),
                       nullptr,
                       scope({define(alongAxis("place", k), at, Let::Within::Places),
                              define(alongAxis("item", k), add(index(alongAxis("origin", k)), place)), body}),
                       {},
                       {.unrolling = Hint::Unrolling::Fully}}});
    }
    return body;
  }

  std::size_t axes() const { return steps_.reach.size(); }
  static Expr low(std::size_t k) { return limit(alongAxis("low", k + 1)); }
  static Expr high(std::size_t k) { return limit(alongAxis("high", k + 1)); }

  std::vector<NodePtr> arrays() const {
    std::vector<NodePtr> all;
    for (const int number : steps_.kept) {
      const kernel::Buffer &b = kernel_.buffers[static_cast<std::size_t>(number)];
      all.push_back(
          make({Array{stepMemoryName(b), b.element, {stepMemoryCells(steps_)}, false, Array::Space::Group}}));
    }
    return all;
  }

  /// The box of the group's own points, and where its memory begins.
  void own(std::size_t k, std::vector<NodePtr> &to) const {
    const Expr size = grouped(subtract(placesAlong(k), haloOf("past", 2 * steps_.reach[k])));
    to.push_back(define(alongAxis("begin", k), add(low(k), multiply(index(alongAxis("group", k)), size))));
    const Expr begin = index(alongAxis("begin", k));
    to.push_back(define(alongAxis("end", k), minimum(add(begin, size), high(k))));
    to.push_back(define(alongAxis("origin", k), subtract(begin, haloOf("past", steps_.reach[k]))));
  }

  /// The box of the points that are needed in a round.
  void needed(std::size_t k, std::vector<NodePtr> &to) const {
    const Expr halo = haloOf("more", steps_.reach[k]);
    to.push_back(define(alongAxis("from", k), maximum(low(k), subtract(index(alongAxis("begin", k)), halo))));
    to.push_back(define(alongAxis("to", k), minimum(high(k), add(index(alongAxis("end", k)), halo))));
  }

  Expr isNeeded() const {
    Expr all;
    for (std::size_t k = 0; k < axes(); ++k) {
      const Expr item = index(alongAxis("item", k));
      all = both(all, arithmetic(Op::LessEqual, {index(alongAxis("from", k)), item}));
      all = both(all, less(item, index(alongAxis("to", k))));
    }
    return all;
  }

  static NodePtr places(std::size_t k, const NodePtr &body) {
    const std::string place = alongAxis("place", k);
    const NodePtr item = define(alongAxis("item", k), add(index(alongAxis("origin", k)), index(place)));
    return make({For{place, index(alongAxis("lane", k)), less(index(place), placesAlong(k)),
                     ofMachine(alongAxis("PB_G", k)), block({item, body})}});
  }

  const kernel::Scheduled &kernel_;
  const kernel::TimeSteps &steps_;
};

} // namespace

NodePtr forEachStep(const kernel::Scheduled &kernel, const NodePtr &body) {
  return Steps(kernel).loops(body);
}

} // namespace pbc::loop
