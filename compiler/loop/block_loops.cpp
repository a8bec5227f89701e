// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/block_loops.h"
#include "compiler/kernel/tree.h"
#include <algorithm>
#include <isl/schedule_node.h>

namespace pbc::loop {
namespace {

/// Whether the parts of a sequence below the band have a statement in common.
bool sharesStatements(const isl::schedule_node &band) {
  isl::schedule_node node = band.child(0);
  while (isl_schedule_node_get_type(node.get()) == isl_schedule_node_mark)
    node = node.child(0);
  if (isl_schedule_node_get_type(node.get()) != isl_schedule_node_sequence)
    return false;
  std::vector<std::string> all;
  for (int k = 0, n = static_cast<int>(isl_schedule_node_n_children(node.get())); k < n; ++k)
    for (std::string &name : kernel::statementsAt(node.child(k).child(0)))
      all.push_back(std::move(name));
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) != all.end();
}

} // namespace

isl::schedule withSingleBlockLoops(const kernel::Kernel &kernel, const isl::schedule &schedule) {
  return kernel::mapBottomUp(schedule, [&](isl::schedule_node node) {
    if (!kernel::isBand(node) || kernel::members(node) != 1 || kernel::memberDirection(kernel, node) ||
        !sharesStatements(node))
      return node;
    return isl::manage(
        isl_schedule_node_band_member_set_ast_loop_type(node.release(), 0, isl_ast_loop_atomic));
  });
}

} // namespace pbc::loop
