// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/walk.h"

namespace pbc::loop {
namespace {

/// The expressions and nodes directly below, as references that a Mutator can replace in a copy. Each kind is listed
/// once, here.
template <class Each>
struct Operands {
  const Each &each;

  void all(auto &many) const {
    for (auto &one : many)
      each(one);
  }
  void operator()(auto &) const {} // Integer, Name, Literal, Infinity
  template <class T>
    requires requires(T &t) { t.operands; }
  void operator()(T &t) const {
    all(t.operands);
  }
  template <class T>
    requires requires(T &t) { t.indices; }
  void operator()(T &t) const {
    all(t.indices);
  }
  template <class T>
    requires requires(T &t) { t.operand; }
  void operator()(T &t) const {
    each(t.operand);
  }
  template <class T>
    requires std::is_same_v<std::remove_const_t<T>, CellsToLine>
  void operator()(T &t) const {
    each(t.cell);
    each(t.most);
  }
  template <class T>
    requires std::is_same_v<std::remove_const_t<T>, CellVector>
  void operator()(T &t) const {
    each(t.cell);
  }
  template <class T>
    requires std::is_same_v<std::remove_const_t<T>, StripValue>
  void operator()(T &t) const {
    each(t.step);
  }
};

template <class N, class K>
concept Is = std::is_same_v<std::remove_const_t<N>, K>;

/// The same for nodes: `expr` for expressions, `node` for nodes.
template <class OnExpr, class OnNode>
struct Parts {
  const OnExpr &expr;
  const OnNode &node;

  void optional(auto &e) const {
    if (e)
      expr(e);
  }
  void operator()(Is<Block> auto &b) const {
    for (auto &one : b.nodes)
      node(one);
  }
  void operator()(Is<For> auto &f) const {
    optional(f.begin);
    optional(f.condition);
    optional(f.step);
    node(f.body);
  }
  void operator()(Is<If> auto &i) const {
    expr(i.condition);
    node(i.then);
    if (i.otherwise)
      node(i.otherwise);
  }
  void operator()(Is<Let> auto &l) const {
    for (auto &v : l.variables)
      expr(v.value);
  }
  void operator()(Is<Array> auto &a) const {
    for (auto &e : a.extents)
      expr(e);
  }
  void operator()(Is<Assign> auto &a) const {
    expr(a.target);
    expr(a.value);
    for (auto &d : a.dimensions)
      expr(d);
  }
  void operator()(Is<Call> auto &c) const {
    optional(c.result);
    for (auto &one : c.arguments)
      std::visit([this](auto &a) { argument(a); }, one);
  }
  void operator()(Is<Barrier> auto &) const {}
  void operator()(Is<Shuffle> auto &s) const {
    expr(s.value);
    expr(s.lanes);
  }
  void operator()(Is<Vote> auto &v) const { expr(v.condition); }
  void operator()(Is<Prefetch> auto &p) const { expr(p.cells); }
  void operator()(Is<TurnedRows> auto &t) const {
    expr(t.first);
    expr(t.next);
    expr(t.array);
    optional(t.cells);
  }
  void operator()(Is<Comment> auto &) const {}
  void operator()(Is<Points> auto &p) const {
    for (auto &axis : p.axes) {
      expr(axis.low);
      expr(axis.high);
    }
    node(p.body);
  }
  void operator()(Is<Cells> auto &c) const {
    for (auto &axis : c.axes) {
      expr(axis.low);
      expr(axis.high);
    }
    node(c.body);
  }
  void operator()(Is<GroupCopy> auto &c) const {
    for (auto &first : c.first)
      expr(first);
    optional(c.condition);
  }
  void operator()(Is<Parallel> auto &p) const {
    expr(p.begin);
    optional(p.end);
    node(p.body);
  }
  void operator()(Is<BlockOfPoints> auto &b) const {
    for (auto *e : {&b.yBegin, &b.yEnd, &b.xBegin, &b.xEnd})
      expr(*e);
    if (b.depth) {
      expr(b.depth->begin);
      expr(b.depth->end);
      if (b.depth->change)
        expr(b.depth->change);
      for (auto &strip : b.depth->strips) {
        expr(strip.first);
        if (strip.folded)
          expr(strip.folded);
      }
    }
    node(b.cells);
  }

private:
  void argument(Is<Call::Coordinate> auto &a) const { expr(a.value); }
  void argument(Is<Call::Number> auto &a) const { expr(a.value); }
  void argument(Is<Call::Place> auto &a) const { expr(a.cell); }
  void argument(Is<Call::View> auto &a) const {
    expr(a.first);
    for (auto &e : a.extents)
      expr(e);
  }
};

template <class OnExpr, class OnNode>
void visitParts(auto &as, const OnExpr &onExpr, const OnNode &onNode) {
  std::visit(Parts<OnExpr, OnNode>{onExpr, onNode}, as);
}

struct Search : Visitor {
  const std::string &name;
  bool found = false;
  explicit Search(const std::string &name) : name(name) {}
  void node(const NodePtr &n) override {
    if (!found)
      Visitor::node(n);
  }
  void expr(const Expr &e) override {
    const Name *one = as<Name>(e);
    found |= one && one->kind != Name::Kind::Value && one->name == name;
    if (!found)
      Visitor::expr(e);
  }
};

struct Replace : Mutator {
  const Replacements &by;
  explicit Replace(const Replacements &by) : by(by) {}
  Expr expr(const Expr &e) override {
    if (const Name *one = as<Name>(e); one && one->kind != Name::Kind::Value)
      for (const auto &[name, value] : by)
        if (one->name == name)
          return grouped(value);
    if (const Grouped *g = as<Grouped>(e)) {
      const Expr inner = expr(g->operand);
      return inner == g->operand ? e : grouped(inner);
    }
    return Mutator::expr(e);
  }
};

} // namespace

void Visitor::node(const NodePtr &n) {
  visitParts(n->as, [this](const Expr &e) { expr(e); }, [this](const NodePtr &c) { node(c); });
}
void Visitor::expr(const Expr &e) {
  const auto each = [this](const Expr &operand) { expr(operand); };
  std::visit(Operands<decltype(each)>{each}, e->as);
}

NodePtr Mutator::node(const NodePtr &n) {
  bool isSame = true;
  Node copy = *n;
  const auto change = [&](auto &part, auto changed) {
    isSame &= changed == part;
    part = std::move(changed);
  };
  visitParts(copy.as, [&](Expr &e) { change(e, expr(e)); }, [&](NodePtr &c) { change(c, node(c)); });
  return isSame ? n : make(std::move(copy));
}

Expr Mutator::expr(const Expr &e) {
  bool isSame = true;
  Expression copy = *e;
  const auto each = [&](Expr &operand) {
    Expr changed = expr(operand);
    isSame &= changed == operand;
    operand = std::move(changed);
  };
  std::visit(Operands<decltype(each)>{each}, copy.as);
  return isSame ? e : make(std::move(copy));
}

bool mentions(const Expr &e, const std::string &name) {
  Search search(name);
  search.expr(e);
  return search.found;
}
bool mentions(const NodePtr &n, const std::string &name) {
  Search search(name);
  search.node(n);
  return search.found;
}

bool branchesOn(const NodePtr &body, const std::string &iterator) {
  struct Conditions : Visitor {
    const std::string &iterator;
    bool found = false;
    explicit Conditions(const std::string &iterator) : iterator(iterator) {}
    void node(const NodePtr &n) override {
      if (const If *branch = as<If>(n))
        found |= mentions(branch->condition, iterator);
      if (!found)
        Visitor::node(n);
    }
    void expr(const Expr &) override {}
  } conditions(iterator);
  conditions.node(body);
  return conditions.found;
}

Expr replaced(const Expr &e, const Replacements &by) { return Replace(by).expr(e); }
NodePtr replaced(const NodePtr &n, const Replacements &by) { return Replace(by).node(n); }

bool callsBodies(const NodePtr &n) {
  struct Find : Visitor {
    bool isFound = false;
    void node(const NodePtr &one) override {
      isFound |= as<Call>(one) != nullptr;
      Visitor::node(one);
    }
  } find;
  find.node(n);
  return find.isFound;
}

} // namespace pbc::loop
