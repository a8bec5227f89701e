// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/other_statements.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/rebuild.h"
#include "compiler/kernel/tree.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

/// The tree of the kernel before for the instances of some of its statements, of which there may be others than before.
class OtherInstances : public Rebuild {
public:
  /// `forward`: each loop over a dimension goes upwards.
  OtherInstances(const Kernel &before, const std::vector<Statement> &statements, bool forward)
      : before_(before), statements_(statements), isForward_(forward) {}

protected:
  isl::union_pw_aff function(const isl::schedule_node &band) override {
    const auto direction = isForward_ ? memberDirection(before_, band) : std::nullopt;
    if (!direction)
      return member(band, 0);
    const std::vector<std::string> names = statementsAt(band);
    isl_union_pw_aff *all = isl_union_pw_aff_empty_ctx(isl_schedule_node_get_ctx(band.get()));
    for (const Statement &s : statements_)
      if (std::count(names.begin(), names.end(), s.name))
        all = isl_union_pw_aff_add_pw_aff(
            all, isl_pw_aff_from_aff(
                     isl_aff_var_on_domain(isl_local_space_from_space(isl_set_get_space(s.domain.get())),
                                           isl_dim_set, static_cast<unsigned>(direction->dimension))));
    return isl::manage(all);
  }
  isl::union_set instances(const isl::schedule_node &filter) override {
    const isl::union_set before = isl::manage(isl_schedule_node_filter_get_filter(filter.get()));
    const std::vector<std::string> names = statementsOf(before);
    isl_union_set *here = isl_union_set_empty_ctx(isl_union_set_get_ctx(before.get()));
    for (const Statement &s : statements_)
      if (std::count(names.begin(), names.end(), s.name))
        here = isl_union_set_add_set(here, s.domain.copy());
    return isl::manage(here);
  }

private:
  const Kernel &before_;
  const std::vector<Statement> &statements_;
  bool isForward_;
};

} // namespace

Scheduled withStatements(const Scheduled &before, std::vector<Statement> statements, InOrder order) {
  Scheduled made = before;
  made.statements = std::move(statements);
  isl_union_set *domain = isl_union_set_empty_ctx(isl_set_get_ctx(made.context.get()));
  for (Statement &s : made.statements) {
    isl_set *known = isl_set_intersect_params(s.domain.copy(), made.context.copy());
    s.domain = isl::manage(isl_set_gist_params(isl_set_remove_redundancies(known), made.context.copy()));
    domain = isl_union_set_add_set(domain, s.domain.copy());
  }
  const isl::union_set all = isl::manage(domain);
  const isl::schedule bands = splitBands(before.schedule.tree);
  made.schedule.plain.reset();
  const auto tree = [&](bool forward) {
    return OtherInstances(before, made.statements, forward).run(bands, all);
  };
  made.schedule.tree = tree(false);
  made.dependences = dependences(made);
  std::optional<isl::schedule> flagged;
  if (order == InOrder::Upwards)
    flagged = withFlags(tree(true), made.dependences);
  if (!flagged)
    flagged = withFlags(made.schedule.tree, made.dependences);
  made.schedule.tree = flagged.value_or(made.schedule.tree);
  return made;
}

} // namespace pbc::kernel
