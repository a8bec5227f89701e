// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/parts.h"

namespace pbc::emit {

std::string entryOfLibrary(const Scope &scope, const std::string &run) {
  const auto &t = scope.transform;
  std::string fill = t.hasBins() ? "  pb_f.bin = pb_bin;\n" : "";
  for (int k = 0; k < static_cast<int>(t.matrices.size());
       ++k) { // inputs and outputs come first, as in the tables
    const auto &m = t.matrices[k];
    if (m.role == sema::Role::Through)
      continue;
    const std::string name = poly::mangle(m.name), at = fmt::format("pb_a[{}]", m.after.value_or(k));
    const bool isInput = m.role == sema::Role::Input;
    if (m.rank() == 0 && isInput)
      fill += fmt::format(
          "  pb_f.a_{0} = *static_cast<{1} *>({2}.base);\n  pb_f.m_{0} = {3}(&pb_f.a_{0}, nullptr, "
          "nullptr);\n",
          name, sema::cxxType(m.element), at, regionType(m.element, 0, true));
    else
      fill += fmt::format("  pb_f.m_{} = {}({});\n", name, regionType(m.element, m.rank(), isInput), at);
  }
  return fmt::format(
      "static void pb_run_here(const pb::AnyRegion *pb_a, const long *pb_params, int pb_bin) {{\n"
      "  (void)pb_a; (void)pb_bin;\n  {} pb_f;\n{}  pb_f.params = pb_params;\n  pb_enter(&pb_f);\n  "
      "{};\n}}\n\n",
      scope.frame(), fill, run);
}

} // namespace pbc::emit
