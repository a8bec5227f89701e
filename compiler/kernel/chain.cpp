// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/chain.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/loops.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>

namespace pbc::kernel {
namespace {

class Chainer {
public:
  explicit Chainer(const std::set<int> &temporaries) : temporaries_(temporaries) {}

  /// A sentence if the kernel cannot be added.
  std::string add(const Scheduled &next) {
    for (const Statement &statement : next.statements)
      if (statement.isOpaque)
        return fmt::format("the body of {} was not lifted", statement.name);
    std::vector<int> places;
    for (const Buffer &buffer : next.buffers) {
      places.push_back(placeOf(buffer));
      if (places.back() < 0)
        return fmt::format("two of its kernels have a variable {}", buffer.name);
    }
    isl_union_pw_multi_aff *toOld =
        isl_union_pw_multi_aff_empty_ctx(isl_set_get_ctx(next.context.get())); // from the new names
    for (const Statement &statement : next.statements)
      toOld = isl_union_pw_multi_aff_add_pw_multi_aff(toOld, addStatement(statement, places));
    isl_schedule *tree =
        isl_schedule_pullback_union_pw_multi_aff(withoutLabels(next.schedule.tree).release(), toOld);
    if (isFirst_) {
      made_.parameters = next.parameters;
      made_.context = next.context;
      made_.reassociates = next.reassociates;
      made_.schedule.tree = isl::manage(tree);
    } else {
      made_.context = made_.context.intersect(next.context);
      made_.reassociates = made_.reassociates && next.reassociates;
      made_.schedule.tree = isl::manage(isl_schedule_sequence(made_.schedule.tree.release(), tree));
    }
    isFirst_ = false;
    return "";
  }

  Outcome finish(const std::string &name) {
    made_.name = name;
    for (Buffer &buffer : made_.buffers)
      buffer.isPrivate = buffer.role == Buffer::Role::Output && temporaries_.contains(buffer.matrix);
    if (!poly::withBudget(made_.context.ctx(), kDependenceBudget,
                          [&] { made_.dependences = dependences(made_); }))
      return {std::nullopt, "their statements depend on each other in too many ways"};
    made_.schedule.tree = labelled(made_, made_.schedule.tree);
    made_.schedule.tree = withFlags(made_.schedule.tree, made_.dependences).value_or(made_.schedule.tree);
    return {std::move(made_), ""};
  }

private:
  /// Where the buffer is among those of the chain; it is added if it is a new one. -1: another one has its name.
  int placeOf(const Buffer &buffer) {
    const auto known = std::ranges::find_if(
        made_.buffers, [&](const Buffer &b) { return b.name == buffer.name && b.matrix == buffer.matrix; });
    if (known == made_.buffers.end()) {
      made_.buffers.push_back(buffer);
      made_.buffers.back().readElsewhere.reset();
      return int(made_.buffers.size()) - 1;
    }
    if (!isMatrix(buffer))
      return -1;
    if (buffer.role == Buffer::Role::Output)
      known->role = Buffer::Role::Output;
    return int(known - made_.buffers.begin());
  }

  /// Gives it a name that no other one has; from its instances to those under the old name.
  isl_pw_multi_aff *addStatement(const Statement &statement, const std::vector<int> &places) {
    Statement added = statement;
    for (int number = 2; std::ranges::count(made_.statements, added.name, &Statement::name) > 0; ++number)
      added.name = fmt::format("{}_{}", statement.name, number);
    const char *name = added.name.c_str();
    added.domain = isl::manage(isl_set_set_tuple_name(added.domain.release(), name));
    for (Access &access : added.accesses) {
      access.buffer = places[std::size_t(access.buffer)];
      access.relation = isl::manage(isl_map_set_tuple_name(access.relation.release(), isl_dim_in, name));
    }
    isl_multi_aff *same = isl_multi_aff_identity_on_domain_space(isl_set_get_space(added.domain.get()));
    same = isl_multi_aff_set_tuple_name(same, isl_dim_out, statement.name.c_str());
    made_.statements.push_back(std::move(added));
    return isl_pw_multi_aff_from_multi_aff(same);
  }

  const std::set<int> &temporaries_;
  Scheduled made_;
  bool isFirst_ = true;
};

} // namespace

Outcome chained(const std::vector<Scheduled> &kernels, const std::string &name,
                const std::set<int> &temporaries) {
  Chainer chainer(temporaries);
  for (const Scheduled &next : kernels)
    if (std::string why = chainer.add(next); !why.empty())
      return {std::nullopt, std::move(why)};
  return chainer.finish(name);
}

} // namespace pbc::kernel
