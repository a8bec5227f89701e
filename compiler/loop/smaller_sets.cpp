// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/smaller_sets.h"
#include "compiler/kernel/rebuild.h"
#include "compiler/kernel/tree.h"
#include <functional>
#include <isl/aff.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/union_set.h>
#include <set>
#include <string>

namespace pbc::loop {
namespace {

std::string nameOf(isl_space *params, int k) {
  return isl_space_get_dim_name(params, isl_dim_param, static_cast<unsigned>(k));
}

int countOf(isl_space *params) { return static_cast<int>(isl_space_dim(params, isl_dim_param)); }

/// Calls `of` for the function of each statement.
void forEach(const isl::union_pw_aff &function, const std::function<void(const isl::pw_aff &)> &of) {
  isl_union_pw_aff_foreach_pw_aff(
      function.get(),
      [](isl_pw_aff *each, void *user) {
        (*static_cast<const std::function<void(const isl::pw_aff &)> *>(user))(isl::manage(each));
        return isl_stat_ok;
      },
      const_cast<void *>(static_cast<const void *>(&of)));
}

/// The parameters that sets and functions have, and those that some condition or value names.
class Parameters {
public:
  void add(const isl::union_set &all) {
    all.foreach_set([&](const isl::set &s) { add(s); });
  }
  void add(const isl::set &s) {
    isl_space *params = isl_set_get_space(s.get());
    for (int k = 0; k < countOf(params); ++k)
      note(nameOf(params, k),
           isl_set_involves_dims(s.get(), isl_dim_param, static_cast<unsigned>(k), 1) != isl_bool_false);
    isl_space_free(params);
  }
  void add(const isl::union_pw_aff &function) {
    forEach(function, [&](const isl::pw_aff &f) {
      isl_space *params = isl_pw_aff_get_space(f.get());
      for (int k = 0; k < countOf(params); ++k)
        note(nameOf(params, k),
             isl_pw_aff_involves_dims(f.get(), isl_dim_param, static_cast<unsigned>(k), 1) != isl_bool_false);
      isl_space_free(params);
    });
  }
  bool areAllUsed() const { return used_.size() == all_.size(); }
  bool isUsed(const std::string &name) const { return used_.count(name) != 0; }

private:
  void note(const std::string &name, bool isUsed) {
    all_.insert(name);
    if (isUsed)
      used_.insert(name);
  }
  std::set<std::string> all_, used_;
};

Parameters parametersOf(const isl::schedule &tree, const isl::set &context) {
  Parameters all;
  all.add(context);
  all.add(isl::manage(isl_schedule_get_domain(tree.get())));
  kernel::visit(isl::manage(isl_schedule_get_root(tree.get())), [&](const isl::schedule_node &node) {
    if (kernel::isBand(node))
      all.add(kernel::member(node, 0));
    else if (isl_schedule_node_get_type(node.get()) == isl_schedule_node_filter)
      all.add(isl::manage(isl_schedule_node_filter_get_filter(node.get())));
  });
  return all;
}

/// The tree over the parameters that are used, in their old order: isl's work, and the order of conditions, depend on it.
class OverUsedParameters : public kernel::Rebuild {
public:
  OverUsedParameters(const Parameters &parameters, const isl::union_set &domain)
      : params_(isl_space_params(isl_union_set_get_space(domain.get()))) {
    for (int k = countOf(params_) - 1; k >= 0; --k)
      if (!parameters.isUsed(nameOf(params_, k)))
        params_ = isl_space_drop_dims(params_, isl_dim_param, static_cast<unsigned>(k), 1);
  }
  ~OverUsedParameters() override { isl_space_free(params_); }
  OverUsedParameters(const OverUsedParameters &) = delete;
  OverUsedParameters &operator=(const OverUsedParameters &) = delete;

  isl::union_set over(const isl::union_set &instances) const {
    isl_union_set *made = isl_union_set_empty(isl_space_copy(params_));
    instances.foreach_set([&](const isl::set &of) {
      made = isl_union_set_add_set(made, isl_set_drop_unused_params(of.copy()));
    });
    return isl::manage(made);
  }

protected:
  isl::union_pw_aff function(const isl::schedule_node &band) override {
    isl_union_pw_aff *made = isl_union_pw_aff_empty(isl_space_copy(params_));
    forEach(kernel::member(band, 0), [&](const isl::pw_aff &of) {
      made = isl_union_pw_aff_add_pw_aff(made, isl_pw_aff_drop_unused_params(of.copy()));
    });
    return isl::manage(made);
  }
  isl::union_set instances(const isl::schedule_node &filter) override {
    return over(isl::manage(isl_schedule_node_filter_get_filter(filter.get())));
  }

private:
  isl_space *params_;
};

isl::set withoutUnused(isl::set context, const Parameters &parameters) {
  for (int k = static_cast<int>(isl_set_dim(context.get(), isl_dim_param)) - 1; k >= 0; --k)
    if (!parameters.isUsed(isl_set_get_dim_name(context.get(), isl_dim_param, static_cast<unsigned>(k))))
      context =
          isl::manage(isl_set_project_out(context.release(), isl_dim_param, static_cast<unsigned>(k), 1));
  return context;
}

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
  if (!hasOnlySingleBands(tree))
    return made;
  const Parameters parameters = parametersOf(made.tree, made.context);
  if (parameters.areAllUsed())
    return made;
  const isl::union_set domain = isl::manage(isl_schedule_get_domain(made.tree.get()));
  OverUsedParameters rebuilding(parameters, domain);
  return {rebuilding.run(made.tree, rebuilding.over(domain)), withoutUnused(made.context, parameters)};
}

} // namespace pbc::loop
