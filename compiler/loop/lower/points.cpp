// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The points of a launch as loops of each item. What is the same for all points of an item is done once.
//
//   points item0 in blocks { s = 0; for k { s += strip[place0, k] }; C[item0] = s }
//   =>  first0 = low0 + group0 * (PB_G0 * PB_C0); array s[PB_C0]
//       for r0 < PB_C0 { s[r0] = 0 }
//       for k { for r0 < PB_C0 { place0 = ..; s[r0] += strip[place0, k] } }
//       for r0 < PB_C0 { place0 = ..; item0 = min(first0 + place0, high0 - 1); if first0 + place0 < high0 { C[item0] = s[r0] } }
//
// Neighbouring items have neighbouring runs of 4, 2 or 1 points, as the size of the block allows: what they read of a group's memory is
// contiguous for each of them, and falls into different banks. Points beyond the end compute what the last one does, so that all items
// reach each barrier; they store nothing. Source: petabricks-hetero, requirements 97 and 98.
#include "compiler/loop/lower/pass.h"
#include <algorithm>
#include <set>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

/// What an item does for each of its points.
class OfItem {
public:
  explicit OfItem(const Points &points) : points_(points) {}

  NodePtr all() {
    std::vector<NodePtr> body;
    for (std::size_t k = 0; k < points_.axes.size(); ++k) {
      const Points::Axis &axis = points_.axes[k];
      if (axis.isBlock)
        body.push_back(let(number("run", k), runOf(k)));
      else
        declarePoint(body, k, index(number("lane", k)));
    }
    body.push_back(spread(points_.body));
    NodePtr made = block(std::move(body));
    for (std::size_t k = 0; k < points_.axes.size(); ++k) {
      const Points::Axis &axis = points_.axes[k];
      const int a = static_cast<int>(k);
      const Expr before = multiply(index(number("group", k)), grouped(pointsOfGroup(a, axis.isBlock)));
      made = make({Parallel{Parallel::Over::Items, a, number("lane", k), integer(0), nullptr, made}});
      made = block({let(axis.first, add(axis.low, before)), made});
      made = make({Parallel{Parallel::Over::Groups, a, number("group", k), integer(0), nullptr, made}});
    }
    return made;
  }

private:
  static std::string number(const char *name, std::size_t k) { return name + std::to_string(k); }
  static NodePtr let(const std::string &name, Expr value) {
    return make({Let{.variables = {{name, std::move(value)}}, .mayBeUnused = true}});
  }

  /// How many neighbouring points of an item stand together.
  static Expr runOf(std::size_t k) {
    const Expr points = ofMachine(number("PB_C", k));
    const auto divides = [&](long n) {
      return arithmetic(Op::Equal, {arithmetic(Op::Modulo, {points, integer(n)}), integer(0)});
    };
    return arithmetic(Op::Choose,
                      {divides(4), integer(4), arithmetic(Op::Choose, {divides(2), integer(2), integer(1)})});
  }

  /// The place of point `r` of an item's block.
  static Expr placeOf(std::size_t k) {
    const Expr r = index(number("r", k)), run = index(number("run", k));
    const Expr before = multiply(grouped(arithmetic(Op::Divide, {r, run})),
                                 grouped(multiply(ofMachine(number("PB_G", k)), run)));
    return add(add(before, multiply(index(number("lane", k)), run)), arithmetic(Op::Modulo, {r, run}));
  }

  void declarePoint(std::vector<NodePtr> &to, std::size_t k, Expr place) const {
    const Points::Axis &axis = points_.axes[k];
    to.push_back(let(axis.place, std::move(place)));
    to.push_back(
        let(axis.item, minimum(add(index(axis.first), index(axis.place)), subtract(axis.high, integer(1)))));
  }

  Expr isInside() const {
    Expr all;
    for (const Points::Axis &axis : points_.axes) {
      const Expr one = less(add(index(axis.first), index(axis.place)), axis.high);
      all = all ? arithmetic(Op::And, {all, one}) : one;
    }
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
      for (const NodePtr &one : b->nodes)
        made.nodes.push_back(spread(one));
      return make({std::move(made)});
    }
    if (const For *f = as<For>(n); f && !differs(f->begin) && !differs(f->condition)) {
      For made = *f;
      made.body = spread(f->body);
      return make({std::move(made)});
    }
    if (const If *i = as<If>(n); i && !differs(i->condition))
      return make({If{i->condition, spread(i->then), i->otherwise ? spread(i->otherwise) : nullptr}});
    if (const Array *a = as<Array>(n); a && a->space == Array::Space::Own)
      return arrayOf(*a);
    if (as<GroupCopy>(n) || as<Barrier>(n) || as<Comment>(n) || as<Array>(n) || as<Let>(n))
      return n;
    return forEach(n);
  }

  /// One for each point of the item's block.
  NodePtr arrayOf(Array a) {
    std::vector<Expr> extents;
    for (std::size_t k = points_.axes.size(); k-- > 0;)
      if (points_.axes[k].isBlock)
        extents.push_back(ofMachine(number("PB_C", k)));
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
      return stores ? make({If{of.isInside(), made, nullptr}}) : made;
    }
    Expr expr(const Expr &e) override {
      Expr made = Mutator::expr(e);
      const Local *local = as<Local>(made);
      if (!local || !of.arrays_.contains(local->name))
        return made;
      Local own = *local;
      std::vector<Expr> at;
      for (std::size_t k = of.points_.axes.size(); k-- > 0;)
        if (of.points_.axes[k].isBlock)
          at.push_back(index(number("r", k)));
      own.indices.insert(own.indices.begin(), at.begin(), at.end());
      return make({std::move(own)});
    }
  };

  /// The loops over an item's points around the node.
  NodePtr forEach(const NodePtr &n) {
    NodePtr made = AtPoint(*this).node(n);
    std::vector<NodePtr> body;
    for (std::size_t k = 0; k < points_.axes.size(); ++k)
      if (points_.axes[k].isBlock)
        declarePoint(body, k, placeOf(k));
    if (body.empty())
      return made;
    body.push_back(std::move(made));
    made = block(std::move(body));
    for (std::size_t k = 0; k < points_.axes.size(); ++k)
      if (points_.axes[k].isBlock) {
        const std::string r = number("r", k);
        For loop{r, integer(0), less(index(r), ofMachine(number("PB_C", k))), nullptr, made};
        loop.hint.unrolling = Hint::Unrolling::Fully;
        made = make({std::move(loop)});
      }
    return made;
  }

  const Points &points_;
  std::set<std::string> arrays_; // that have an element for each point
};

struct PointLoops : LoopPass {
  using LoopPass::LoopPass;
  NodePtr node(const NodePtr &n) override {
    if (const Points *points = as<Points>(n))
      return OfItem(*points).all();
    return Mutator::node(n);
  }
};

} // namespace

NodePtr lowerPoints(const NodePtr &n, Lowering &lowering) { return PointLoops(lowering).node(n); }

} // namespace pbc::loop
