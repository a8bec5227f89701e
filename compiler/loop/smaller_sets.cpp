// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/smaller_sets.h"
#include "compiler/kernel/rebuild.h"
#include "compiler/kernel/tree.h"
#include <isl/aff.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_set.h>

namespace pbc::loop {
namespace {

isl::union_set withoutUnusedParameters(const isl::union_set &instances) {
  isl_union_set *made = isl_union_set_empty_ctx(isl_union_set_get_ctx(instances.get()));
  instances.foreach_set(
      [&](const isl::set &of) { made = isl_union_set_add_set(made, isl_set_drop_unused_params(of.copy())); });
  return isl::manage(made);
}

class WithoutUnusedParameters : public kernel::Rebuild {
protected:
  isl::union_pw_aff function(const isl::schedule_node &band) override {
    const isl::union_pw_aff old = kernel::member(band, 0);
    isl_union_pw_aff *made = isl_union_pw_aff_empty_ctx(isl_union_pw_aff_get_ctx(old.get()));
    isl_union_pw_aff_foreach_pw_aff(
        old.get(),
        [](isl_pw_aff *of, void *user) {
          auto &all = *static_cast<isl_union_pw_aff **>(user);
          all = isl_union_pw_aff_add_pw_aff(all, isl_pw_aff_drop_unused_params(of));
          return isl_stat_ok;
        },
        static_cast<void *>(&made));
    return isl::manage(made);
  }
  isl::union_set instances(const isl::schedule_node &filter) override {
    return withoutUnusedParameters(isl::manage(isl_schedule_node_filter_get_filter(filter.get())));
  }
};

bool hasDivisions(const isl::set &context) {
  bool has = false;
  context.foreach_basic_set(
      [&](const isl::basic_set &part) { has = has || isl_basic_set_dim(part.get(), isl_dim_div) > 0; });
  return has;
}

bool hasOnlySingleBands(const isl::schedule &tree) {
  bool has = true;
  kernel::visit(isl::manage(isl_schedule_get_root(tree.get())), [&](const isl::schedule_node &node) {
    has = has && (!kernel::isBand(node) || kernel::members(node) == 1);
  });
  return has;
}

} // namespace

SmallerSets withSmallerSets(const isl::schedule &tree, const isl::set &context) {
  SmallerSets made{tree, context};
  if (hasDivisions(context)) {
    made.tree = isl::manage(isl_schedule_gist_domain_params(made.tree.release(), context.copy()));
    made.context = isl::manage(isl_set_remove_divs(context.copy()));
  }
  if (hasOnlySingleBands(tree)) {
    const isl::union_set domain = isl::manage(isl_schedule_get_domain(made.tree.get()));
    made.tree = WithoutUnusedParameters().run(made.tree, withoutUnusedParameters(domain));
  }
  made.context = isl::manage(isl_set_drop_unused_params(made.context.release()));
  return made;
}

} // namespace pbc::loop
