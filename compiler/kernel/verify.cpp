// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/verify.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/tree.h"
#include <fmt/format.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <map>

namespace pbc::kernel {
namespace {

/// The instances below the declarations of each Local and each scratch buffer.
std::map<std::string, isl::union_set> belowDeclarations(const isl::schedule &tree) {
  std::map<std::string, isl::union_set> all;
  visit(isl::manage(isl_schedule_get_root(tree.get())), [&](const isl::schedule_node &node) {
    const std::optional<Mark> mark = markAt(node);
    const auto *declares = mark ? std::get_if<Declare>(&*mark) : nullptr;
    if (!declares)
      return;
    const isl::union_set below = isl::manage(isl_schedule_node_get_domain(node.get()));
    const auto [at, isNew] = all.emplace(declares->local, below);
    if (!isNew)
      at->second = at->second.unite(below);
  });
  return all;
}

/// What is wrong with the functions of a band: each instance that reaches it needs a value.
std::string wrongFunction(const Kernel &kernel, const isl::schedule_node &band, const std::string &title) {
  const isl::union_set here = isl::manage(isl_schedule_node_get_domain(band.get()));
  for (int k = 0; k < members(band); ++k) {
    const isl::union_set has = isl::manage(isl_union_pw_aff_domain(member(band, k).release()));
    if (!here.intersect_params(kernel.context).is_subset(has))
      return fmt::format("a loop of the {} has no value for some instances", title);
    for (const std::string &name : statementsOf(has))
      if (statementIndex(kernel, name) < 0)
        return fmt::format("a loop of the {} has values for {}, which is no statement", title, name);
  }
  return "";
}

/// What is wrong with a tree that says how the kernel's statements run.
std::vector<std::string> verifyTree(const Scheduled &kernel, const isl::schedule &tree,
                                    const isl::union_set &domain, const std::string &title) {
  std::vector<std::string> complaints;
  const isl::union_set scheduled = isl::manage(isl_schedule_get_domain(tree.get()));
  if (!domain.intersect_params(kernel.context).is_equal(scheduled.intersect_params(kernel.context)))
    complaints.push_back(fmt::format("the {}'s domain is not the union of the statements' domains", title));
  const std::map<std::string, isl::union_set> declared = belowDeclarations(tree);
  for (const Statement &s : kernel.statements)
    for (const Access &a : s.accesses) {
      const Buffer &b = kernel.buffers[a.buffer];
      const auto at = declared.find(b.name);
      const isl::union_set here =
          isl::union_set(s.domain).intersect(scheduled).intersect_params(kernel.context);
      if (!isMatrix(b) && (at == declared.end() || !here.is_subset(at->second)))
        complaints.push_back(fmt::format("{} uses {} where it is not declared", s.name, b.name));
    }
  const isl::union_map here = kernel.dependences.intersect_domain(domain).intersect_range(domain);
  if (!withFlags(tree, here))
    complaints.push_back(fmt::format("the {} breaks a dependence", title));
  visit(isl::manage(isl_schedule_get_root(tree.get())), [&](const isl::schedule_node &node) {
    if (std::string wrong = isBand(node) ? wrongFunction(kernel, node, title) : ""; !wrong.empty())
      complaints.push_back(std::move(wrong));
    if (isBand(node) && members(node) == 1 && isParallel(node) && !isParallel(node, 0, here))
      complaints.push_back(
          fmt::format("a loop of the {} carries a dependence and is marked as parallel", title));
  });
  return complaints;
}

} // namespace

std::vector<std::string> verify(const Scheduled &kernel) {
  std::vector<std::string> complaints;
  auto require = [&](bool holds, const std::string &text) {
    if (!holds)
      complaints.push_back(text);
  };
  isl_union_set *all = isl_union_set_empty_ctx(isl_set_get_ctx(kernel.context.get()));
  std::set<std::string> names;
  for (const Statement &s : kernel.statements) {
    all = isl_union_set_add_set(all, s.domain.copy());
    require(names.insert(s.name).second, "two statements are called " + s.name);
    const char *tuple = isl_set_get_tuple_name(s.domain.get());
    require(tuple && s.name == tuple, "the domain of " + s.name + " has another name");
    require(isl_set_dim(s.domain.get(), isl_dim_set) == static_cast<int>(s.dimensions.size()),
            s.name + " has names for " + std::to_string(s.dimensions.size()) + " dimensions only");
    require(s.freeCount <= static_cast<int>(s.dimensions.size()),
            s.name + " has more free variables than dimensions");
    require(s.isOpaque || s.copy || (s.value && s.write >= 0 && s.accesses[s.write].isWrite),
            s.name + " writes nothing");
    require(!s.isOpaque || s.arguments.size() + s.ownInputs.size() == s.accesses.size(),
            s.name + " has an access that is not an argument");
    for (const Access &a : s.accesses) {
      const char *from = isl_map_get_tuple_name(a.relation.get(), isl_dim_in);
      const char *to = isl_map_get_tuple_name(a.relation.get(), isl_dim_out);
      require(from && s.name == from, "an access of " + s.name + " starts elsewhere");
      const Buffer &b = kernel.buffers[a.buffer];
      require(to && b.name == to, "an access of " + s.name + " does not end in " + b.name);
      require(isl_map_dim(a.relation.get(), isl_dim_out) == b.rank,
              "an access to " + b.name + " has another rank");
      require(!a.isWrite || b.role != Buffer::Role::Input, s.name + " writes the input " + b.name);
      require(s.isOpaque || s.copy || isl_map_is_single_valued(a.relation.get()) == isl_bool_true,
              "an access of " + s.name + " names several cells");
    }
  }
  for (const Buffer &b : kernel.buffers)
    require(b.role == Buffer::Role::Local || b.lanes == 0, "the matrix " + b.name + " has lanes");
  const isl::union_set domain = isl::manage(all);
  const auto add = [&](const isl::schedule &tree, const std::string &title) {
    for (std::string &complaint : verifyTree(kernel, tree, domain, title))
      complaints.push_back(std::move(complaint));
  };
  add(kernel.schedule.tree, "schedule");
  if (kernel.schedule.plain)
    add(*kernel.schedule.plain, "plain schedule");
  return complaints;
}

} // namespace pbc::kernel
