// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Emits `verify_accuracy` in a body: the metric over the current outputs, compared with the bin's target.
#include "compiler/emit/parts.h"
#include <algorithm>

namespace pbc::emit {

std::string verifyFunction(const Scope &scope) {
  const auto &t = scope.transform;
  const auto verifies = [](const body::Edit &e) { return e.kind == body::Edit::Kind::Verify; };
  if (std::none_of(scope.facts().begin(), scope.facts().end(), [&](const body::Facts &f) {
        return std::any_of(f.edits.begin(), f.edits.end(), verifies);
      }))
    return "";
  const auto &metric = *scope.input.module.find(t.metric);
  const auto result = std::find_if(metric.matrices.begin(), metric.matrices.end(),
                                   [](const auto &m) { return m.role == sema::Role::Output; });
  std::string arguments = metric.hasBins() ? "pb_f.depth + 1, 0, pb_found" : "pb_f.depth + 1, pb_found";
  for (const sema::Role role : {sema::Role::Output, sema::Role::Input})
    for (const auto &m : t.matrices)
      if (m.role == role)
        arguments += fmt::format(", pb_f.m_{}{}", poly::mangle(m.name), m.rank() == 0 ? ".cell()" : "");
  const bool falls = t.bins.size() > 1 && t.bins[1] < t.bins[0];
  return fmt::format("PB_SMALL static void pb_verify(const {} &pb_f) {{\n  {} pb_found;\n  pb_seq_{}({});\n"
                     "  pb::pb_verify_accuracy({}, {}, pb_found, pb_f.v_ACCURACY_TARGET, "
                     "pb::Better::{});\n}}\n\n",
                     scope.frame(), sema::cxxType(result->element), metric.symbol, arguments, quoted(t.name),
                     t.hasBins() ? "pb_f.bin" : "-1", falls ? "Smaller" : "Larger");
}

} // namespace pbc::emit
