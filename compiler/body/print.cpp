// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/unit.h"

namespace pbc::body {
namespace {

class Printer {
public:
  Printer(const sema::Transform &t, const sema::Rule &r, const Facts &f)
      : transform_(t), rule_(r), facts_(f) {}

  std::string header(const source::SourceManager *sources) const {
    std::string out = transform_.name + "." + std::to_string(rule_.index);
    out += "  writes " + boxes(rule_.outputs);
    if (!rule_.inputs.empty())
      out += "  reads " + boxes(rule_.inputs);
    if (facts_.readsOutputs)
      out += "  reads its outputs";
    for (std::size_t i = 0; i < facts_.callees.size(); ++i)
      out += (i ? ", " : "  calls ") + facts_.callees[i];
    if (facts_.liftable)
      return out + "  liftable\n";
    out += "  not liftable: " + facts_.obstacle;
    if (sources && facts_.obstacleSpan.file < sources->fileCount())
      out += " (line " +
             std::to_string(sources->position(facts_.obstacleSpan.file, facts_.obstacleSpan.begin).line) +
             ")";
    return out + "\n";
  }

  void nodes(const std::vector<NodePtr> &list, int depth, std::string &out) const {
    for (const NodePtr &n : list) {
      out.append(2 * depth, ' ');
      if (n->kind == Node::Kind::Assign) {
        out += target(n->target) + " " + n->op + "= " + value(*n->value, false) + "\n";
        continue;
      }
      out += "for " + facts_.iterators[n->iterator] + " in [" + value(*n->lower, false) + ", " +
             value(*n->upper, false) + ")";
      out += n->step == 1 ? "\n" : " step " + std::to_string(n->step) + "\n";
      nodes(n->body, depth + 1, out);
    }
  }

private:
  std::string boxes(const std::vector<sema::Binding> &bindings) const {
    std::string out;
    for (const sema::Binding &b : bindings) {
      out += (out.empty() ? "" : ", ") + transform_.matrices[b.matrix].name;
      for (std::size_t d = 0; d < b.begin.size(); ++d) {
        out += d ? ", " : "[";
        out += b.begin[d].written + (b.isCell ? "" : " : " + b.end[d].written);
      }
      out += b.begin.empty() ? "" : "]";
    }
    return out;
  }

  std::string place(int number, const std::vector<ValuePtr> &indices) const {
    const sema::Binding &b = binding(rule_, number);
    std::string out = b.name.empty() ? transform_.matrices[b.matrix].name : b.name;
    for (std::size_t i = 0; i < indices.size(); ++i)
      out += (i ? ", " : "[") + value(*indices[i], false);
    return out + (indices.empty() ? "" : "]");
  }
  std::string target(const Target &t) const {
    return t.isLocal ? facts_.locals[t.index].name : place(t.index, t.indices);
  }

  std::string value(const Value &v, bool nested) const {
    auto operand = [&](int i) { return value(*v.operands[i], true); };
    auto wrap = [&](const std::string &s) { return nested ? "(" + s + ")" : s; };
    switch (v.kind) {
    case Value::Kind::Literal:
    case Value::Kind::Name:
      return v.text;
    case Value::Kind::Local:
      return facts_.locals[v.index].name;
    case Value::Kind::Iterator:
      return facts_.iterators[v.index];
    case Value::Kind::Input:
      return transform_.matrices[v.index].name;
    case Value::Kind::Cell:
      return place(v.index, v.operands);
    case Value::Kind::Unary:
      return v.text + operand(0);
    case Value::Kind::Binary:
      return wrap(operand(0) + " " + v.text + " " + operand(1));
    case Value::Kind::Select:
      return wrap(operand(0) + " ? " + operand(1) + " : " + operand(2));
    case Value::Kind::Cast:
      return std::string(cxxType(v.type)) + "(" + value(*v.operands[0], false) + ")";
    case Value::Kind::Call: {
      std::string out = v.text + "(";
      for (std::size_t i = 0; i < v.operands.size(); ++i)
        out += (i ? ", " : "") + value(*v.operands[i], false);
      return out + ")";
    }
    }
    return "";
  }

  const sema::Transform &transform_;
  const sema::Rule &rule_;
  const Facts &facts_;
};

} // namespace

std::string print(const sema::Module &module, const std::vector<std::vector<Facts>> &facts,
                  const source::SourceManager *sources) {
  std::string out;
  for (const sema::Transform &t : module.transforms)
    for (const sema::Rule &r : t.rules) {
      const Facts &f = facts[t.index][r.index];
      Printer p(t, r, f);
      out += p.header(sources);
      p.nodes(f.nodes, 1, out);
    }
  return out;
}

} // namespace pbc::body
