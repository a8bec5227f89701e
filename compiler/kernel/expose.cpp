// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/expose.h"
#include "compiler/kernel/rebuild.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

/// Which dimension of the statement a function is; -1: none.
int plainDimension(const isl::pw_aff &f, const Statement &s) {
  for (int d = 0; d < static_cast<int>(s.dimensions.size()); ++d) {
    isl_local_space *space = isl_local_space_from_space(isl_pw_aff_get_domain_space(f.get()));
    isl_pw_aff *x = isl_pw_aff_from_aff(isl_aff_var_on_domain(space, isl_dim_set, static_cast<unsigned>(d)));
    x = isl_pw_aff_intersect_domain(x, f.domain().release());
    const bool isEqual = isl_pw_aff_is_equal(f.get(), x) == isl_bool_true;
    isl_pw_aff_free(x);
    if (isEqual)
      return d;
  }
  return -1;
}

/// What becomes of one statement.
struct Change {
  int count = 0;      // new dimensions, behind the others
  isl::map extension; // { S[i] -> S[i, p] : p = the loops' values }
  std::vector<int> dimensions;
};

class Exposing : public Rebuild {
public:
  Exposing(const std::map<std::string, Change> &changes, const std::vector<std::string> &labels)
      : changes_(changes), labels_(labels) {}

  /// The same instances with their new dimensions.
  isl::union_set extended(const isl::union_set &old) const {
    isl::union_set all = old;
    for (const auto &[name, change] : changes_) {
      const isl::union_set own = isl::manage(isl_union_set_from_set(isl_map_domain(change.extension.copy())));
      const isl::union_set here = all.intersect(isl::manage(isl_union_set_universe(own.copy())));
      const isl::union_map extension = isl::manage(isl_union_map_from_map(change.extension.copy()));
      all = all.subtract(here).unite(here.apply(extension));
    }
    return all;
  }

protected:
  isl::union_pw_aff function(const isl::schedule_node &band) override {
    const auto exposed = exposedAt(band);
    isl_union_pw_aff *all = nullptr;
    for (const std::string &name : statementsAt(band)) {
      std::optional<isl::pw_aff> f = member(band, 0, name);
      if (!f)
        continue;
      const auto change = changes_.find(name);
      isl_union_pw_aff *here = isl_union_pw_aff_from_pw_aff(
          change == changes_.end() ? f->copy() : functionOf(*f, change->second, exposed));
      all = all ? isl_union_pw_aff_union_add(all, here) : here;
    }
    return isl::manage(all);
  }

  isl::union_set instances(const isl::schedule_node &filter) override {
    isl_union_set *all = isl_schedule_node_filter_get_filter(filter.get());
    return extended(isl::manage(all));
  }

private:
  /// `exposed`: which of the loops it is.
  static isl_pw_aff *functionOf(const isl::pw_aff &old, const Change &change, int exposed) {
    isl_space *space = isl_space_range(isl_map_get_space(change.extension.get()));
    if (exposed >= 0)
      return isl_pw_aff_from_aff(
          isl_aff_var_on_domain(isl_local_space_from_space(space), isl_dim_set,
                                static_cast<unsigned>(change.dimensions[static_cast<std::size_t>(exposed)])));
    const auto n = static_cast<unsigned>(isl_space_dim(space, isl_dim_set)),
               count = static_cast<unsigned>(change.count);
    isl_id *id = isl_space_get_tuple_id(space, isl_dim_set);
    isl_space_free(space);
    return isl_pw_aff_set_tuple_id(isl_pw_aff_insert_dims(old.copy(), isl_dim_in, n - count, count),
                                   isl_dim_in, id);
  }

  /// Which of the loops the band makes; -1: another one.
  int exposedAt(isl::schedule_node node) const {
    while (isl_schedule_node_has_parent(node.get()) == isl_bool_true) {
      node = isl::manage(isl_schedule_node_parent(node.release()));
      const std::optional<Mark> mark = markAt(node);
      if (!mark)
        return -1;
      if (const auto *label = std::get_if<Label>(&*mark)) {
        const auto at = std::find(labels_.begin(), labels_.end(), label->name);
        return at == labels_.end() ? -1 : static_cast<int>(at - labels_.begin());
      }
    }
    return -1;
  }

  const std::map<std::string, Change> &changes_;
  const std::vector<std::string> &labels_;
};

/// How the statement changes if these loops become dimensions.
Change changeOf(const Kernel &kernel, const Statement &s, const std::vector<LoopNode> &loops,
                std::vector<std::string> &names) {
  Change change;
  isl_map *extension = isl_set_identity(s.domain.copy());
  for (const LoopNode &loop : loops) {
    const isl::pw_aff f = *member(loop.band, 0, s.name);
    if (const int d = plainDimension(f, s); d >= 0) {
      change.dimensions.push_back(d);
      continue;
    }
    change.dimensions.push_back(static_cast<int>(s.dimensions.size()) + change.count++);
    std::vector<std::string> taken = s.dimensions;
    taken.insert(taken.end(), names.begin(), names.end());
    names.push_back(freshDimension(kernel, taken, loop.label));
    extension = isl_map_flat_range_product(extension, isl_map_from_pw_aff(f.copy()));
  }
  change.extension = isl::manage(isl_map_set_tuple_name(extension, isl_dim_out, s.name.c_str()));
  return change;
}

} // namespace

std::string freshDimension(const Kernel &kernel, const std::vector<std::string> &dimensions,
                           const std::string &wanted) {
  std::string name = wanted;
  while (std::count(dimensions.begin(), dimensions.end(), name) ||
         std::count(kernel.parameters.begin(), kernel.parameters.end(), name))
    name += '_';
  return name;
}

std::optional<Exposed> expose(const Scheduled &kernel, const std::vector<std::string> &labels) {
  std::vector<LoopNode> loops;
  for (const std::string &label : labels)
    loops.push_back(*findLoop(kernel.schedule.tree, label));
  Exposed out{kernel, {}};
  std::map<std::string, Change> changes;
  const isl::schedule_node below = loops.empty() ? kernel.schedule.tree.root().child(0) : loops.back().band;
  for (const std::string &name : statementsAt(below)) {
    const int index = statementIndex(kernel, name);
    Statement &s = out.kernel.statements[static_cast<std::size_t>(index)];
    if (s.isOpaque && !loops.empty())
      return std::nullopt;
    std::vector<std::string> names;
    Change change = changeOf(kernel, s, loops, names);
    out.dimensions[index] = change.dimensions;
    if (change.count == 0)
      continue;
    const auto n = static_cast<unsigned>(s.dimensions.size()), count = static_cast<unsigned>(change.count);
    s.domain = isl::manage(isl_set_apply(s.domain.copy(), change.extension.copy()));
    for (Access &a : s.accesses) {
      isl_map *relation = isl_map_insert_dims(a.relation.copy(), isl_dim_in, n, count);
      a.relation = isl::manage(isl_map_set_tuple_name(relation, isl_dim_in, s.name.c_str()));
    }
    s.dimensions.insert(s.dimensions.end(), names.begin(), names.end());
    changes.emplace(name, std::move(change));
  }
  if (changes.empty())
    return out;
  Exposing exposing(changes, labels);
  const isl::union_set domain = isl::manage(isl_schedule_get_domain(kernel.schedule.tree.get()));
  out.kernel.schedule.tree = exposing.run(kernel.schedule.tree, exposing.extended(domain));
  isl_union_map *dependences = kernel.dependences.copy();
  for (const auto &[name, change] : changes) {
    isl_union_map *extension = isl_union_map_from_map(change.extension.copy());
    isl_union_set *universe = isl_union_set_universe(isl_union_map_domain(isl_union_map_copy(extension)));
    isl_union_map *from =
        isl_union_map_intersect_domain(isl_union_map_copy(dependences), isl_union_set_copy(universe));
    dependences = isl_union_map_subtract(dependences, isl_union_map_copy(from));
    dependences =
        isl_union_map_union(dependences, isl_union_map_apply_domain(from, isl_union_map_copy(extension)));
    isl_union_map *to = isl_union_map_intersect_range(isl_union_map_copy(dependences), universe);
    dependences = isl_union_map_subtract(dependences, isl_union_map_copy(to));
    dependences = isl_union_map_union(dependences, isl_union_map_apply_range(to, extension));
  }
  out.kernel.dependences = isl::manage(dependences);
  return out;
}

} // namespace pbc::kernel
