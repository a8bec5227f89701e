// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/print.h"
#include "compiler/loop/operators.h"
#include <string_view>

namespace pbc::loop {
namespace {

/// How tight an operator binds; an operand of an operator that binds tighter is in parentheses.
enum Binding { kLoose, kChoice, kEither, kBoth, kSame, kCompared, kSummed, kMultiplied, kPrefixed, kAlone };

struct Symbol {
  std::string_view text;
  Binding binding;
};

Symbol symbolOf(Arithmetic::Op op) {
  using Op = Arithmetic::Op;
  switch (op) {
  case Op::Add:
    return {"+", kSummed};
  case Op::Further:
    return {"+", kMultiplied};
  case Op::Subtract:
    return {"-", kSummed};
  case Op::Multiply:
    return {"*", kMultiplied};
  case Op::Divide:
    return {"/", kMultiplied};
  case Op::Modulo:
    return {"mod", kMultiplied};
  case Op::Negate:
    return {"-", kPrefixed};
  case Op::Choose:
    return {"?", kChoice};
  case Op::And:
    return {"and", kBoth};
  case Op::Or:
    return {"or", kEither};
  case Op::Equal:
    return {"=", kSame};
  case Op::Less:
    return {"<", kCompared};
  case Op::LessEqual:
    return {"<=", kCompared};
  case Op::Greater:
    return {">", kCompared};
  case Op::GreaterEqual:
    return {">=", kCompared};
  case Op::FloorDivide:
    return {"floor_div", kAlone};
  case Op::Minimum:
    return {"min", kAlone};
  case Op::Maximum:
    return {"max", kAlone};
  }
  return {};
}

Binding bindingOf(const Operation &o) {
  using Op = Operation::Op;
  if (o.operands.size() == 1)
    return kPrefixed;
  switch (o.op) {
  case Op::Add:
  case Op::Subtract:
    return kSummed;
  case Op::Multiply:
  case Op::Divide:
  case Op::Modulo:
    return kMultiplied;
  case Op::Less:
  case Op::LessEqual:
  case Op::Greater:
  case Op::GreaterEqual:
    return kCompared;
  case Op::Equal:
  case Op::NotEqual:
    return kSame;
  case Op::And:
    return kBoth;
  case Op::Or:
    return kEither;
  default:
    return kLoose;
  }
}

class Expressions {
public:
  explicit Expressions(const std::vector<Matrix> &buffers) : buffers_(buffers) {}

  std::string text(const Expr &e, int atLeast = kLoose) const {
    const auto [text, binding] = std::visit([this](const auto &kind) { return one(kind); }, e->as);
    return binding < atLeast ? "(" + text + ")" : text;
  }

  std::string list(const std::vector<Expr> &all) const {
    std::string text;
    for (const Expr &e : all)
      text += (text.empty() ? "" : ", ") + this->text(e);
    return text;
  }

  const std::string &nameOf(int buffer) const { return buffers_[static_cast<std::size_t>(buffer)].name; }

private:
  struct Text {
    std::string text;
    int binding;
  };

  Text infix(const std::vector<Expr> &operands, std::string_view symbol, int binding) const {
    if (operands.size() == 1)
      return {std::string(symbol) + text(operands[0], kAlone), binding};
    if (operands.size() == 3)
      return {text(operands[0], kEither) + " ? " + text(operands[1], kEither) + " : " +
                  text(operands[2], kEither),
              kChoice};
    const int atLeast =
        binding == kLoose ? kSame : binding; // of bits, which C binds in an order that few know
    return {text(operands[0], atLeast) + " " + std::string(symbol) + " " + text(operands[1], atLeast + 1),
            binding};
  }

  Text one(const Integer &i) const { return {std::to_string(i.value), i.value < 0 ? kPrefixed : kAlone}; }
  Text one(const Name &n) const { return {n.name, kAlone}; }
  Text one(const Arithmetic &a) const {
    const Symbol symbol = symbolOf(a.op);
    if (symbol.binding == kAlone)
      return {std::string(symbol.text) + "(" + list(a.operands) + ")", kAlone};
    return infix(a.operands, symbol.text, symbol.binding);
  }
  Text one(const Grouped &g) const { return {"(" + text(g.operand) + ")", kAlone}; }
  Text one(const Element &e) const {
    return {buffers_[static_cast<std::size_t>(e.buffer)].name + "[" + list(e.indices) + "]", kAlone};
  }
  Text one(const Local &l) const {
    return {l.indices.empty() ? l.name : l.name + "[" + list(l.indices) + "]", kAlone};
  }
  Text one(const Literal &l) const { return {l.text, l.text.starts_with('-') ? kPrefixed : kAlone}; }
  Text one(const Infinity &i) const { return {std::string("infinity:") + body::cxxType(i.type), kAlone}; }
  Text one(const Operation &o) const { return infix(o.operands, spelling(o.op), bindingOf(o)); }
  Text one(const Cast &c) const {
    return {std::string(body::cxxType(c.type)) + "(" + text(c.operand) + ")", kAlone};
  }
  Text one(const Function &f) const {
    return {(f.hasVectors ? "vector " : "") + f.name + "(" + list(f.operands) + ")", kAlone};
  }
  Text one(const Partial &p) const { return {"partial[" + text(p.operand) + "]", kAlone}; }
  Text one(const CellsToLine &c) const {
    return {"cells_to_line(" + text(c.cell) + ", " + text(c.most) + ")", kAlone};
  }
  Text one(const IsStreamed &s) const {
    return {"streams " + buffers_[static_cast<std::size_t>(s.buffer)].name + (s.always ? "" : " if large"),
            kAlone};
  }
  Text one(const StripCells &s) const {
    return {"cells of a vector of " + std::string(body::cxxType(s.type)) + ", at most " +
                std::to_string(s.most),
            kAlone};
  }
  Text one(const CellsIntoBlock &c) const { return {"cells_into_block(" + text(c.operand) + ")", kAlone}; }
  Text one(const CellVector &c) const {
    return {(c.down                  ? "vectors turned "
             : c.apart.parts.empty() ? "vector "
                                     : "vector apart ") +
                text(c.cell),
            kAlone};
  }
  Text one(const Spread &s) const { return {"spread(" + text(s.operand) + ")", kAlone}; }
  Text one(const StripValue &s) const {
    return {"strip" + std::to_string(s.strip) + "[" + text(s.step) + "]", kAlone};
  }
  Text one(const KeptValue &k) const { return {"kept" + std::to_string(k.scalar), kAlone}; }

  const std::vector<Matrix> &buffers_;
};

class Printer {
public:
  explicit Printer(const std::vector<Matrix> &buffers) : expressions_(buffers) {}

  std::string print(const NodePtr &n) {
    node(n, "");
    return std::move(out_);
  }

private:
  std::string text(const Expr &e) const { return expressions_.text(e); }
  void line(const std::string &indent, const std::string &text) { out_ += indent + text + "\n"; }
  void node(const NodePtr &n, const std::string &indent) {
    std::visit([&](const auto &kind) { one(kind, indent); }, n->as);
  }
  void inside(const NodePtr &n, const std::string &indent) { node(n, indent + "  "); }

  void one(const Block &b, const std::string &indent) {
    if (b.isScope)
      line(indent, "scope");
    for (const NodePtr &child : b.nodes)
      node(child, b.isScope ? indent + "  " : indent);
  }

  static std::string hints(const Hint &h) {
    std::string text;
    const auto add = [&](const std::string &word) { text += (text.empty() ? " {" : ", ") + word; };
    if (h.vectors != Hint::Vectors::AsItLikes)
      add(h.vectors == Hint::Vectors::Always ? "vectors" : "no vectors");
    if (h.width)
      add(std::to_string(h.width) + " wide");
    if (h.interleave)
      add(std::to_string(h.interleave) + " at once");
    if (h.unrolling != Hint::Unrolling::AsItLikes)
      add(h.unrolling == Hint::Unrolling::Fully ? "written out" : "rolled");
    return text.empty() ? "" : text + "}";
  }

  void one(const For &f, const std::string &indent) {
    std::string head = (f.condition ? "for " : "once ") + f.iterator;
    if (f.begin)
      head += " = " + text(f.begin);
    if (f.condition)
      head += "; " + text(f.condition);
    if (f.step && !isInteger(f.step, 1))
      head += "; step " + text(f.step);
    line(indent, head + (f.how ? " [" + kernel::text(*f.how) + "]" : "") + hints(f.hint));
    inside(f.body, indent);
  }

  void one(const If &i, const std::string &indent) {
    line(indent, "if " + text(i.condition));
    inside(i.then, indent);
    if (!i.otherwise)
      return;
    line(indent, "else");
    inside(i.otherwise, indent);
  }

  void one(const Let &l, const std::string &indent) {
    std::string all;
    for (const Let::Variable &v : l.variables)
      all += (all.empty() ? "" : ", ") + v.name + " = " + text(v.value);
    line(indent, std::string(l.isConstant ? "let " : "var ") +
                     (l.type ? body::cxxType(*l.type) + std::string(" ") : "") + all);
  }

  void one(const Array &a, const std::string &indent) {
    std::string head = a.space == Array::Space::Group   ? "group array "
                       : a.space == Array::Space::Task  ? "task array "
                       : a.space == Array::Space::Sized ? "sized array "
                                                        : "array ";
    head += (a.ofVectors ? "vector " : "") + std::string(body::cxxType(a.element)) + " " + a.name;
    line(indent, a.extents.empty() ? head : head + "[" + expressions_.list(a.extents) + "]");
  }

  void one(const Assign &a, const std::string &indent) {
    line(indent, text(a.target) + " " + (a.op ? std::string(spelling(*a.op)) : "") + "= " + text(a.value));
  }

  std::string argument(const Call::Argument &argument) const {
    if (const auto *c = std::get_if<Call::Coordinate>(&argument))
      return text(c->value);
    if (const auto *n = std::get_if<Call::Number>(&argument))
      return text(n->value);
    if (const auto *p = std::get_if<Call::Place>(&argument))
      return "place " + text(p->cell);
    const auto &v = std::get<Call::View>(argument);
    std::string along;
    for (std::size_t k = 0; k < v.dimensions.size(); ++k)
      along += (k ? ", " : " along ") + std::to_string(v.dimensions[k]) + " by " + text(v.extents[k]);
    return (v.isOutput ? "view to write " : "view ") + text(v.first) + along;
  }

  void one(const Call &c, const std::string &indent) {
    std::string all;
    for (const Call::Argument &a : c.arguments)
      all += (all.empty() ? "" : ", ") + argument(a);
    line(indent, (c.result ? text(c.result) + " = " : "") + "call " + c.function + "(" + all + ")");
  }

  void one(const Barrier &, const std::string &indent) { line(indent, "barrier"); }
  void one(const Shuffle &s, const std::string &indent) {
    line(indent, std::string("shuffle ") + body::cxxType(s.type) + " " + s.name + " = " + text(s.value) +
                     " of " + text(s.lanes) + (s.isBefore ? " lanes before" : " lanes further"));
  }
  void one(const Vote &v, const std::string &indent) {
    line(indent, v.name + " = all of the warp: " + text(v.condition));
  }
  void one(const Prefetch &p, const std::string &indent) {
    line(indent, (p.isWritten ? "prefetch to write " : "prefetch ") + text(p.cells) +
                     (p.cache == 2 ? " into the second cache" : ""));
  }
  void one(const TurnedRows &t, const std::string &indent) {
    const std::string rows = text(t.cells) + " cells of " + std::to_string(t.count) + " rows from " +
                             text(t.first) + " on, turned";
    line(indent, t.isBack ? rows + " = " + text(t.array) : text(t.array) + " = " + rows);
  }
  void one(const Comment &c, const std::string &indent) { line(indent, "# " + c.text); }

  void one(const Parallel &p, const std::string &indent) {
    static constexpr const char *kOver[] = {"tasks", "launch",           "groups",
                                            "items", "items of a group", "lanes"};
    line(indent, std::string("parallel ") + kOver[static_cast<int>(p.over)] + " " + std::to_string(p.axis) +
                     ": " + p.iterator + " = " + text(p.begin) +
                     (p.end ? "; " + p.iterator + " < " + text(p.end) : ""));
    inside(p.body, indent);
  }

  void one(const Points &p, const std::string &indent) {
    std::string all;
    for (const Points::Axis &axis : p.axes)
      all += (all.empty() ? "" : ", ") + axis.item + " from " + text(axis.low) + " to " + text(axis.high) +
             (axis.each == kernel::as::Item::Each::Block  ? " in blocks"
              : axis.each == kernel::as::Item::Each::Run  ? " in runs"
              : axis.each == kernel::as::Item::Each::Turn ? " in turns"
                                                          : "");
    line(indent, "points " + all);
    inside(p.body, indent);
  }

  void one(const Cells &c, const std::string &indent) {
    std::string all;
    for (const Cells::Axis &axis : c.axes)
      all += (all.empty() ? " " : ", ") + axis.item + " from " + text(axis.low) + " to " + text(axis.high);
    line(indent, "cells" + all + (c.areNeighbours ? " beside each other" : ""));
    inside(c.body, indent);
  }

  void one(const GroupCopy &c, const std::string &indent) {
    line(indent, "fill " + expressions_.nameOf(c.to) + " from " + expressions_.nameOf(c.from) + "[" +
                     expressions_.list(c.first) + "]" +
                     (c.stored ? ", symmetric " + std::string(kernel::nameOf(*c.stored)) : ""));
  }

  void one(const BlockOfPoints &b, const std::string &indent) {
    line(indent, "block of points " + b.y + " = " + text(b.yBegin) + " to " + text(b.yEnd) + ", " + b.x +
                     " = " + text(b.xBegin) + " to " + text(b.xEnd));
    const std::string in = indent + "  ";
    if (b.depth) {
      const BlockOfPoints::Depth &d = *b.depth;
      line(in, "steps " + text(d.begin) + " to " + text(d.end) + (d.isUneven ? ", uneven" : "") +
                   (d.isStrided ? ", strided" : "") + (d.isResumed ? ", resumed" : "") +
                   (d.behind ? ", behind " + text(d.behind) : ""));
      for (std::size_t k = 0; k < d.strips.size(); ++k)
        line(in,
             "strip" + std::to_string(k) + (d.strips[k].isAlongX ? " along x: " : " along y: ") +
                 text(d.strips[k].first) + (d.strips[k].folded ? ", as " + text(d.strips[k].folded) : "") +
                 (d.strips[k].then < 0
                      ? ""
                      : ", from step " + text(d.change) + " on strip" + std::to_string(d.strips[k].then)));
    }
    node(b.cells, in);
  }

  Expressions expressions_;
  std::string out_;
};

} // namespace

std::string text(const Nest &nest) { return text(nest, nest.body); }
std::string text(const Nest &nest, const NodePtr &body) { return Printer(nest.buffers).print(body); }
std::string text(const Nest &nest, const Expr &e) { return Expressions(nest.buffers).text(e); }

} // namespace pbc::loop
