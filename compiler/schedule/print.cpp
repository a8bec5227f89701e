// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/plan.h"
#include <fmt/format.h>
#include <isl/schedule_node.h>

namespace pbc::schedule {

namespace {

/// "[i (parallel), -j]" for the outer band of a step; "once" without loops.
std::string loops(const isl::schedule &order) {
  isl_schedule_node *node = isl_schedule_get_root(order.get());
  node = isl_schedule_node_child(node, 0);
  std::string out;
  if (isl_schedule_node_get_type(node) == isl_schedule_node_band) {
    isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
    const int members = static_cast<int>(isl_schedule_node_band_n_member(node));
    for (int i = 0; i < members; ++i) {
      isl_union_pw_aff *member = isl_multi_union_pw_aff_get_union_pw_aff(partial, i);
      char *text = isl_union_pw_aff_to_str(member);
      std::string s = text;
      free(text);
      isl_union_pw_aff_free(member);
      if (const auto arrow = s.find("-> {"); arrow != std::string::npos)
        s = s.substr(arrow + 3);
      out += fmt::format("{}{}{}", i ? ", " : "", s,
                         isl_schedule_node_band_member_get_coincident(node, i) ? " parallel" : " in order");
    }
    isl_multi_union_pw_aff_free(partial);
  }
  isl_schedule_node_free(node);
  return out.empty() ? "once" : out;
}

} // namespace

std::string print(const sema::Module &module, const std::vector<TransformPlans> &plans) {
  std::string out;
  for (const auto &t : module.transforms) {
    out += fmt::format("plans of {}\n", t.name);
    for (const auto &p : plans[t.index].plans) {
      out += fmt::format("  alternative {}\n", p.alternative);
      for (std::size_t s = 0; s < p.steps.size(); ++s) {
        const auto &step = p.steps[s];
        out += fmt::format("    step {}", s);
        if (!step.after.empty())
          out += fmt::format(" after {}", fmt::join(step.after, ", "));
        if (step.callsTransforms)
          out += "  calls transforms";
        out += "\n";
        for (const auto &use : step.uses)
          out += fmt::format("      {} on {}\n", t.rules[use.rule].label, poly::text(use.domain));
        out += fmt::format("      loops {}\n", loops(step.order));
      }
    }
  }
  return out;
}

} // namespace pbc::schedule
