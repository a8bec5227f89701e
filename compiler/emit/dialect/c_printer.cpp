// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/dialect/c_printer.h"
#include "compiler/loop/operators.h"
#include <fmt/format.h>
#include <stdexcept>

namespace pbc::emit {

using loop::Expr;
using loop::NodePtr;

std::string CPrinter::text(const NodePtr &n, const std::string &indent) {
  return separately([&] { print(n, indent); });
}

void CPrinter::print(const NodePtr &n, const std::string &indent) {
  std::visit([&](const auto &kind) { node(kind, indent); }, n->as);
}

void CPrinter::node(const loop::Block &b, const std::string &indent) {
  out_ += b.isScope ? indent + "{\n" : "";
  const std::string inner = b.isScope ? indent + "  " : indent;
  for (const NodePtr &one : b.nodes)
    print(one, inner);
  out_ += b.isScope ? indent + "}\n" : "";
}

void CPrinter::node(const loop::For &f, const std::string &indent) {
  out_ += dialect_.hint(f.hint);
  out_ += indent + "for (";
  if (f.begin) {
    out_ += dialect_.index() + ' ' + f.iterator + " = ";
    put(f.begin);
  }
  out_ += "; ";
  put(f.condition);
  if (!f.step) {
    out_ += "; ++" + f.iterator;
  } else {
    out_ += "; " + f.iterator + " += ";
    put(f.step);
  }
  out_ += ") {\n";
  print(f.body, indent + "  ");
  out_ += indent + "}\n";
}

void CPrinter::node(const loop::If &i, const std::string &indent) {
  out_ += indent + "if (";
  put(i.condition);
  out_ += ") {\n";
  print(i.then, indent + "  ");
  out_ += indent + "}";
  if (i.otherwise) {
    out_ += " else {\n";
    print(i.otherwise, indent + "  ");
    out_ += indent + "}";
  }
  out_ += '\n';
}

void CPrinter::node(const loop::Let &l, const std::string &indent) {
  out_ += indent + (l.mayBeUnused ? dialect_.unused() : "") + (l.isConstant ? "const " : "");
  out_ += l.type ? dialect_.type(*l.type) : dialect_.index();
  for (const loop::Let::Variable &v : l.variables) {
    out_ += &v == &l.variables.front() ? " " : ", ";
    out_ += v.name + " = ";
    put(v.value);
  }
  out_ += ";\n";
}

/// "PB_G0 * 4"
std::string CPrinter::extent(const loop::Array &a) {
  std::string product;
  for (const Expr &e : a.extents)
    product += (product.empty() ? "" : " * ") + atom(e);
  return product;
}

void CPrinter::node(const loop::Array &a, const std::string &indent) {
  if (a.space == loop::Array::Space::Group) {
    out_ += indent + dialect_.localArray(dialect_.type(a.element), a.name + "_l", extent(a)) + ";\n";
    return;
  }
  if (a.space == loop::Array::Space::Sized) {
    const std::string type = dialect_.type(a.element);
    out_ += indent + dialect_.sizedArray(type, a.name + "_l", extent(a)) + ";\n";
    out_ += indent + type + " *const " + a.name + "_p = " + a.name + "_l.cells();\n";
    return;
  }
  const std::string type = dialect_.type(a.element);
  out_ += indent + (a.space == loop::Array::Space::Task ? dialect_.taskArray() : "") +
          (a.ofVectors ? "pb::Vector<" + type + ", W>" : type) + ' ' + a.name + "_l";
  for (const Expr &e : a.extents) {
    out_ += '[';
    put(e);
    out_ += ']';
  }
  out_ += ";\n";
}

void CPrinter::node(const loop::Assign &a, const std::string &indent) {
  out_ += indent;
  if (const auto *strip = loop::as<loop::StripValue>(a.target)) {
    out_ += "pb::keep<W, isPart>(pb__panels[" + std::to_string(strip->strip) + "], ";
    put(strip->step);
    out_ += ", pb__k0, pb__k1, v, ";
    put(a.value);
    out_ += ", pb__n - v * W);\n";
    return;
  }
  if (const auto *kept = loop::as<loop::KeptValue>(a.target)) {
    out_ += fmt::format("pb::store<W, false>({}, {}, W);\n", keptPlace(*kept), text(a.value));
    return;
  }
  const auto *from = loop::as<loop::CellVector>(a.value), *to = loop::as<loop::CellVector>(a.target);
  if ((from && from->down) || (to && to->down)) {
    const loop::CellVector &cells = to ? *to : *from;
    const std::string array = text(to ? a.value : a.target), place = address(cells.cell),
                      apart = distance(cells.apart, loop::as<loop::Element>(cells.cell)->buffer);
    out_ += fmt::format("pb::{}Turned<{}, isPart>({}, {}, {}, pb__n);\n", to ? "store" : "load", cells.down,
                        to ? place : array, to ? apart : place, to ? array : apart);
    return;
  }
  if (const auto *vector = loop::as<loop::CellVector>(a.target)) {
    putCellVector("store", *vector);
    out_ += ", ";
    put(a.value);
    out_ += ", pb__n - v * W);\n";
    return;
  }
  if (a.isStreamed) {
    out_ += dialect_.streamed(text(a.target), text(a.value), a.together) + ";\n";
    return;
  }
  if (a.together > 1 && !a.isBackground) {
    const bool isStore = loop::as<loop::Element>(a.target) != nullptr;
    const Expr &cell = isStore ? a.target : a.value;
    const loop::Matrix &memory = matrix(loop::as<loop::Element>(cell)->buffer);
    const Dialect::Move move = isStore                  ? Dialect::Move::Store
                               : memory.ofGroup.empty() ? Dialect::Move::Load
                                                        : Dialect::Move::LoadOfGroup;
    out_ += dialect_.together(dialect_.type(memory.element), text(a.target), text(a.value), move) + ";\n";
    return;
  }
  if (a.isBackground) {
    out_ += dialect_.copy(text(a.target), text(a.value), a.together > 1) + ";\n";
    return;
  }
  put(a.target);
  out_ += ' ';
  if (a.op)
    out_ += loop::spelling(*a.op);
  out_ += "= ";
  put(a.value);
  out_ += ";\n";
}

std::vector<std::string> CPrinter::strides(const loop::Call::View &v) {
  std::vector<std::string> all;
  const int buffer = loop::as<loop::Element>(v.first)->buffer;
  const loop::Matrix &m = matrix(buffer);
  for (const int d : v.dimensions) {
    if (!m.ofGroup.empty()) {
      all.push_back(text(loop::groupStride(m, static_cast<std::size_t>(d))));
      continue;
    }
    all.push_back(stride(buffer, static_cast<std::size_t>(d)));
  }
  return all;
}

std::string CPrinter::callArgument(std::size_t number, const loop::Call::Argument &argument,
                                   std::vector<std::string> &before) {
  using loop::Call;
  if (const auto *c = std::get_if<Call::Coordinate>(&argument))
    return dialect_.coordinate(atom(c->value));
  if (const auto *n = std::get_if<Call::Number>(&argument))
    return text(n->value);
  if (const auto *p = std::get_if<Call::Place>(&argument))
    return "&" + text(p->cell);
  const auto &v = std::get<Call::View>(argument);
  std::vector<std::string> extents;
  for (const Expr &e : v.extents)
    extents.push_back(atom(e));
  const Scalar element = matrix(loop::as<loop::Element>(v.first)->buffer).element;
  const Dialect::ViewText view = dialect_.view(number, v, element, text(v.first), strides(v), extents);
  before.insert(before.end(), view.before.begin(), view.before.end());
  return view.argument;
}

void CPrinter::node(const loop::Call &c, const std::string &indent) {
  std::string arguments = dialect_.frame();
  std::vector<std::string> before;
  std::size_t number = 0;
  for (const loop::Call::Argument &a : c.arguments) {
    arguments += arguments.empty() ? "" : ", ";
    arguments += callArgument(number, a, before);
    number += !std::holds_alternative<loop::Call::Coordinate>(a);
  }
  for (const std::string &line : before)
    out_ += indent + line + '\n';
  out_ += indent + (c.result ? text(c.result) + " = " : "") + c.function + '(' + arguments + ");\n";
}

void CPrinter::node(const loop::Barrier &b, const std::string &indent) {
  if (const std::string end = b.endsCopies ? dialect_.endOfCopies() : ""; !end.empty())
    out_ += indent + end + ";\n";
  out_ += indent + dialect_.barrier() + ";\n";
}

void CPrinter::node(const loop::Shuffle &s, const std::string &indent) {
  out_ += indent + dialect_.shuffle(dialect_.type(s.type), s.name, text(s.value), text(s.lanes), s.isBefore) +
          ";\n";
}

void CPrinter::node(const loop::Vote &v, const std::string &indent) {
  out_ += indent + dialect_.vote(v.name, text(v.condition)) + ";\n";
}

void CPrinter::node(const loop::Parallel &p, const std::string &indent) {
  out_ += indent + "{\n" + indent + "  const " + dialect_.index() + ' ' + p.iterator + " = ";
  if (!loop::isInteger(p.begin, 0)) {
    putAtom(p.begin);
    out_ += " + ";
  }
  out_ += dialect_.itemId(p.over, p.axis) + ";\n";
  print(p.body, indent + "  ");
  out_ += indent + "}\n";
}

void CPrinter::node(const loop::Prefetch &p, const std::string &indent) {
  const auto *kept = loop::as<loop::KeptValue>(p.cells);
  const auto *vector = loop::as<loop::CellVector>(p.cells);
  out_ += fmt::format("{}__builtin_prefetch({}, {}{});\n", indent,
                      kept ? keptPlace(*kept) : address(vector ? vector->cell : p.cells), p.isWritten ? 1 : 0,
                      p.cache == 2 ? ", 2" : "");
}

void CPrinter::node(const loop::TurnedRows &t, const std::string &indent) {
  const std::string rows = fmt::format("{}, {}", address(t.first), address(t.next)),
                    array = "&" + text(t.array);
  out_ += fmt::format("{}pb::{}Rows<{}, {}>({}, {});\n", indent, t.isBack ? "store" : "load", t.count,
                      text(t.cells), rows, array);
}

void CPrinter::node(const loop::Comment &c, const std::string &indent) {
  out_ += indent + "// " + c.text + '\n';
}

void CPrinter::node(const loop::Points &, const std::string &) {
  throw std::logic_error("the points of a launch have no loops");
}

void CPrinter::node(const loop::Cells &, const std::string &) {
  throw std::logic_error("the cells of a launch have no loops");
}

void CPrinter::node(const loop::GroupCopy &, const std::string &) {
  throw std::logic_error("a copy into a group's memory has no loops");
}

void CPrinter::blockOfPoints(const loop::BlockOfPoints &, const std::string &) {
  throw std::logic_error("blocks of points in registers exist only for the processor");
}

} // namespace pbc::emit
