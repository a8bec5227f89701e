// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/loops.h"
#include "compiler/kernel/formula.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/schedule.h>
#include <map>
#include <set>

namespace pbc::kernel {
namespace {

isl::schedule_node below(const isl::schedule_node &node) {
  return isl::manage(isl_schedule_node_get_child(node.get(), 0));
}

std::optional<std::string> labelAt(const isl::schedule_node &node) {
  const std::optional<Mark> mark = markAt(node);
  const Label *label = mark ? std::get_if<Label>(&*mark) : nullptr;
  return label ? std::optional(label->name) : std::nullopt;
}

/// Whether the loop that this band makes has a name already.
bool hasLabel(isl::schedule_node band) {
  while (isl_schedule_node_has_parent(band.get()) == isl_bool_true) {
    band = isl::manage(isl_schedule_node_parent(band.release()));
    const std::optional<Mark> mark = markAt(band);
    if (!mark || std::holds_alternative<Declare>(*mark))
      return false;
    if (std::holds_alternative<Label>(*mark))
      return true;
  }
  return false;
}

/// The variable over which the band runs, if it runs over one in all statements, shifted or not; else "t", as the steps
/// of a wavefront.
std::string variableOf(const Kernel &kernel, const isl::schedule_node &band) {
  std::set<int> statements; // in the kernel's order, as isl's depends on how the tree was made
  for (const std::string &name : statementsAt(band))
    statements.insert(statementIndex(kernel, name));
  if (const int d = memberDimension(kernel, band); d >= 0)
    return kernel.statements[*statements.begin()].dimensions[d];
  std::string common;
  for (const int index : statements) {
    const Statement &s = kernel.statements[index];
    const std::optional<isl::pw_aff> function = member(band, 0, s.name);
    if (!function)
      return "t";
    const std::optional<isl::aff> only = formula(*function); // where it is defined does not matter
    std::string here;
    for (unsigned d = 0; d < s.dimensions.size(); ++d) {
      if ((only ? isl_aff_involves_dims(only->get(), isl_dim_in, d, 1)
                : isl_pw_aff_involves_dims(function->get(), isl_dim_in, d, 1)) != isl_bool_true)
        continue;
      if (!here.empty())
        return "t";
      here = s.dimensions[d];
    }
    if (here.empty())
      continue; // the statement runs in one step of the loop
    if (common.empty())
      common = here;
  }
  return common.empty() ? "t" : common;
}

class Labels {
public:
  explicit Labels(const isl::schedule &schedule) {
    for (std::string &label : labelsOf(schedule))
      used_.insert(std::move(label));
  }
  std::string take(const std::string &wanted) {
    std::string label = wanted;
    for (int n = 2; !used_.insert(label).second; ++n)
      label = wanted + std::to_string(n);
    return label;
  }

private:
  std::set<std::string> used_;
};

} // namespace

isl::schedule labelled(const Kernel &kernel, const isl::schedule &schedule) {
  isl::schedule split = splitBands(schedule);
  Labels labels(split);
  // Outer loops get their names first, but mapBottomUp() meets inner ones first: positions in the tree tell them apart.
  std::map<std::vector<int>, std::string> byPosition;
  const auto positionOf = [](isl::schedule_node node) {
    std::vector<int> position;
    while (isl_schedule_node_has_parent(node.get()) == isl_bool_true) {
      position.push_back(static_cast<int>(isl_schedule_node_get_child_position(node.get())));
      node = isl::manage(isl_schedule_node_parent(node.release()));
    }
    return position;
  };
  visit(isl::manage(isl_schedule_get_root(split.get())), [&](const isl::schedule_node &node) {
    if (isBand(node) && !hasLabel(node))
      byPosition.emplace(positionOf(node), labels.take(variableOf(kernel, node)));
  });
  return mapBottomUp(split, [&](const isl::schedule_node &node) {
    if (!isBand(node))
      return node;
    const auto name = byPosition.find(positionOf(node));
    return name == byPosition.end() ? node : insertMark(node, Label{name->second});
  });
}

isl::schedule withoutLabels(const isl::schedule &schedule) {
  return mapBottomUp(schedule, [](const isl::schedule_node &node) {
    return labelAt(node) ? isl::manage(isl_schedule_node_delete(node.copy())) : node;
  });
}

std::optional<LoopNode> loopAt(const isl::schedule_node &node) {
  const std::optional<std::string> label = labelAt(node);
  if (!label)
    return std::nullopt;
  isl::schedule_node band = below(node);
  std::optional<Realisation> how;
  if (const std::optional<Mark> mark = markAt(band)) {
    if (const auto *realisation = std::get_if<Realisation>(&*mark))
      how = *realisation;
    band = below(band);
  }
  return LoopNode{*label, node, how, band};
}

std::vector<LoopNode> loopsOf(const isl::schedule &schedule) {
  std::vector<LoopNode> all;
  visit(isl::manage(isl_schedule_get_root(schedule.get())), [&](const isl::schedule_node &node) {
    if (const std::optional<LoopNode> loop = loopAt(node))
      all.push_back(*loop);
  });
  return all;
}

std::optional<LoopNode> findLoop(const isl::schedule &schedule, const std::string &label) {
  for (const LoopNode &loop : loopsOf(schedule))
    if (loop.label == label)
      return loop;
  return std::nullopt;
}

std::vector<LoopNode> nestFrom(const LoopNode &outermost) {
  std::vector<LoopNode> all{outermost};
  while (const std::optional<LoopNode> next = loopAt(below(all.back().band)))
    all.push_back(*next);
  return all;
}

std::vector<std::string> labelsOf(const isl::schedule &schedule) {
  std::vector<std::string> all;
  for (const LoopNode &loop : loopsOf(schedule))
    all.push_back(loop.label);
  return all;
}

std::string freshLabel(const isl::schedule &schedule, const std::string &wanted) {
  return Labels(schedule).take(wanted);
}

isl::schedule realised(const isl::schedule &schedule, const std::string &label,
                       const std::optional<Realisation> &how) {
  return mapBottomUp(schedule, [&](const isl::schedule_node &node) {
    if (labelAt(node) != label)
      return node;
    isl::schedule_node inner = below(node);
    if (markAt(inner))
      inner = isl::manage(isl_schedule_node_delete(inner.release()));
    if (how)
      inner = insertMark(inner, *how);
    return isl::manage(isl_schedule_node_parent(inner.release()));
  });
}

isl::schedule_node insertLoop(const isl::schedule_node &node, const NewLoop &loop) {
  isl_schedule_node *made = isl_schedule_node_insert_partial_schedule(
      node.copy(), isl_multi_union_pw_aff_from_union_pw_aff(loop.function.copy()));
  isl::schedule_node band =
      isl::manage(isl_schedule_node_band_member_set_coincident(made, 0, loop.isParallel));
  if (loop.how)
    band = insertMark(band, *loop.how);
  return insertMark(band, Label{loop.label});
}

isl::schedule replaceLoops(const std::vector<LoopNode> &nest, const std::vector<NewLoop> &loops) {
  isl::schedule_node node = nest.front().top;
  for (std::size_t k = 0; k < nest.size(); ++k)
    node = removeLoop(*loopAt(node));
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
    node = insertLoop(node, *loop);
  return isl::manage(isl_schedule_node_get_schedule(node.get()));
}

isl::schedule_node removeLoop(const LoopNode &loop) {
  isl::schedule_node node = isl::manage(isl_schedule_node_delete(loop.top.copy()));
  if (loop.how)
    node = isl::manage(isl_schedule_node_delete(node.release()));
  return isl::manage(isl_schedule_node_delete(node.release()));
}

} // namespace pbc::kernel
