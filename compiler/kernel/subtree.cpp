// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/subtree.h"
#include "compiler/kernel/legal.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

isl::schedule_node childOf(const isl::schedule_node &node, int k) {
  return isl::manage(isl_schedule_node_get_child(node.get(), k));
}

std::optional<Subtree> subtreeAt(const isl::schedule_node &node);

std::optional<Subtree> above(const decltype(Subtree::node) &node, const isl::schedule_node &child) {
  std::optional<Subtree> below = subtreeAt(child);
  if (!below)
    return std::nullopt;
  return Subtree{node, {std::move(*below)}, {}};
}

std::optional<Subtree> partsAt(const isl::schedule_node &node, Subtree::Parts parts) {
  Subtree all{parts, {}, {}};
  for (int k = 0, n = static_cast<int>(isl_schedule_node_n_children(node.get())); k < n; ++k) {
    const isl::schedule_node filter = childOf(node, k);
    std::optional<Subtree> below = subtreeAt(childOf(filter, 0));
    if (!below)
      return std::nullopt;
    all.children.push_back(std::move(*below));
    all.instances.push_back(isl::manage(isl_schedule_node_filter_get_filter(filter.get())));
  }
  return all;
}

std::optional<Subtree> subtreeAt(const isl::schedule_node &node) {
  switch (isl_schedule_node_get_type(node.get())) {
  case isl_schedule_node_leaf:
    return Subtree{Subtree::Leaf{}, {}, {}};
  case isl_schedule_node_sequence:
    return partsAt(node, Subtree::Parts::InTurn);
  case isl_schedule_node_set:
    return partsAt(node, Subtree::Parts::InAnyOrder);
  case isl_schedule_node_mark:
    break;
  default:
    return std::nullopt;
  }
  if (const std::optional<LoopNode> loop = loopAt(node))
    return above(NewLoop{loop->label, member(loop->band, 0), loop->how, isParallel(loop->band)},
                 childOf(loop->band, 0));
  const std::optional<Mark> mark = markAt(node);
  const Declare *declares = mark ? std::get_if<Declare>(&*mark) : nullptr;
  return declares ? above(*declares, childOf(node, 0)) : std::nullopt;
}

/// Puts the tree at a leaf; gives the node at the leaf's place.
isl::schedule_node graft(const isl::schedule_node &leaf, const Subtree &tree) {
  if (const NewLoop *loop = tree.loop())
    return insertLoop(graft(leaf, tree.children.front()), *loop);
  if (const auto *declares = std::get_if<Declare>(&tree.node))
    return insertMark(graft(leaf, tree.children.front()), *declares);
  const auto *parts = std::get_if<Subtree::Parts>(&tree.node);
  if (!parts)
    return leaf;
  isl_union_set_list *filters = isl_union_set_list_alloc(isl_schedule_node_get_ctx(leaf.get()), 0);
  for (const isl::union_set &instances : tree.instances)
    filters = isl_union_set_list_add(filters, instances.copy());
  isl::schedule_node node =
      isl::manage(*parts == Subtree::Parts::InTurn ? isl_schedule_node_insert_sequence(leaf.copy(), filters)
                                                   : isl_schedule_node_insert_set(leaf.copy(), filters));
  for (std::size_t k = 0; k < tree.children.size(); ++k) {
    const isl::schedule_node below = childOf(childOf(node, static_cast<int>(k)), 0);
    node = isl::manage(isl_schedule_node_ancestor(graft(below, tree.children[k]).release(), 2));
  }
  return node;
}

} // namespace

bool Subtree::isSequence() const {
  const auto *parts = std::get_if<Parts>(&node);
  return parts && *parts == Parts::InTurn;
}

std::optional<Subtree> subtreeOf(const isl::schedule &schedule) {
  return subtreeAt(childOf(isl::manage(isl_schedule_get_root(schedule.get())), 0));
}

isl::schedule scheduleOf(const isl::schedule &before, const Subtree &tree) {
  const isl::schedule flat = isl::manage(isl_schedule_from_domain(isl_schedule_get_domain(before.get())));
  const isl::schedule_node leaf = childOf(isl::manage(isl_schedule_get_root(flat.get())), 0);
  return isl::manage(isl_schedule_node_get_schedule(graft(leaf, tree).get()));
}

Subtree *find(Subtree &tree, const std::string &label) {
  if (const NewLoop *loop = tree.loop(); loop && loop->label == label)
    return &tree;
  for (Subtree &child : tree.children)
    if (Subtree *found = find(child, label))
      return found;
  return nullptr;
}

Subtree *parentOf(Subtree &root, const Subtree &child) {
  for (Subtree &c : root.children) {
    if (&c == &child)
      return &root;
    if (Subtree *found = parentOf(c, child))
      return found;
  }
  return nullptr;
}

Subtree limitedTo(const Subtree &tree, const isl::union_set &instances) {
  Subtree out = tree;
  if (!std::holds_alternative<Subtree::Parts>(tree.node)) {
    if (NewLoop *loop = out.loop())
      loop->function = isl::manage(
          isl_union_pw_aff_intersect_domain(loop->function.copy(), isl_union_set_universe(instances.copy())));
    for (Subtree &child : out.children)
      child = limitedTo(child, instances);
    return out;
  }
  out.children.clear();
  out.instances.clear();
  for (std::size_t k = 0; k < tree.children.size(); ++k) {
    const isl::union_set here = tree.instances[k].intersect(instances);
    if (here.is_empty())
      continue;
    const Subtree child = limitedTo(tree.children[k], here);
    if (child.isSequence() && tree.isSequence()) {
      out.children.insert(out.children.end(), child.children.begin(), child.children.end());
      out.instances.insert(out.instances.end(), child.instances.begin(), child.instances.end());
      continue;
    }
    out.children.push_back(child);
    out.instances.push_back(here);
  }
  if (out.children.empty())
    return {Subtree::Leaf{}, {}, {}};
  return out.children.size() == 1 ? Subtree(out.children.front()) : out;
}

Subtree inTurn(const std::vector<Part> &parts) {
  Subtree all{Subtree::Parts::InTurn, {}, {}};
  isl::union_set everything;
  for (const Part &part : parts) {
    all.children.push_back(part.tree);
    all.instances.push_back(part.instances);
    everything = everything.is_null() ? part.instances : everything.unite(part.instances);
  }
  return limitedTo(all, everything);
}

bool runBeside(Subtree &tree, const isl::set &points, const isl::set &others) {
  const isl::union_set all(points);
  if (NewLoop *loop = tree.loop()) {
    isl_space *function =
        isl_space_add_dims(isl_space_from_domain(isl_set_get_space(points.get())), isl_dim_out, 1);
    const isl::pw_aff own = isl::manage(isl_union_pw_aff_extract_pw_aff(loop->function.get(), function));
    const isl::pw_aff same =
        isl::manage(isl_pw_aff_set_tuple_id(own.copy(), isl_dim_in, isl_set_get_tuple_id(others.get())));
    if (!others.is_subset(same.domain()))
      return false;
    loop->function = loop->function.union_add(isl::union_pw_aff(same));
  }
  for (std::size_t k = 0; k < tree.children.size(); ++k) {
    if (!std::holds_alternative<Subtree::Parts>(tree.node)) {
      if (!runBeside(tree.children[k], points, others))
        return false;
      continue;
    }
    isl::union_set &here = tree.instances[k];
    if (here.is_disjoint(all))
      continue;
    if (!all.is_subset(here) || !runBeside(tree.children[k], points, others))
      return false;
    here = here.unite(isl::union_set(others));
  }
  return true;
}

Subtree loopAbove(const NewLoop &loop, const Subtree &tree) { return {loop, {tree}, {}}; }

std::vector<std::string> labelsOf(const Subtree &tree) {
  std::vector<std::string> all;
  if (const NewLoop *loop = tree.loop())
    all.push_back(loop->label);
  for (const Subtree &child : tree.children)
    for (std::string &label : labelsOf(child))
      all.push_back(std::move(label));
  return all;
}

void undeclare(Subtree &tree, const std::string &local) {
  while (std::holds_alternative<Declare>(tree.node) && std::get<Declare>(tree.node).local == local) {
    Subtree below = std::move(tree.children.front());
    tree = std::move(below);
  }
  for (Subtree &child : tree.children)
    undeclare(child, local);
}

void declareBelow(Subtree &tree, const std::string &loop, const std::string &local) {
  Subtree &place = loop.empty() ? tree : find(tree, loop)->children.front();
  Subtree below = std::move(place);
  place = {Declare{local}, {std::move(below)}, {}};
}

void rename(Subtree &tree, const std::string &from, const std::string &to) {
  if (Subtree *found = find(tree, from))
    found->loop()->label = to;
}

} // namespace pbc::kernel
