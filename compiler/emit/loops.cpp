// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/outside.h"
#include "compiler/emit/devices.h"
#include "compiler/emit/parts.h"
#include "compiler/poly/expression.h"
#include <algorithm>
#include <isl/ast.h>
#include <isl/ast_build.h>

namespace pbc::emit {

namespace {

class PointLoops {
public:
  PointLoops(const Scope &scope, const schedule::Step &step, bool parallel)
      : scope_(scope), t_(scope.transform), step_(step), parallel_(parallel) {
    long points = 0;
    for (const auto &use : step.uses)
      points += t_.rules[use.rule].freeVariables.empty() ? 1 : 2;
    spawns_ = parallel && points > 1 && step.dependences.is_empty();
  }

  std::string print() {
    isl_ast_build *build = isl_ast_build_from_context(scope_.choices().grid.context.copy());
    const isl::ast_node tree = isl::manage(isl_ast_build_node_from_schedule(build, step_.order.copy()));
    isl_ast_build_free(build);
    std::string loops = node(tree, "  ");
    if (!spawns_)
      return loops;
    return "  {\n  pb::SpawnScope pb_points;\n" + loops + "  co_await pb_points.sync();\n  }\n";
  }

private:
  std::string node(const isl::ast_node &n, const std::string &indent) {
    switch (isl_ast_node_get_type(n.get())) {
    case isl_ast_node_for: {
      const auto loop = n.as<isl::ast_node_for>();
      const std::string i = poly::cxx(loop.iterator());
      return fmt::format("{0}for (long {1} = {2}; {3}; {1} += {4}) {{\n{5}{0}}}\n", indent, i,
                         poly::cxx(loop.init()), poly::cxx(loop.cond()), poly::cxx(loop.inc()),
                         node(loop.body(), indent + "  "));
    }
    case isl_ast_node_if: {
      const auto branch = n.as<isl::ast_node_if>();
      std::string out = fmt::format("{0}if ({1}) {{\n{2}{0}}}", indent, poly::cxx(branch.cond()),
                                    node(branch.then_node(), indent + "  "));
      if (branch.has_else_node())
        out += fmt::format(" else {{\n{}{}}}", node(branch.else_node(), indent + "  "), indent);
      return out + "\n";
    }
    case isl_ast_node_block: {
      std::string out;
      const auto children = n.as<isl::ast_node_block>().children();
      for (unsigned k = 0; k < children.size(); ++k)
        out += node(children.at(static_cast<int>(k)), indent);
      return out;
    }
    case isl_ast_node_mark:
      return node(n.as<isl::ast_node_mark>().node(), indent);
    case isl_ast_node_user:
      return point(n.as<isl::ast_node_user>().expr(), indent);
    default:
      return "";
    }
  }

  /// `R2(c0, c1)`: the body of rule 2 at that point.
  std::string point(const isl::ast_expr &call, const std::string &indent) {
    isl_ast_expr *name = isl_ast_expr_get_op_arg(call.get(), 0);
    isl_id *id = isl_ast_expr_get_id(name);
    const int rule = std::stoi(std::string(isl_id_get_name(id)).substr(1));
    isl_id_free(id);
    isl_ast_expr_free(name);
    const auto &r = t_.rules[rule];
    std::string out = indent + "{ ";
    for (std::size_t i = 0; i < r.freeVariables.size(); ++i)
      out +=
          fmt::format("[[maybe_unused]] const long {} = {}; ", poly::mangle(r.freeVariables[i]),
                      poly::cxx(isl::manage(isl_ast_expr_get_op_arg(call.get(), static_cast<int>(i) + 1))));
    return out + invocation(r) + " }\n";
  }

  std::string invocation(const sema::Rule &r) const {
    std::string arguments = "pb_f";
    for (const auto &v : r.freeVariables)
      arguments += fmt::format(", static_cast<int>({})", poly::mangle(v));
    const bool isCoroutine =
        parallel_ && !scope_.facts()[r.index].callees.empty() && !scope_.facts()[r.index].callsInPlace;
    if (r.returnStyle)
      arguments += ", " + argument(r.outputs[0]);
    for (const auto &p : textOf(r.index).parameters)
      if (p.role == body::Parameter::Role::Binding)
        arguments += ", " + argument(body::binding(r, p.index));
    if (!isCoroutine)
      return fmt::format("{}({});", bodyName(r.index), arguments);
    return fmt::format(fmt::runtime(spawns_ ? "pb_points.spawn({}({}));" : "co_await {}({});"),
                       coroutineName(r.index), arguments);
  }

  const body::RuleText &textOf(int rule) const {
    return *std::find_if(scope_.ruleTexts.begin(), scope_.ruleTexts.end(),
                         [&](const auto &text) { return text.rule == rule; });
  }

  std::string argument(const sema::Binding &b) const {
    const auto &m = t_.matrices[b.matrix];
    const std::string base = "pb_f.m_" + poly::mangle(m.name);
    std::string begins, ends;
    for (int d = 0; d < m.rank(); ++d) {
      begins += (d ? ", " : "") + b.begin[d].cxx;
      ends += ", " + b.end[d].cxx;
    }
    if (b.otherwise)
      return fmt::format("({} ? {}.cell({}) : {})", text(*body::isInside(t_, b)), base, begins,
                         text(*body::valueOutside(t_, b)));
    if (b.isCell)
      return fmt::format("{}.cell({})", base, begins);
    std::string out = fmt::format("pb::{}({}).region({}{})", usesDevices(scope_.input) ? "lent" : "borrowed",
                                  base, begins, ends);
    for (int d = m.rank() - 1; d >= 0; --d)
      if (std::find(b.viewDims.begin(), b.viewDims.end(), d) == b.viewDims.end())
        out += fmt::format(".slice({}, 0)", d);
    return out;
  }

  /// The text of a value of sizes and coordinates, which are variables here, and tunables.
  std::string text(const body::Value &v) const {
    std::string operands;
    for (const auto &o : v.operands)
      operands += (operands.empty() ? "" : v.kind == body::Value::Kind::Binary ? v.text : ", ") + text(*o);
    switch (v.kind) {
    case body::Value::Kind::Name:
      return fmt::format("(({}){}{})", body::cxxType(v.type), isTunable(v.text) ? "pb_f.v_" : "",
                         poly::mangle(v.text));
    case body::Value::Kind::Binary:
      return "(" + operands + ")";
    case body::Value::Kind::Unary:
      return "(" + v.text + operands + ")";
    case body::Value::Kind::Call:
      return v.text + "(" + operands + ")";
    case body::Value::Kind::Cast:
      return fmt::format("(({}){})", body::cxxType(v.type), operands);
    default:
      return v.text;
    }
  }

  bool isTunable(const std::string &name) const {
    return std::any_of(t_.tunables.begin(), t_.tunables.end(), [&](const auto &k) { return k.name == name; });
  }

  const Scope &scope_;
  const sema::Transform &t_;
  const schedule::Step &step_;
  bool parallel_, spawns_;
};

} // namespace

std::string pointLoops(const Scope &scope, const schedule::Step &step, bool parallel) {
  return PointLoops(scope, step, parallel).print();
}

} // namespace pbc::emit
