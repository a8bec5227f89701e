// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/textual/print_tree.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/loops.h"
#include "compiler/kernel/textual/functions.h"
#include "compiler/kernel/tree.h"
#include "compiler/poly/names.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/schedule.h>
#include <isl/union_set.h>

namespace pbc::kernel::textual {
namespace {

class TreePrinter {
public:
  TreePrinter(const Scheduled &kernel, const isl::schedule &tree)
      : kernel_(kernel), showsLabels_(!labelsOf(tree).empty() &&
                                      labelsOf(tree) != labelsOf(labelled(kernel, withoutLabels(tree)))) {}

  void print(const isl::schedule_node &node, const std::string &indent) {
    const std::string line = lineOf(node);
    if (!line.empty())
      text += indent + line + "\n";
    const std::string inner = line.empty() ? indent : indent + "  ";
    for (int k = 0, n = static_cast<int>(isl_schedule_node_n_children(node.get())); k < n; ++k)
      print(isl::manage(isl_schedule_node_get_child(node.get(), k)), inner);
  }

  std::string text;

private:
  /// "" for the root, leaves and labels.
  std::string lineOf(const isl::schedule_node &node) const {
    switch (isl_schedule_node_get_type(node.get())) {
    case isl_schedule_node_band:
      return band(node);
    case isl_schedule_node_sequence:
      return "sequence";
    case isl_schedule_node_set:
      return "set";
    case isl_schedule_node_mark:
      return std::holds_alternative<Label>(*markAt(node)) ? "" : kernel::text(*markAt(node));
    case isl_schedule_node_filter:
      return part(node);
    default:
      return "";
    }
  }

  std::string band(const isl::schedule_node &node) const {
    std::string text;
    for (int k = 0; k < members(node); ++k)
      text += (k ? ", " : "") + over(node, k) + (isParallel(node, k, kernel_.dependences) ? " parallel" : "");
    const std::string name = showsLabels_ ? label(node) : "";
    return "band " + (name.empty() || name == over(node, 0) ? "" : name + " = ") + text;
  }

  /// The label of the loop that this band makes; "" if it has none.
  static std::string label(isl::schedule_node node) {
    for (int k = 0; k < 2 && node.has_parent(); ++k) { // a realisation may be in between
      node = node.parent();
      if (const std::optional<LoopNode> loop = loopAt(node))
        return loop->label;
    }
    return "";
  }

  const Statement &statement(const std::string &name) const {
    return kernel_.statements[static_cast<std::size_t>(statementIndex(kernel_, name))];
  }

  /// One text for all statements, or one for each; isl's own where a function has several formulas.
  std::string over(const isl::schedule_node &node, int k) const {
    std::vector<std::string> names = sorted(statementsAt(node));
    std::vector<std::pair<std::string, std::vector<std::string>>> functions; // each text with its statements
    for (const std::string &name : names) {
      const std::optional<isl::pw_aff> value = member(node, k, name);
      const std::string text =
          value ? functionText(isl::manage(isl_pw_aff_floor(value->copy())), statement(name).dimensions)
                : "{";
      if (text.starts_with("{"))
        return braces(poly::text(member(node, k)));
      const auto same =
          std::find_if(functions.begin(), functions.end(), [&](const auto &f) { return f.first == text; });
      if (same == functions.end())
        functions.push_back({text, {name}});
      else
        same->second.push_back(name);
    }
    if (functions.size() == 1)
      return functions.front().first;
    std::string all;
    for (const auto &[text, statements] : functions)
      all += (all.empty() ? "" : "; ") + poly::join(statements) + ": " + text;
    return "(" + all + ")";
  }

  /// Of what reaches the sequence: whole statements by their names, parts of them as a set.
  std::string part(const isl::schedule_node &filter) const {
    const isl::union_set above = isl::manage(isl_schedule_node_get_domain(filter.get()));
    const isl::schedule_node below = isl::manage(isl_schedule_node_get_child(filter.get(), 0));
    const isl::union_set here = isl::manage(isl_schedule_node_get_domain(below.get()));
    const std::vector<std::string> names = sorted(statementsAt(below));
    bool isWhole = !names.empty();
    for (const std::string &name : names) {
      const Statement &s = statement(name);
      const isl::union_set space(isl::set(isl::manage(isl_set_universe(isl_set_get_space(s.domain.get())))));
      isWhole = isWhole && above.intersect(space).is_subset(here);
    }
    if (isWhole)
      return poly::join(names);
    return instancesText(isl::manage(isl_schedule_node_filter_get_filter(filter.get())), kernel_.statements);
  }

  /// In the order of the kernel.
  std::vector<std::string> sorted(std::vector<std::string> names) const {
    std::sort(names.begin(), names.end(), [&](const std::string &a, const std::string &b) {
      return statementIndex(kernel_, a) < statementIndex(kernel_, b);
    });
    return names;
  }

  const Scheduled &kernel_;
  bool showsLabels_; // where they are not those that loops get by themselves
};

} // namespace

std::string treeText(const Scheduled &kernel, const isl::schedule &tree, const std::string &indent) {
  TreePrinter printer(kernel, tree);
  printer.print(isl::manage(isl_schedule_get_root(tree.get())), indent);
  return printer.text;
}

std::string piecesText(const Scheduled &kernel, const isl::schedule &tree) {
  const isl::union_set all = isl::manage(isl_schedule_get_domain(tree.get()));
  const auto known = [&](const isl::set &s) { return s.intersect_params(kernel.context); };
  bool isSame = true;
  for (const Statement &s : kernel.statements) {
    const isl::set own = isl::manage(isl_union_set_extract_set(all.get(), isl_set_get_space(s.domain.get())));
    isSame = isSame && areSamePieces(known(own), known(s.domain));
  }
  return isSame || all.is_empty() ? "" : instancesText(all, kernel.statements);
}

} // namespace pbc::kernel::textual
