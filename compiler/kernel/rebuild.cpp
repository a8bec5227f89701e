// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/rebuild.h"
#include "compiler/kernel/legal.h"
#include <isl/id.h>
#include <isl/schedule.h>
#include <isl/union_set.h>
#include <stdexcept>

namespace pbc::kernel {
namespace {

isl::schedule_node child(const isl::schedule_node &node, int k = 0) {
  return isl::manage(isl_schedule_node_get_child(node.get(), k));
}

isl::schedule_node parent(const isl::schedule_node &node, int generation = 1) {
  return isl::manage(isl_schedule_node_ancestor(node.copy(), generation));
}

} // namespace

isl::schedule Rebuild::run(const isl::schedule &old, const isl::union_set &domain) {
  const isl::schedule made = isl::manage(isl_schedule_from_domain(domain.copy()));
  const isl::schedule_node leaf = child(isl::manage(isl_schedule_get_root(made.get())));
  const isl::schedule_node done = put(child(isl::manage(isl_schedule_get_root(old.get()))), leaf);
  return isl::manage(isl_schedule_node_get_schedule(done.get()));
}

bool Rebuild::staysParallel(const isl::schedule_node &band) { return isParallel(band); }

isl::schedule_node Rebuild::put(const isl::schedule_node &old, const isl::schedule_node &leaf) {
  return at(old, leaf, [&](const isl::schedule_node &here) { return putNode(old, here); });
}

isl::schedule_node Rebuild::putNode(const isl::schedule_node &old, const isl::schedule_node &leaf) {
  const isl_schedule_node_type type = isl_schedule_node_get_type(old.get());
  switch (type) {
  case isl_schedule_node_leaf:
    return leaf;
  case isl_schedule_node_band: {
    isl_schedule_node *made = isl_schedule_node_insert_partial_schedule(
        leaf.copy(), isl_multi_union_pw_aff_from_union_pw_aff(function(old).release()));
    const isl::schedule_node band =
        isl::manage(isl_schedule_node_band_member_set_coincident(made, 0, staysParallel(old)));
    return parent(put(child(old), child(band)));
  }
  case isl_schedule_node_mark: {
    const isl::schedule_node mark = insertMark(leaf, *markAt(old));
    return parent(put(child(old), child(mark)));
  }
  case isl_schedule_node_sequence:
  case isl_schedule_node_set: {
    const int n = static_cast<int>(isl_schedule_node_n_children(old.get()));
    isl_union_set_list *filters = isl_union_set_list_alloc(isl_schedule_node_get_ctx(old.get()), n);
    for (int k = 0; k < n; ++k)
      filters = isl_union_set_list_add(filters, instances(child(old, k)).release());
    isl::schedule_node made =
        isl::manage(type == isl_schedule_node_set ? isl_schedule_node_insert_set(leaf.copy(), filters)
                                                  : isl_schedule_node_insert_sequence(leaf.copy(), filters));
    for (int k = 0; k < n; ++k)
      made = parent(put(child(child(old, k)), child(child(made, k))), 2);
    return made;
  }
  default:
    throw std::logic_error("a schedule has a node of a kind that no transformation makes");
  }
}

} // namespace pbc::kernel
