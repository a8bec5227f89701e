// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/pad.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/transform/cut.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

ExprPtr leaf(Expr::Kind kind, Scalar type, const std::string &text, int index = -1) {
  return std::make_shared<const Expr>(Expr{kind, type, text, index, {}});
}
ExprPtr binary(Scalar type, const std::string &op, const ExprPtr &a, const ExprPtr &b) {
  return std::make_shared<const Expr>(Expr{Expr::Kind::Binary, type, op, -1, {a, b}});
}

/// Whether a value that is added is a product of floating-point numbers, which the compiler makes one operation of with the sum.
bool isContracted(const Expr &value) {
  if (value.kind == Expr::Kind::Unary && value.operands.size() == 1)
    return isContracted(*value.operands.front());
  return value.kind == Expr::Kind::Binary && value.text == "*" &&
         (value.type == Scalar::F64 || value.type == Scalar::F32);
}

/// What leaves each number as it is under the operator; null if there is no such value.
ExprPtr neutral(const std::string &op, Scalar type) {
  const bool isReal = type == Scalar::F64 || type == Scalar::F32;
  const std::string suffix = !isReal ? "" : type == Scalar::F32 ? ".0f" : ".0";
  ExprPtr zero = leaf(Expr::Kind::Literal, type, "0" + suffix);
  if (op == "+" && isReal) // a minus sign is an operator, never a part of a literal
    return std::make_shared<const Expr>(Expr{Expr::Kind::Unary, type, "-", -1, {zero}});
  if (op == "+" || op == "-")
    return zero;
  return op == "*" || op == "/" ? leaf(Expr::Kind::Literal, type, "1" + suffix) : nullptr;
}

/// Both sides of a constraint, each a sum of positive terms: `left >= right` or `left == right`.
class Sides {
public:
  explicit Sides(const Kernel &kernel) : kernel_(kernel) {}

  ExprPtr condition(isl_constraint *c) {
    const int dims = isl_constraint_dim(c, isl_dim_set), params = isl_constraint_dim(c, isl_dim_param);
    for (int d = 0; d < dims; ++d)
      add(coefficient(c, isl_dim_set, d), leaf(Expr::Kind::Dimension, Scalar::I64, "", d));
    for (int p = 0; p < params; ++p)
      if (const long n = coefficient(c, isl_dim_param, p)) {
        const std::string name = isl_constraint_get_dim_name(c, isl_dim_param, static_cast<unsigned>(p));
        if (std::find(kernel_.parameters.begin(), kernel_.parameters.end(), name) == kernel_.parameters.end())
          return nullptr; // the limit of a task
        add(n, leaf(Expr::Kind::Name, Scalar::I64, poly::unmangle(name)));
      }
    isl_val *v = isl_constraint_get_constant_val(c);
    add(isl_val_get_num_si(v), nullptr);
    isl_val_free(v);
    const auto orZero = [](const ExprPtr &e) { return e ? e : leaf(Expr::Kind::Literal, Scalar::I64, "0"); };
    return binary(Scalar::Bool, isl_constraint_is_equality(c) == isl_bool_true ? "==" : ">=", orZero(left_),
                  orZero(right_));
  }

private:
  static long coefficient(isl_constraint *c, isl_dim_type type, int d) {
    isl_val *v = isl_constraint_get_coefficient_val(c, type, d);
    const long n = isl_val_get_num_si(v);
    isl_val_free(v);
    return n;
  }

  /// Adds `factor * what`, or the factor alone.
  void add(long factor, const ExprPtr &what) {
    if (factor == 0)
      return;
    const long size = factor < 0 ? -factor : factor;
    ExprPtr term = what;
    if (!what || size != 1) {
      term = leaf(Expr::Kind::Literal, Scalar::I64, std::to_string(size));
      if (what)
        term = binary(Scalar::I64, "*", term, what);
    }
    ExprPtr &side = factor < 0 ? right_ : left_;
    side = side ? binary(Scalar::I64, "+", side, term) : term;
  }

  const Kernel &kernel_;
  ExprPtr left_, right_;
};

/// Whether a point of `whole` is in `domain`, as an expression; null if that is more than some comparisons.
ExprPtr membership(const Kernel &kernel, const isl::set &domain, const isl::set &whole) {
  const isl::set known = whole.intersect_params(kernel.context);
  const isl::set inside =
      isl::manage(isl_set_remove_redundancies(isl_set_coalesce(domain.gist(known).release())));
  isl_basic_set_list *pieces = isl_set_get_basic_set_list(inside.get());
  ExprPtr all;
  bool isSimple = isl_basic_set_list_n_basic_set(pieces) == 1;
  isl_basic_set *piece = isSimple ? isl_basic_set_list_get_basic_set(pieces, 0) : nullptr;
  isl_basic_set_list_free(pieces);
  isSimple = isSimple && isl_basic_set_dim(piece, isl_dim_div) == 0;
  isl_constraint_list *constraints = isSimple ? isl_basic_set_get_constraint_list(piece) : nullptr;
  for (int k = 0; isSimple && k < isl_constraint_list_n_constraint(constraints); ++k) {
    isl_constraint *c = isl_constraint_list_get_constraint(constraints, k);
    const ExprPtr one = Sides(kernel).condition(c);
    isl_constraint_free(c);
    isSimple = one != nullptr;
    all = all ? binary(Scalar::Bool, "&&", all, one) : one;
  }
  isl_constraint_list_free(constraints);
  isl_basic_set_free(piece);
  return isSimple ? all : nullptr;
}

/// The box around the cells.
isl::set boxAround(const isl::set &cells) {
  isl::set box = isl::manage(isl_set_universe(isl_set_get_space(cells.get())));
  const auto dims = static_cast<unsigned>(isl_set_dim(cells.get(), isl_dim_set));
  for (unsigned d = 0; d < dims; ++d) {
    isl_set *side = isl_set_project_out(cells.copy(), isl_dim_set, d + 1, dims - d - 1);
    side = isl_set_from_basic_set(isl_set_simple_hull(isl_set_project_out(side, isl_dim_set, 0, d)));
    side = isl_set_insert_dims(isl_set_insert_dims(isl_set_reset_tuple_id(side), isl_dim_set, 0, d),
                               isl_dim_set, d + 1, dims - d - 1);
    side = isl_set_set_tuple_id(side, isl_set_get_tuple_id(cells.get()));
    box = box.intersect(isl::manage(side));
  }
  return box;
}

/// The cells of a buffer that the kernel reads or writes, or only writes.
isl::union_set touched(const Kernel &kernel, int buffer, bool onlyWrites) {
  isl::union_set all = isl::manage(isl_union_set_empty_ctx(isl_set_get_ctx(kernel.context.get())));
  for (const Statement &s : kernel.statements)
    for (const Access &a : s.accesses)
      if (a.buffer == buffer && (a.isWrite || !onlyWrites))
        all = all.unite(isl::union_set(a.relation.intersect_domain(s.domain).range()));
  return all;
}

bool dividesIntegers(const Expr &e) {
  const bool isInteger = e.type != Scalar::F64 && e.type != Scalar::F32;
  return (e.kind == Expr::Kind::Binary && isInteger && (e.text == "/" || e.text == "%")) ||
         std::any_of(e.operands.begin(), e.operands.end(),
                     [](const ExprPtr &o) { return dividesIntegers(*o); });
}

isl::set renamed(const isl::set &s, const std::string &name) {
  return isl::manage(isl_set_set_tuple_name(s.copy(), name.c_str()));
}

class Padding {
public:
  Padding(const Scheduled &kernel, const LoopNode &loop, const LoopNode &along)
      : kernel_(kernel), changed_(kernel), loop_(loop), along_(along) {}

  Outcome run() {
    const int d = memberDimension(kernel_, loop_.band);
    if (d < 0)
      return refuse(fmt::format("its loop over `{}` does not count one by one", loop_.label));
    bool isPadded = false;
    isl::union_set domain = isl::manage(isl_schedule_get_domain(kernel_.schedule.tree.get()));
    Subtree tree = *subtreeOf(kernel_.schedule.tree);
    for (const int s : statementsBelow(kernel_, loop_)) {
      const isl::set &before = kernel_.statements[s].domain;
      const isl::set whole = wholeDomain(s, d);
      if (whole.is_null() || !before.is_subset(whole))
        return refuse("the points of the two loops cannot be told apart");
      if (whole.intersect_params(kernel_.context).is_subset(before))
        continue;
      isPadded = true;
      if (std::string why = pad(s, d, whole); !why.empty())
        return refuse(why);
      const Statement &padded = changed_.statements[static_cast<std::size_t>(s)];
      const Statement &value = changed_.statements.back();
      domain = domain.unite(isl::union_set(whole)).unite(isl::union_set(value.domain));
      if (!extend(tree, before, padded, value))
        return refuse("the iterations of its loops are cut or fused already");
    }
    if (!isPadded)
      return refuse(fmt::format("its loop over `{}` is as long for each iteration of `{}` already",
                                loop_.label, along_.label));
    changed_.schedule.tree = scheduleOf(isl::manage(isl_schedule_from_domain(domain.copy())), tree);
    changed_.dependences = dependences(changed_);
    return withTree(changed_, changed_.schedule.tree);
  }

private:
  static Outcome refuse(const std::string &why) { return {std::nullopt, why}; }

  /// The points of the statement's rule with each step of dimension `d` that occurs for the same values of the loops
  /// around `along`; null if other loops are inside.
  isl::set wholeDomain(int index, int d) const {
    const Statement &s = kernel_.statements[static_cast<std::size_t>(index)];
    if (static_cast<int>(s.dimensions.size()) != d + 1)
      return {};
    isl_set *points = nullptr;
    for (const int other : statementsBelow(kernel_, along_)) {
      const Statement &o = kernel_.statements[static_cast<std::size_t>(other)];
      const bool isOfTheSamePoints = d == s.freeCount && o.rule == s.rule && o.freeCount == s.freeCount;
      if (other != index && !isOfTheSamePoints)
        continue;
      isl_set *here =
          isl_set_project_out(o.domain.copy(), isl_dim_set, static_cast<unsigned>(d),
                              static_cast<unsigned>(o.dimensions.size()) - static_cast<unsigned>(d));
      here = isl_set_reset_tuple_id(here);
      points = points ? isl_set_union(points, here) : here;
    }
    points = isl_set_add_dims(isl_set_coalesce(points), isl_dim_set, 1);
    const isl::set cylinder = isl::manage(isl_set_set_tuple_name(points, s.name.c_str()));
    isl_union_map *around = isl_schedule_node_get_prefix_schedule_union_map(along_.band.get());
    isl_union_map *own = isl_union_map_from_union_pw_aff(functionOf(loop_).release());
    const isl::union_map steps = isl::manage(isl_union_map_flat_range_product(around, own));
    const isl::union_set occurring = steps.intersect_domain(isl::union_set(s.domain)).range();
    const isl::union_set all =
        steps.intersect_range(occurring).intersect_domain(isl::union_set(cylinder)).domain();
    return isl::manage(isl_set_coalesce(isl_set_from_union_set(all.copy())));
  }

  /// Gives the statement the new domain and its condition; a sentence if that is not possible.
  std::string pad(int index, int d, const isl::set &whole) {
    Statement &s = changed_.statements[static_cast<std::size_t>(index)];
    const ExprPtr nothing = s.isOpaque ? nullptr : neutral(s.op, s.value->type);
    if (!nothing)
      return fmt::format("`{}` is neither a sum nor a product", s.name);
    const ExprPtr inside = membership(kernel_, s.domain, whole);
    if (!inside)
      return fmt::format("the bounds of `{}` are more than some comparisons",
                         s.dimensions[static_cast<std::size_t>(d)]);
    for (const Access &a : s.accesses) {
      const Buffer &b = kernel_.buffers[static_cast<std::size_t>(a.buffer)];
      if (b.role == Buffer::Role::Local)
        continue;
      const isl::union_set known = touched(kernel_, a.buffer, a.isWrite);
      const isl::set now = a.relation.intersect_domain(whole).range().intersect_params(kernel_.context);
      const isl::set allowed = isl::manage(isl_set_from_union_set(known.copy()));
      if (!now.is_subset(a.isWrite || b.role == Buffer::Role::Scratch ? allowed : boxAround(allowed)))
        return fmt::format("its additional steps would {} cells of `{}` that nothing else {}",
                           a.isWrite ? "write" : "read", programName(kernel_, b),
                           a.isWrite ? "writes" : "reads");
    }
    if (dividesIntegers(*s.value))
      return fmt::format("the additional steps of `{}` could divide by 0", s.name);
    if (!kernel_.reassociates && s.op != "*" && isContracted(*s.value))
      return fmt::format(
          "the product that `{}` adds is rounded together with the sum, and would be rounded on "
          "its own; its rule is "
          "not `fast`",
          s.name);
    const isl::set domain = isl::manage(isl_set_remove_redundancies(whole.copy())); // as it is printed
    const Statement value = valueOf(s, domain);
    Access read = value.accesses[static_cast<std::size_t>(value.write)];
    read.isWrite = false;
    read.relation = isl::manage(isl_map_set_tuple_name(read.relation.release(), isl_dim_in, s.name.c_str()));
    s.accesses = {s.accesses[static_cast<std::size_t>(s.write)], read};
    s.write = 0;
    s.domain = domain;
    const Scalar type = s.value->type;
    s.value = std::make_shared<const Expr>(
        Expr{Expr::Kind::Select, type, "", -1, {inside, leaf(Expr::Kind::Read, type, "", 1), nothing}});
    changed_.statements.push_back(value);
    return "";
  }

  /// The statement that computes what `s` adds, in a variable of its own, which is added to the kernel.
  Statement valueOf(const Statement &s, const isl::set &whole) {
    Statement value = s;
    value.name = s.name + "_v";
    value.op = "";
    value.domain = renamed(whole, value.name);
    Buffer variable;
    variable.name = value.name;
    variable.role = Buffer::Role::Local;
    variable.element = s.value->type;
    variable.rank = s.freeCount;
    changed_.buffers.push_back(variable);
    for (Access &a : value.accesses)
      a.relation = isl::manage(isl_map_set_tuple_name(a.relation.release(), isl_dim_in, value.name.c_str()));
    isl_multi_aff *point = isl_multi_aff_project_out_map(
        isl_set_get_space(value.domain.get()), isl_dim_set, static_cast<unsigned>(s.freeCount),
        static_cast<unsigned>(s.dimensions.size()) - static_cast<unsigned>(s.freeCount));
    point = isl_multi_aff_set_tuple_name(point, isl_dim_out, variable.name.c_str());
    value.write = static_cast<int>(value.accesses.size());
    value.accesses.push_back(
        {static_cast<int>(changed_.buffers.size()) - 1, true, isl::manage(isl_map_from_multi_aff(point))});
    return value;
  }

  /// Lets the tree run the new instances of the statement where its old ones run, each behind the computation of its value;
  /// false if these are in several places.
  bool extend(Subtree &tree, const isl::set &before, const Statement &s, const Statement &value) const {
    const isl::union_set old(before), now(s.domain), values(value.domain);
    if (NewLoop *loop = tree.loop()) {
      if (!now.is_subset(isl::manage(isl_union_pw_aff_domain(loop->function.copy()))))
        return false;
      const isl::map same = isl::manage(
          isl_map_set_tuple_name(isl_set_identity(s.domain.copy()), isl_dim_in, value.name.c_str()));
      isl_union_pw_aff *own = isl_union_pw_aff_pullback_union_pw_multi_aff(
          loop->function.copy(),
          isl_union_pw_multi_aff_from_pw_multi_aff(isl_pw_multi_aff_from_map(same.copy())));
      loop->function = isl::manage(isl_union_pw_aff_union_add(loop->function.release(), own));
    }
    if (std::holds_alternative<Subtree::Leaf>(tree.node)) {
      tree = {Declare{value.name}, {inTurn({{values, {Subtree::Leaf{}, {}, {}}}, {now, tree}})}, {}};
      return true;
    }
    if (!std::holds_alternative<Subtree::Parts>(tree.node))
      return extend(tree.children.front(), before, s, value);
    for (std::size_t k = 0; k < tree.children.size(); ++k) {
      if (tree.instances[k].intersect(old).is_empty())
        continue;
      if (!old.is_subset(tree.instances[k]) || !extend(tree.children[k], before, s, value))
        return false;
      tree.instances[k] = tree.instances[k].unite(now).unite(values);
      return true;
    }
    return false;
  }

  const Scheduled &kernel_;
  Scheduled changed_;
  const LoopNode &loop_, &along_;
};

Outcome applyPad(const Scheduled &kernel, const Arguments &arguments) {
  const LoopNode loop = *findLoop(kernel.schedule.tree, arguments.name("loop"));
  const LoopNode along = *findLoop(kernel.schedule.tree, arguments.name("along"));
  for (const LoopNode &l : {loop, along})
    if (l.how)
      return {std::nullopt, alreadyRealised(l)};
  if (std::string why = whyNotApart(kernel); !why.empty())
    return {std::nullopt, std::move(why)};
  if (!kernel.schedule.taskDimensions.empty())
    return {std::nullopt, "it is cut into tasks already"};
  if (!isAround(along, loop))
    return {std::nullopt,
            fmt::format("its loop over `{}` is not inside the one over `{}`", loop.label, along.label)};
  if (!arguments.results().empty())
    return {std::nullopt, "it makes no loops that could be named"};
  return Padding(kernel, loop, along).run();
}

} // namespace

Transformation padTransformation() {
  using Kind = Parameter::Kind;
  return {
      .name = "pad",
      .doc = "makes a loop as long for each iteration of a loop around it, with a condition on what is added",
      .parameters = {{.name = "loop", .kind = Kind::Loop, .doc = "the loop"},
                     {.name = "along", .kind = Kind::Loop, .doc = "the loop around it"}},
      .apply = applyPad};
}

} // namespace pbc::kernel
