// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/build.h"
#include "compiler/kernel/cooperate.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/group_reads.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/loops.h"
#include "compiler/loop/block_loops.h"
#include "compiler/loop/block_operands.h"
#include "compiler/loop/convert.h"
#include "compiler/loop/item_loops.h"
#include "compiler/loop/pieces_apart.h"
#include "compiler/loop/smaller_sets.h"
#include "compiler/loop/statement.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/id.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <map>
#include <set>

namespace pbc::loop {

using kernel::Buffer;

namespace {

Combination combination(const kernel::Operation &o) {
  using Op = Combination::Op;
  static const std::map<std::string_view, Op> kOps{
      {"+", Op::Add},  {"*", Op::Multiply}, {"&", Op::BitAnd},    {"|", Op::BitOr},    {"^", Op::BitXor},
      {"&&", Op::And}, {"||", Op::Or},      {"min", Op::Minimum}, {"max", Op::Maximum}};
  return {kOps.at(o.symbol), o.element};
}

Teams teams(const kernel::Scheduled &kernel) {
  const kernel::Cooperation how = kernel::ofTeams(kernel);
  Teams all;
  for (const kernel::SharedLoop &l : how.loops) {
    Teams::Shared shared{l.statements, {}};
    for (const auto &[local, operation] : l.accumulators)
      shared.folds.push_back({kernel.buffers[static_cast<std::size_t>(local)].name, combination(operation)});
    all.loops.push_back(std::move(shared));
  }
  if (how.scan)
    all.scan = {how.scan->statement, how.scan->previous, combination(how.scan->operation)};
  return all;
}

/// The annotation of a copy: a bit for each dimension of its memory, where isl lets users keep a pointer.
isl_id *withinId(isl_ctx *ctx, unsigned long bits) {
  return isl_id_alloc(ctx, "within",
                      reinterpret_cast<void *>(bits)); // NOLINT(performance-no-int-to-ptr)
}
unsigned long withinBits(isl_id *id) { return reinterpret_cast<unsigned long>(isl_id_get_user(id)); }

class Builder {
public:
  Builder(const kernel::Scheduled &kernel, bool forDevice)
      : kernel_(kernel), purpose_{forDevice, kernel::isVectorised(kernel)}, groupAxes_(groupAxes(kernel)) {
    nest_.buffers = matrices(kernel);
    if (kernel::hasTeams(kernel.schedule.tree))
      nest_.teams = teams(kernel);
    if (kernel.schedule.registerTile)
      nest_.registers = registers(kernel, *kernel.schedule.registerTile);
    nest_.isTiledInTime = kernel.schedule.taskOrder == kernel::TaskOrder::Wavefront && !forDevice;
  }

  Nest build(const isl::ast_node &root) {
    std::vector<NodePtr> all;
    add(all, root);
    nest_.body = forEachItem(kernel_, block(std::move(all)));
    return std::move(nest_);
  }

private:
  /// A realisation whose loop has been looked for below its mark.
  struct Request {
    kernel::Realisation how;
    std::string iterator;
    bool isPlaced = false;
  };

  /// A mark node of the schedule, and the Local that it declares.
  struct Declaration {
    const void *mark; // its isl_id's user
    std::string local;
    auto operator<=>(const Declaration &) const = default;
  };

  static std::optional<Declaration> declarationAt(isl_ast_node *n) {
    if (isl_ast_node_get_type(n) != isl_ast_node_mark)
      return std::nullopt;
    const std::optional<kernel::PlacedMark> mark = kernel::markAt(isl::manage_copy(n));
    const auto *declares = mark ? std::get_if<kernel::Declare>(&mark->mark) : nullptr;
    if (!declares)
      return std::nullopt;
    const isl::id id = isl::manage(isl_ast_node_mark_get_id(n));
    return Declaration{isl_id_get_user(id.get()), declares->local};
  }

  static std::set<Declaration> declarationsIn(const isl::ast_node &n) {
    std::set<Declaration> all;
    isl_ast_node_foreach_descendant_top_down(
        n.get(),
        [](isl_ast_node *node, void *user) {
          if (std::optional<Declaration> found = declarationAt(node))
            static_cast<std::set<Declaration> *>(user)->insert(std::move(*found));
          return isl_bool_true;
        },
        &all);
    return all;
  }

  /// Children that stand in each other's scope: [first, last], with the Locals that are declared in front of them.
  struct Group {
    std::size_t first, last;
    std::set<std::string> locals;
  };

  /// If no loop is left around the statements of a Local, isl repeats its mark for each of them: the Local is then declared in
  /// front of the first one.
  static std::vector<Group> groupsOf(const std::vector<isl::ast_node> &children) {
    std::map<Declaration, Group> ranges;
    for (std::size_t k = 0; k < children.size(); ++k)
      for (const Declaration &d : declarationsIn(children[k]))
        ranges.try_emplace(d, Group{k, k, {d.local}}).first->second.last = k;
    std::vector<Group> groups;
    for (const auto &[declaration, range] : ranges)
      if (range.first < range.last)
        groups.push_back(range);
    std::sort(groups.begin(), groups.end(), [](const Group &l, const Group &r) { return l.first < r.first; });
    std::vector<Group> apart;
    for (Group &group : groups) {
      if (apart.empty() || apart.back().last < group.first) {
        apart.push_back(std::move(group));
        continue;
      }
      apart.back().last = std::max(apart.back().last, group.last);
      apart.back().locals.merge(group.locals);
    }
    return apart;
  }

  /// Locals whose declaration would stand in the block of the node itself, outside of loops and branches.
  static std::set<std::string> declaredBy(const isl::ast_node &n) {
    std::set<std::string> all;
    if (isl_ast_node_get_type(n.get()) == isl_ast_node_block) {
      const auto inside = n.as<isl::ast_node_block>().children();
      for (unsigned k = 0; k < inside.size(); ++k)
        all.merge(declaredBy(inside.at(static_cast<int>(k))));
    }
    if (isl_ast_node_get_type(n.get()) != isl_ast_node_mark)
      return all;
    all = declaredBy(isl::manage(isl_ast_node_mark_get_node(n.get())));
    if (const std::optional<Declaration> own = declarationAt(n.get()))
      all.insert(own->local);
    return all;
  }

  void children(std::vector<NodePtr> &to, const isl::ast_node_list &list) {
    std::vector<isl::ast_node> all;
    for (unsigned k = 0; k < list.size(); ++k)
      all.push_back(list.at(static_cast<int>(k)));
    std::vector<Group> groups = groupsOf(all);
    groups.push_back({all.size(), all.size(), {}});
    std::size_t next = 0;
    for (const Group &group : groups) {
      for (; next < group.first; ++next)
        together(to, all, {next, next, {}});
      if (group.first < all.size())
        together(to, all, group);
      next = group.last + 1;
    }
  }

  /// Adds the children of a group, in a scope if later ones declare the same Locals.
  void together(std::vector<NodePtr> &to, const std::vector<isl::ast_node> &all, const Group &group) {
    std::vector<NodePtr> inside;
    std::set<std::string> own;
    for (const std::string &local : group.locals)
      if (!declared_.contains(local)) {
        declare(inside, local);
        own.insert(local);
      }
    declared_.insert(own.begin(), own.end());
    std::set<std::string> known = own;
    for (std::size_t k = group.first; k <= group.last; ++k) {
      known.merge(declaredBy(all[k]));
      add(inside, all[k]);
    }
    for (const std::string &local : own)
      declared_.erase(local);
    bool isApart = false;
    for (std::size_t k = group.last + 1; k < all.size() && !known.empty(); ++k)
      for (const Declaration &d : declarationsIn(all[k]))
        isApart |= known.contains(d.local);
    if (isApart)
      to.push_back(scope(std::move(inside)));
    else
      to.insert(to.end(), inside.begin(), inside.end());
  }

  void declare(std::vector<NodePtr> &to, const std::string &local) const {
    if (declared_.contains(local))
      return;
    for (const Buffer &b : kernel_.buffers) {
      if (b.name != local || b.role == Buffer::Role::Group) // the kernel declares it (groupArrays)
        continue;
      Array array{b.name, b.element, {}};
      if (b.role == Buffer::Role::Item) {
        array.space = Array::Space::Item;
        for (auto d = b.ofGroup.rbegin(); d != b.ofGroup.rend(); ++d)
          array.extents.push_back(itemExtent(*d));
      }
      if (b.lanes)
        array.extents.push_back(integer(b.lanes));
      if (b.role == Buffer::Role::Scratch && isSized(b)) {
        Let strides;
        for (std::size_t d = 0; d < b.extents.size(); ++d) {
          Expr stride = parametersOnly(b.extents[d], kernel_.context);
          if (d > 0)
            stride = multiply(index(strideName(b.name, d)), grouped(std::move(stride)));
          strides.variables.push_back({strideName(b.name, d + 1), std::move(stride)});
        }
        to.push_back(make({std::move(strides)}));
        array.space = Array::Space::Sized;
        array.extents = {index(strideName(b.name, b.extents.size()))};
      } else if (b.role == Buffer::Role::Scratch) {
        array.space = b.inRegisters ? Array::Space::Own : Array::Space::Task;
        for (auto extent = b.extents.rbegin(); extent != b.extents.rend(); ++extent)
          array.extents.push_back(integer(*kernel::constantOf(*extent)));
      }
      to.push_back(make({std::move(array)}));
    }
  }

  NodePtr node(const isl::ast_node &n) {
    std::vector<NodePtr> all;
    add(all, n);
    return block(std::move(all));
  }

  void add(std::vector<NodePtr> &to, const isl::ast_node &n) {
    switch (isl_ast_node_get_type(n.get())) {
    case isl_ast_node_for:
      to.push_back(loop(n));
      return;
    case isl_ast_node_if:
      to.push_back(branch(n));
      return;
    case isl_ast_node_mark:
      mark(to, n);
      return;
    case isl_ast_node_user:
      to.push_back(statement(n));
      return;
    case isl_ast_node_block:
      children(to, n.as<isl::ast_node_block>().children());
      return;
    default:
      return;
    }
  }

  Expr asked(const isl::ast_expr &e) const { return withoutImpliedItems(expression(e), groupAxes_); }

  NodePtr loop(const isl::ast_node &n) {
    const Expr iterator = expression(isl::manage(isl_ast_node_for_get_iterator(n.get())));
    For made{as<Name>(iterator)->name, asked(isl::manage(isl_ast_node_for_get_init(n.get()))), {}, {}, {}};
    for (auto r = requests_.rbegin(); r != requests_.rend() && !made.how; ++r)
      if (r->iterator == made.iterator) {
        made.how = r->how;
        r->isPlaced = true;
      }
    if (isl_ast_node_for_is_degenerate(n.get()) != isl_bool_true) {
      made.condition = asked(isl::manage(isl_ast_node_for_get_cond(n.get())));
      made.step = expression(isl::manage(isl_ast_node_for_get_inc(n.get())));
    }
    made.body = node(isl::manage(isl_ast_node_for_get_body(n.get())));
    return make({std::move(made)});
  }

  NodePtr branch(const isl::ast_node &n) {
    If made{asked(isl::manage(isl_ast_node_if_get_cond(n.get()))),
            node(isl::manage(isl_ast_node_if_get_then_node(n.get()))), nullptr};
    if (isl_ast_node_if_has_else_node(n.get()) == isl_bool_true)
      made.otherwise = node(isl::manage(isl_ast_node_if_get_else_node(n.get())));
    return withCopiesApart(made, groupAxes_);
  }

  void mark(std::vector<NodePtr> &to, const isl::ast_node &n) {
    const kernel::PlacedMark mark = *kernel::markAt(n);
    const isl::ast_node below = isl::manage(isl_ast_node_mark_get_node(n.get()));
    if (const auto *declares = std::get_if<kernel::Declare>(&mark.mark)) {
      declare(to, declares->local);
      add(to, below);
      return;
    }
    const auto &how = std::get<kernel::Realisation>(mark.mark);
    requests_.push_back({how, std::string(kIterator.substr(kOwn.size())) + std::to_string(mark.depth)});
    add(to, below);
    if (!requests_.back().isPlaced)
      nest_.withoutLoop.push_back(how);
    requests_.pop_back();
  }

  /// A copy knows along which dimensions it stays within the matrix where this node stands.
  static NodePtr withinMatrix(const isl::ast_node &n, const NodePtr &made) {
    const GroupCopy *copy = as<GroupCopy>(made);
    isl_id *id = copy ? isl_ast_node_get_annotation(n.get()) : nullptr;
    if (!id)
      return made;
    GroupCopy changed = *copy;
    for (std::size_t d = 0; d < changed.first.size(); ++d)
      changed.isWithin.push_back(withinBits(id) >> d & 1);
    isl_id_free(id);
    return make({std::move(changed)});
  }

  NodePtr statement(const isl::ast_node &n) {
    const isl::ast_expr call = isl::manage(isl_ast_node_user_get_expr(n.get()));
    const auto argument = [&](int k) { return isl::manage(isl_ast_expr_op_get_arg(call.get(), k)); };
    const isl::id name = isl::manage(isl_ast_expr_id_get_id(argument(0).get()));
    std::vector<Expr> dimensions;
    for (int k = 1, count = static_cast<int>(isl_ast_expr_op_get_n_arg(call.get())); k < count; ++k)
      dimensions.push_back(expression(argument(k)));
    const int s = kernel::statementIndex(kernel_, name.name());
    return withinMatrix(n, statements_.try_emplace(s, kernel_, s, purpose_).first->second.node(dimensions));
  }

  const kernel::Scheduled &kernel_;
  const StatementBuilder::Purpose purpose_;
  const std::vector<GroupAxis> groupAxes_;
  std::map<int, StatementBuilder> statements_;
  std::set<std::string> declared_; // in front of nodes that are being added
  std::vector<Request> requests_;  // of the marks around, the innermost last
  Nest nest_;
};

/// The number of loops around the innermost statement, including those that run once.
int depthOf(const isl::schedule &schedule) {
  int deepest = 0;
  isl_schedule_foreach_schedule_node_top_down(
      schedule.get(),
      [](isl_schedule_node *node, void *most) {
        int &depth = *static_cast<int *>(most);
        depth = std::max(depth, static_cast<int>(isl_schedule_node_get_schedule_depth(node)));
        return isl_bool_true;
      },
      &deepest);
  return deepest;
}

/// Annotates copies of groups with the dimensions along which they stay within the matrix, which depends on the part of the loops in
/// which isl has put them.
class Annotating {
public:
  explicit Annotating(const kernel::Scheduled &kernel) : kernel_(kernel) {}

  static isl_ast_node *node(isl_ast_node *n, isl_ast_build *build, void *user) {
    isl_ast_expr *call = isl_ast_node_user_get_expr(n);
    const isl::ast_expr name = isl::manage(isl_ast_expr_op_get_arg(call, 0));
    isl_ast_expr_free(call);
    const isl::id statement = isl::manage(isl_ast_expr_id_get_id(name.get()));
    auto &self = *static_cast<Annotating *>(user);
    const kernel::Statement &s =
        self.kernel_
            .statements[static_cast<std::size_t>(kernel::statementIndex(self.kernel_, statement.name()))];
    if (!s.copy || self.kernel_.buffers[static_cast<std::size_t>(s.copy->to)].role == Buffer::Role::Item)
      return n;
    const isl::union_map schedule = isl::manage(isl_ast_build_get_schedule(build));
    return isl_ast_node_set_annotation(
        n, withinId(isl_ast_node_get_ctx(n), self.dimensions(s, schedule.domain())));
  }

private:
  unsigned long dimensions(const kernel::Statement &fill, const isl::union_set &here) {
    unsigned long bits = 0;
    const std::size_t count = fill.copy->first.size();
    std::vector<isl::set> &within = within_[fill.name];
    for (std::size_t d = 0; d < count; ++d) {
      if (within.size() == d)
        within.push_back(kernel::stepsThatReadAll(kernel_, fill, d));
      if (here.intersect_params(kernel_.context).is_subset(isl::union_set(within[d])))
        bits |= 1UL << d;
    }
    return bits;
  }

  const kernel::Scheduled &kernel_;
  std::map<std::string, std::vector<isl::set>> within_; // by copy and dimension
};

} // namespace

isl::ast_node generate(const kernel::Scheduled &kernel) {
  // Where a group makes a copy in steps to which not all of its items come, these have one loop for all of its steps.
  const auto [ofItem, context] = withSmallerSets(ofOneItem(kernel), kernel::contextOfItem(kernel));
  const isl::schedule tree =
      withPiecesApart(kernel, kernel::isOfGroup(kernel) ? kernel::withSingleLoops(ofItem)
                                                        : withSingleBlockLoops(kernel, ofItem));
  isl_ctx *ctx = isl_schedule_get_ctx(tree.get());
  isl_ast_build *build = isl_ast_build_from_context(context.copy());
  isl_id_list *iterators = isl_id_list_alloc(ctx, 0);
  // Where isl cannot see that the bands determine an instance, it makes further loops over the statement's dimensions.
  std::size_t dimensions = 0;
  for (const kernel::Statement &s : kernel.statements)
    dimensions = std::max(dimensions, s.dimensions.size());
  for (int k = 0, depth = depthOf(tree) + static_cast<int>(dimensions); k < depth; ++k)
    iterators = isl_id_list_add(
        iterators, isl_id_alloc(ctx, (std::string(kIterator) + std::to_string(k)).c_str(), nullptr));
  build = isl_ast_build_set_iterators(build, iterators);
  Annotating annotating(kernel);
  build = isl_ast_build_set_at_each_domain(build, Annotating::node, &annotating);
  isl_ast_node *root =
      isl_ast_build_node_from_schedule(build, kernel::withDepths(kernel::withoutLabels(tree)).release());
  isl_ast_build_free(build);
  if (!root)
    isl::exception::throw_last_error(isl::ctx(ctx));
  return isl::manage(root);
}

std::vector<Matrix> matrices(const kernel::Kernel &kernel) {
  std::vector<Matrix> all;
  for (const Buffer &b : kernel.buffers) {
    const bool isOwn = b.role == Buffer::Role::Scratch && isSized(b);
    all.push_back({b.name, b.element, isOwn ? static_cast<int>(b.extents.size()) : b.rank,
                   b.role == Buffer::Role::Input, b.ofGroup, b.pad, b.parts, b.gap,
                   b.role == Buffer::Role::Item, b.buffers, isOwn});
  }
  return all;
}

Nest build(const kernel::Scheduled &kernel, const isl::ast_node &root, bool forDevice) {
  return Builder(kernel, forDevice).build(root);
}

} // namespace pbc::loop
