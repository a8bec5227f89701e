// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/verify.h"
#include "compiler/body/prelude.h"
#include "compiler/body/unit.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace pbc::body {

namespace {

class FactsVerifier {
public:
  FactsVerifier(const sema::Module &module, const sema::Transform &t, const sema::Rule &r, const Facts &f,
                std::vector<std::string> &out)
      : module_(module), t_(t), r_(r), f_(f), out_(out) {}

  void run() {
    require(f_.liftable == f_.obstacle.empty(), "liftable and an obstacle exclude each other");
    if (f_.liftable) {
      require(f_.callees.empty(), "a liftable body calls a transform");
      nodes(f_.nodes);
    }
    edits();
  }

private:
  void require(bool holds, const std::string &text) {
    if (!holds)
      out_.push_back(fmt::format("{}, {}: {}", t_.name, r_.label, text));
  }
  static bool within(int index, std::size_t count) { return index >= 0 && index < static_cast<int>(count); }

  void nodes(const std::vector<NodePtr> &list) {
    for (const NodePtr &n : list) {
      if (!n)
        require(false, "a statement is missing");
      else if (n->kind == Node::Kind::Assign)
        assignment(*n);
      else
        loop(*n);
    }
  }

  void assignment(const Node &n) {
    static const std::set<std::string> operators = {"", "+", "-", "*", "/"};
    require(operators.count(n.op) != 0, "`" + n.op + "=` is not an assignment");
    value(n.value);
    if (n.target.isLocal)
      return require(within(n.target.index, f_.locals.size()), "an assignment to no variable");
    if (!within(n.target.index, r_.outputs.size()))
      return require(false, "an assignment to something other than an output");
    cell(n.target.index, n.target.indices);
  }

  void loop(const Node &n) {
    require(n.step > 0, "a loop does not go forward");
    require(within(n.iterator, f_.iterators.size()), "a loop has no variable");
    value(n.lower);
    value(n.upper);
    require(running_.insert(n.iterator).second, "a loop has the variable of a loop around it");
    nodes(n.body);
    running_.erase(n.iterator);
  }

  void cell(int number, const std::vector<ValuePtr> &indices) {
    require(indices.size() == binding(r_, number).viewDims.size(), "a cell has another rank than its view");
    for (const ValuePtr &i : indices) {
      value(i);
      require(i && i->type != Scalar::F64 && i->type != Scalar::F32, "a coordinate is not an integer");
    }
  }

  void value(const ValuePtr &v) {
    if (!v)
      return require(false, "a value is missing");
    switch (v->kind) {
    case Value::Kind::Literal:
    case Value::Kind::Name:
      require(!v->text.empty(), "a literal or name without text");
      return operands(*v, 0);
    case Value::Kind::Local:
      require(within(v->index, f_.locals.size()), "a read of no variable");
      return operands(*v, 0);
    case Value::Kind::Iterator:
      require(running_.count(v->index) != 0, "a loop's variable is read outside of its loop");
      return operands(*v, 0);
    case Value::Kind::Input:
      require(within(v->index, t_.matrices.size()) && t_.matrices[v->index].rank() == 0 &&
                  t_.matrices[v->index].role == sema::Role::Input,
              "a read of what is no 0-d input");
      return operands(*v, 0);
    case Value::Kind::Cell:
      if (!within(v->index, r_.outputs.size() + r_.inputs.size()))
        return require(false, "a read of no region");
      return cell(v->index, v->operands);
    case Value::Kind::Unary:
    case Value::Kind::Cast:
      return operands(*v, 1);
    case Value::Kind::Binary:
      return operands(*v, 2);
    case Value::Kind::Select:
      return operands(*v, 3);
    case Value::Kind::Call:
      return operands(*v, v->text == "pb::floordiv" ? 2 : v->operands.size());
    }
  }

  void operands(const Value &v, std::size_t count) {
    require(v.operands.size() == count,
            fmt::format("`{}` has {} operands instead of {}", v.text, v.operands.size(), count));
    for (const ValuePtr &o : v.operands)
      value(o);
  }

  void edits() {
    const auto length = static_cast<std::uint32_t>(r_.body ? r_.body->text.text.size() : 0);
    std::uint32_t last = 0;
    std::set<std::string> called;
    for (const Edit &e : f_.edits) {
      require(last <= e.begin && e.begin < e.end && e.end <= length, "the edits are not in the text's order");
      last = e.end;
      if (e.kind != Edit::Kind::Call && e.kind != Edit::Kind::Spawn)
        continue;
      called.insert(e.callee);
      require(module_.find(e.callee) != nullptr, "a call of `" + e.callee + "`, which is not a transform");
      require(e.begin <= e.calleeBegin && e.calleeBegin < e.calleeEnd && e.calleeEnd <= e.argumentsBegin &&
                  e.argumentsBegin <= e.argumentsEnd && e.argumentsEnd <= e.end,
              "the parts of a call are not inside it");
    }
    const std::set<std::string> callees(f_.callees.begin(), f_.callees.end());
    require(callees.size() == f_.callees.size(), "a callee is listed twice");
    // The callees also include the accuracy metric of `verify_accuracy`.
    require(std::includes(callees.begin(), callees.end(), called.begin(), called.end()),
            "the callees are not those of the calls");
  }

  const sema::Module &module_;
  const sema::Transform &t_;
  const sema::Rule &r_;
  const Facts &f_;
  std::vector<std::string> &out_;
  std::set<int> running_; // iterators of the loops around
};

} // namespace

std::vector<std::string> verify(const sema::Module &module, const std::vector<std::vector<Facts>> &facts) {
  std::vector<std::string> out;
  if (facts.size() != module.transforms.size())
    return {"there are not facts for every transform"};
  for (const auto &t : module.transforms) {
    if (facts[t.index].size() != t.rules.size()) {
      out.push_back(t.name + ": there are not facts for every rule");
      continue;
    }
    for (const auto &r : t.rules)
      FactsVerifier(module, t, r, facts[t.index][r.index], out).run();
  }
  return out;
}

} // namespace pbc::body
