// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/named_values.h"
#include "compiler/kernel/subtree.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

const Buffer &accessedBy(const Kernel &kernel, const Access &a) {
  return kernel.buffers[static_cast<std::size_t>(a.buffer)];
}

isl::set anonymous(const isl::set &points) { return isl::manage(isl_set_reset_tuple_id(points.copy())); }

/// The sequence that has both statements as parts without loops; null if there is none.
const Subtree *sequenceWith(const Subtree &tree, const isl::set &first, const isl::set &second) {
  bool hasFirst = false, hasSecond = false;
  for (std::size_t k = 0; k < tree.children.size(); ++k) {
    const bool isPart = tree.isSequence() && std::holds_alternative<Subtree::Leaf>(tree.children[k].node);
    hasFirst |= isPart && isl::union_set(first).is_subset(tree.instances[k]);
    hasSecond |= isPart && isl::union_set(second).is_subset(tree.instances[k]);
    if (const Subtree *found = sequenceWith(tree.children[k], first, second))
      return found;
  }
  return hasFirst && hasSecond ? &tree : nullptr;
}

/// Puts the values of one statement's variables into it.
class Substitution {
public:
  Substitution(const Kernel &kernel, const Subtree &tree, int user)
      : kernel_(kernel), tree_(tree), user_(user), made_(kernel.statements[static_cast<std::size_t>(user)]) {}

  /// False if some variable is more than a name for a value.
  bool run() {
    if (made_.isOpaque || made_.copy || made_.write < 0 || !isPoint(made_) ||
        !isMatrix(accessedBy(kernel_, made_.accesses[static_cast<std::size_t>(made_.write)])))
      return false;
    for (std::size_t s = 0; s < kernel_.statements.size(); ++s)
      if (const Statement &other = kernel_.statements[s];
          static_cast<int>(s) != user_ && other.rule == made_.rule &&
          (other.isOpaque || !isPoint(other) || other.write < 0 ||
           accessedBy(kernel_, other.accesses[static_cast<std::size_t>(other.write)]).role !=
               Buffer::Role::Local))
        return false; // the body writes several cells, or has loops
    made_.value = substituted(made_.value, kernel_.statements[static_cast<std::size_t>(user_)]);
    for (std::size_t s = 0; s < kernel_.statements.size();
         ++s) // a name that the cell does not use may need another one
      isGood_ = isGood_ && (static_cast<int>(s) == user_ || kernel_.statements[s].rule != made_.rule ||
                            given_.count(static_cast<int>(s)));
    if (!isGood_ || given_.empty())
      return false;
    std::vector<Access> kept; // without the variables
    std::vector<int> places(made_.accesses.size(), -1);
    for (std::size_t a = 0; a < made_.accesses.size(); ++a)
      if (accessedBy(kernel_, made_.accesses[a]).role != Buffer::Role::Local) {
        places[a] = static_cast<int>(kept.size());
        kept.push_back(made_.accesses[a]);
      }
    made_.write = places[static_cast<std::size_t>(made_.write)];
    made_.accesses = std::move(kept);
    made_.value = numbered(made_.value, places);
    return true;
  }

  const Statement &statement() const { return made_; }
  /// The statements that gave the names, and these.
  const std::set<int> &given() const { return given_; }
  const std::set<int> &names() const { return names_; }

private:
  static bool isPoint(const Statement &s) { return static_cast<int>(s.dimensions.size()) == s.freeCount; }

  ExprPtr substituted(const ExprPtr &e, const Statement &in) {
    if (!isGood_)
      return e;
    if (e->kind == Expr::Kind::Read) {
      const Access &a = in.accesses[static_cast<std::size_t>(e->index)];
      return accessedBy(kernel_, a).role == Buffer::Role::Local ? valueOf(a.buffer) : readHere(*e, in);
    }
    Expr changed = *e;
    for (ExprPtr &o : changed.operands)
      o = substituted(o, in);
    return std::make_shared<const Expr>(std::move(changed));
  }

  /// The value of a variable. Only statements of this body that are put together here may use it.
  ExprPtr valueOf(int name) {
    int giver = -1;
    for (std::size_t s = 0; s < kernel_.statements.size(); ++s) {
      const Statement &other = kernel_.statements[s];
      if (!usesBuffer(other, name))
        continue;
      const bool gives =
          other.write >= 0 && other.accesses[static_cast<std::size_t>(other.write)].buffer == name;
      isGood_ = isGood_ && other.rule == made_.rule && (!gives || (giver < 0 && other.op.empty()));
      giver = gives ? static_cast<int>(s) : giver;
    }
    isGood_ = isGood_ && giver >= 0 && depth_ < kMostDepth;
    if (!isGood_)
      return made_.value;
    const Statement &s = kernel_.statements[static_cast<std::size_t>(giver)];
    isGood_ = anonymous(made_.domain).is_equal(anonymous(s.domain)) &&
              sequenceWith(tree_, s.domain, made_.domain) != nullptr;
    given_.insert(giver);
    names_.insert(name);
    ++depth_;
    const ExprPtr value = substituted(s.value, s);
    --depth_;
    const Scalar type = kernel_.buffers[static_cast<std::size_t>(name)].element;
    return value->type == type ? value
                               : std::make_shared<const Expr>(Expr{Expr::Kind::Cast, type, "", -1, {value}});
  }

  ExprPtr readHere(const Expr &read, const Statement &in) {
    if (in.name == made_.name)
      return std::make_shared<const Expr>(read);
    Access here = in.accesses[static_cast<std::size_t>(read.index)];
    here.relation = isl::manage(isl_map_set_tuple_name(here.relation.copy(), isl_dim_in, made_.name.c_str()));
    Expr changed = read;
    changed.index = static_cast<int>(made_.accesses.size());
    made_.accesses.push_back(std::move(here));
    return std::make_shared<const Expr>(std::move(changed));
  }

  static ExprPtr numbered(const ExprPtr &e, const std::vector<int> &places) {
    Expr changed = *e;
    if (e->kind == Expr::Kind::Read)
      changed.index = places[static_cast<std::size_t>(e->index)];
    for (ExprPtr &o : changed.operands)
      o = numbered(o, places);
    return std::make_shared<const Expr>(std::move(changed));
  }

  static constexpr int kMostDepth = 8; // of names in values of names
  const Kernel &kernel_;
  const Subtree &tree_;
  const int user_;
  Statement made_;
  bool isGood_ = true;
  int depth_ = 0;
  std::set<int> given_, names_;
};

} // namespace

Scheduled withNamedValues(const Scheduled &kernel) {
  const std::optional<Subtree> before = subtreeOf(kernel.schedule.tree);
  if (!before)
    return kernel;
  Scheduled made = kernel;
  Subtree tree = *before;
  std::set<int> given;
  isl::union_map moved = isl::manage(isl_union_map_empty_ctx(kernel.context.ctx().get()));
  for (std::size_t s = 0; s < kernel.statements.size(); ++s) {
    Substitution one(kernel, *before, static_cast<int>(s));
    if (!one.run())
      continue;
    made.statements[s] = one.statement();
    for (const int name : one.names())
      undeclare(tree, kernel.buffers[static_cast<std::size_t>(name)].name);
    for (const int giver : one.given()) {
      given.insert(giver);
      isl_space *space = isl_space_map_from_set(
          isl_set_get_space(kernel.statements[static_cast<std::size_t>(giver)].domain.get()));
      const isl::map there = isl::manage(
          isl_map_set_tuple_name(isl_map_identity(space), isl_dim_out, kernel.statements[s].name.c_str()));
      moved = moved.unite(isl::union_map(there));
    }
  }
  if (given.empty())
    return kernel;
  isl::union_set domain = isl::manage(isl_union_set_empty_ctx(kernel.context.ctx().get()));
  std::vector<Statement> kept;
  for (std::size_t s = 0; s < made.statements.size(); ++s)
    if (!given.count(static_cast<int>(s))) {
      kept.push_back(made.statements[s]);
      domain = domain.unite(isl::union_set(made.statements[s].domain));
    }
  made.statements = std::move(kept);
  made.schedule.tree =
      scheduleOf(isl::manage(isl_schedule_from_domain(domain.copy())), limitedTo(tree, domain));
  const isl::union_set all = isl::manage(isl_union_set_universe(domain.copy()));
  const isl::union_map to = moved.unite(isl::manage(isl_union_set_identity(all.copy())));
  made.dependences = kernel.dependences.apply_domain(to).apply_range(to).subtract(
      isl::manage(isl_union_set_identity(all.copy())));
  return made;
}

} // namespace pbc::kernel
