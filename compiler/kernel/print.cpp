// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/print.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/task_functions.h"
#include "compiler/kernel/tree.h"
#include "compiler/poly/names.h"
#include <algorithm>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <utility>

namespace pbc::kernel {
namespace {

// isl's text of a set or relation without its parameters: "{ ... }".
std::string braces(const std::string &text) {
  const auto at = text.find('{');
  return at == std::string::npos ? text : text.substr(at);
}

// "A[-1 + i + k]"
std::string element(const Kernel &kernel, const Statement &s, const Access &a) {
  isl_map *m = a.relation.copy();
  for (std::size_t d = 0; d < s.dimensions.size(); ++d)
    m = isl_map_set_dim_name(m, isl_dim_in, static_cast<unsigned>(d), s.dimensions[d].c_str());
  const std::string text = poly::text(isl::manage(m));
  const auto arrow = text.rfind("-> " + kernel.buffers[a.buffer].name), end = text.rfind(']');
  return text.substr(arrow + 3, end - arrow - 2);
}

std::string value(const Kernel &kernel, const Statement &s, const Expr &e) {
  std::vector<std::string> operands;
  for (const ExprPtr &o : e.operands) {
    const bool isWhole = o->kind != Expr::Kind::Binary && o->kind != Expr::Kind::Select;
    const std::string text = value(kernel, s, *o);
    operands.push_back(isWhole || e.kind == Expr::Kind::Call ? text : "(" + text + ")");
  }
  switch (e.kind) {
  case Expr::Kind::Literal:
  case Expr::Kind::Name:
    return e.text;
  case Expr::Kind::Dimension:
    return s.dimensions[e.index];
  case Expr::Kind::Read:
    return element(kernel, s, s.accesses[e.index]);
  case Expr::Kind::Unary:
    return e.text + operands[0];
  case Expr::Kind::Binary:
    return operands[0] + " " + e.text + " " + operands[1];
  case Expr::Kind::Select:
    return operands[0] + " ? " + operands[1] + " : " + operands[2];
  case Expr::Kind::Call:
    return e.text + "(" + poly::join(operands) + ")";
  case Expr::Kind::Cast:
    return std::string(body::cxxType(e.type)) + "(" + operands[0] + ")";
  }
  return "";
}

/// The function over which member `k` of a band runs: one function if all statements agree, because one for each
/// statement, "S: x" for "{ S[y, x] -> [(x)] }", would take more room than it explains.
std::string over(const Scheduled &kernel, const isl::schedule_node &node, int k) {
  std::vector<std::string> functions;
  for (const std::string &name : statementsAt(node)) {
    const Statement &s = kernel.statements[statementIndex(kernel, name)];
    const std::optional<isl::pw_aff> value = member(node, k, name);
    if (!value)
      continue;
    isl_pw_aff *one = value->copy();
    for (std::size_t d = 0; d < s.dimensions.size(); ++d)
      one = isl_pw_aff_set_dim_id(one, isl_dim_in, static_cast<unsigned>(d),
                                  isl_id_alloc(isl_pw_aff_get_ctx(one), s.dimensions[d].c_str(), nullptr));
    functions.push_back(poly::cxx(isl::manage(one)));
  }
  std::sort(functions.begin(), functions.end());
  functions.erase(std::unique(functions.begin(), functions.end()), functions.end());
  return functions.size() == 1 ? functions[0] : "(" + poly::join(functions) + ")";
}

bool isParallelMember(const isl::schedule_node &band, int k) {
  return isl_schedule_node_band_member_get_coincident(band.get(), k) == isl_bool_true;
}

std::string band(const Scheduled &kernel, const isl::schedule_node &node) {
  std::string text = "band";
  for (int k = 0; k < members(node); ++k)
    text += (k ? ", " : " ") + over(kernel, node, k) + (isParallelMember(node, k) ? " parallel" : "");
  return text;
}

void collectLoops(const Scheduled &kernel, const isl::schedule_node &node, int depth,
                  std::vector<Realisation> how, std::vector<Loop> &out) {
  if (const std::optional<Mark> mark = markAt(node)) {
    if (const auto *realisation = std::get_if<Realisation>(&*mark))
      how.push_back(*realisation);
  } else if (isBand(node)) {
    for (int k = 0; k < members(node); ++k)
      if (const std::string name = over(kernel, node, k);
          name.find_first_not_of("0123456789") != std::string::npos)
        out.push_back({name, depth++, isParallel(node, k, kernel.dependences, true), std::exchange(how, {})});
  }
  for (int k = 0, n = static_cast<int>(isl_schedule_node_n_children(node.get())); k < n; ++k)
    collectLoops(kernel, isl::manage(isl_schedule_node_get_child(node.get(), k)), depth, how, out);
}

void tree(const Scheduled &kernel, const isl::schedule_node &node, const std::string &indent,
          std::string &text) {
  std::string inner = indent + "  ";
  switch (isl_schedule_node_get_type(node.get())) {
  case isl_schedule_node_band:
    text += indent + band(kernel, node) + "\n";
    break;
  case isl_schedule_node_sequence:
    text += indent + "sequence\n";
    break;
  case isl_schedule_node_set:
    text += indent + "set\n";
    break;
  case isl_schedule_node_mark:
    if (std::holds_alternative<Label>(*markAt(node)))
      inner = indent;
    else
      text += indent + kernel::text(*markAt(node)) + "\n";
    break;
  case isl_schedule_node_filter: {
    std::vector<std::string> names = statementsAt(isl::manage(isl_schedule_node_get_child(node.get(), 0)));
    std::sort(names.begin(), names.end());
    text += indent + poly::join(names) + "\n";
    break;
  }
  default:
    inner = indent;
  }
  for (int k = 0, n = static_cast<int>(isl_schedule_node_n_children(node.get())); k < n; ++k)
    tree(kernel, isl::manage(isl_schedule_node_get_child(node.get(), k)), inner, text);
}

/// The functions that form the sides of tiles which move with time.
std::string sides(const Scheduled &kernel, const TaskDimension &t) {
  if (t.along < 0)
    return "";
  const std::string &time = kernel.schedule.taskDimensions[static_cast<std::size_t>(t.along)].name;
  return "; tiles of " + t.name + " + " + multiple(t.slope, time) +
         (t.down ? " and " + multiple(t.down, time) + " - " + t.name : "");
}

} // namespace

std::string print(const Kernel &kernel, const Statement &s) {
  if (!s.isOpaque)
    return element(kernel, s, s.accesses[s.write]) + " " + s.op + "= " + value(kernel, s, *s.value);
  std::vector<std::string> arguments;
  for (const OpaqueArgument &a : s.arguments)
    arguments.push_back(kernel.buffers[a.buffer].name);
  return "call " + s.function + "(" + poly::join(arguments) + ")";
}

std::string print(const Scheduled &kernel) {
  std::string text = "kernel " + kernel.name;
  if (!kernel.parameters.empty())
    text += " [" + poly::join(kernel.parameters) + "]";
  text += kernel.reassociates ? "  may reassociate" : "";
  text += "\n";
  for (const Buffer &b : kernel.buffers) {
    text += "  buffer " + b.name + " " + body::cxxType(b.element) + " " + std::to_string(b.rank) + "-d ";
    text += b.role == Buffer::Role::Input ? "input" : b.role == Buffer::Role::Output ? "output" : "local";
    if (b.lanes)
      text += ", " + std::to_string(b.lanes) + " lanes";
    text += "\n";
  }
  for (const Statement &s : kernel.statements)
    text += "  " + s.name + "[" + poly::join(s.dimensions) + "]: " + print(kernel, s) + "\n    " +
            braces(poly::text(s.domain)) + "\n";
  for (std::size_t k = 0; k < kernel.schedule.taskDimensions.size(); ++k) {
    const TaskDimension &t = kernel.schedule.taskDimensions[k];
    text += "  task " + t.name + " in [" + poly::cxx(t.low) + ", " + poly::cxx(t.high) + ") by " +
            std::to_string(t.grain) + (t.isPlace ? "" : ", time") + sides(kernel, t) + "\n";
  }
  if (kernel.schedule.taskOrder != TaskOrder::Any)
    text += kernel.schedule.taskOrder == TaskOrder::Rounds ? "  tasks in rounds of the first\n"
                                                           : "  tasks as a wavefront\n";
  if (kernel.schedule.bytesPerPlace)
    text += "  bytes per place: " + std::to_string(kernel.schedule.bytesPerPlace) + "\n";
  text += "  schedule\n";
  tree(kernel, isl::manage(isl_schedule_get_root(kernel.schedule.tree.get())), "    ", text);
  return text;
}

std::vector<Loop> loops(const Scheduled &kernel) {
  std::vector<Loop> out;
  collectLoops(kernel, isl::manage(isl_schedule_get_root(kernel.schedule.tree.get())), 0, {}, out);
  return out;
}

} // namespace pbc::kernel
