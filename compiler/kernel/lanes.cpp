#include "compiler/kernel/lanes.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/tree.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>

namespace pbc::kernel {
namespace {

// Four vectors of 512 bits, eight of 256: enough independent additions to hide their latency, and they fit
// into the registers.
constexpr long kGroupBytes = 256;

struct Range {
  isl::aff low, length; // of x, over the other free variables and the parameters; space { [free variables] }
};

// The free variables of a statement's points, without a name.
isl::set pointsOf(const Statement &s) {
  isl_set *points =
      isl_set_project_out(s.domain.copy(), isl_dim_set, s.freeCount, s.dimensions.size() - s.freeCount);
  return isl::manage(isl_set_reset_tuple_id(points));
}

// Where x begins and how long it is, if one formula says so.
std::optional<Range> rangeOf(const Kernel &kernel, const std::vector<int> &statements, int x) {
  isl::set points;
  for (int s : statements) {
    const isl::set here = pointsOf(kernel.statements[s]);
    points = points.is_null() ? here : points.unite(here);
  }
  points = points.intersect_params(kernel.context).coalesce();
  // { [y, x] -> [x'] : (y, x') a point }
  isl_map *line = isl_map_from_domain_and_range(points.copy(), points.copy());
  const int n = static_cast<int>(isl_set_dim(points.get(), isl_dim_set));
  for (int d = 0; d < n; ++d)
    if (d != x)
      line = isl_map_equate(line, isl_dim_in, d, isl_dim_out, d);
  line = isl_map_project_out(line, isl_dim_out, x + 1, n - x - 1);
  line = isl_map_project_out(line, isl_dim_out, 0, x);
  line = isl_map_eliminate(line, isl_dim_in, x, 1);
  isl_pw_multi_aff *first = isl_map_lexmin_pw_multi_aff(isl_map_copy(line));
  isl_pw_multi_aff *last = isl_map_lexmax_pw_multi_aff(line);
  const std::optional<isl::aff> low = formula(isl::manage(isl_pw_multi_aff_get_pw_aff(first, 0)));
  const std::optional<isl::aff> high = formula(isl::manage(isl_pw_multi_aff_get_pw_aff(last, 0)));
  isl_pw_multi_aff_free(first);
  isl_pw_multi_aff_free(last);
  if (!low || !high)
    return std::nullopt;
  return Range{*low, isl::manage(isl_aff_add_constant_si(isl_aff_sub(high->copy(), low->copy()), 1))};
}

isl_aff *multipleBelow(isl_aff *a, long size) { // size * floor(a / size)
  isl_val *v = isl_val_int_from_si(isl_aff_get_ctx(a), size);
  return isl_aff_scale_val(isl_aff_floor(isl_aff_scale_down_val(a, isl_val_copy(v))), v);
}

class Spreader {
public:
  Spreader(const Kernel &kernel, int x, const Range &range, std::vector<int> statements, long group)
      : kernel_(kernel), x_(x), range_(range), statements_(std::move(statements)), group_(group) {}

  Kernel spread(const isl::schedule_node &band) {
    Kernel changed = kernel_;
    const std::vector<long> sizes = {group_, group_ / 4, 1};
    for (Buffer &b : changed.buffers)
      if (b.role == Buffer::Role::Local)
        b.lanes = group_;
    isl_union_set_list *filters = isl_union_set_list_alloc(isl_schedule_node_get_ctx(band.get()), 0);
    for (std::size_t part = 0; part < sizes.size(); ++part)
      filters = isl_union_set_list_add(filters, instances(partOf(sizes, part)));
    isl::schedule_node node = isl::manage(isl_schedule_node_insert_sequence(band.copy(), filters));
    for (int part = 0; part + 1 < static_cast<int>(sizes.size()); ++part) {
      isl_schedule_node *inner = isl_schedule_node_child(isl_schedule_node_child(node.release(), part), 0);
      inner = isl_schedule_node_delete(inner);
      inner = isl_schedule_node_insert_partial_schedule(inner, functionOf(groupStart(sizes[part])));
      isl::schedule_node body = isl::manage(isl_schedule_node_child(inner, 0));
      body = addLanes(body, sizes[part]);
      node = isl::manage(isl_schedule_node_ancestor(body.release(), 3));
    }
    changed.schedule = isl::manage(isl_schedule_node_get_schedule(node.get()));
    return changed;
  }

private:
  isl_space *space() const { return isl_aff_get_domain_space(range_.low.get()); }
  isl_aff *offset() const { // x - low
    isl_aff *x = isl_aff_var_on_domain(isl_local_space_from_space(space()), isl_dim_set, x_);
    return isl_aff_sub(x, range_.low.copy());
  }
  isl_aff *groupStart(long size) const { return multipleBelow(offset(), size); }
  isl_aff *lane(long size) const {
    return isl_aff_mod_val(offset(), isl_val_int_from_si(isl_aff_get_ctx(range_.low.get()), size));
  }
  isl_aff *lengthIn(long size) const { return multipleBelow(range_.length.copy(), size); }

  // Points of one part: those in full groups of its size that no larger group took.
  isl::set partOf(const std::vector<long> &sizes, std::size_t part) const {
    isl_set *s = isl_set_universe(space());
    if (part > 0)
      s = isl_set_intersect(
          s, isl_set_from_basic_set(isl_aff_ge_basic_set(offset(), lengthIn(sizes[part - 1]))));
    if (part + 1 < sizes.size())
      s = isl_set_intersect(s, isl_set_from_basic_set(isl_aff_lt_basic_set(offset(), lengthIn(sizes[part]))));
    return isl::manage(s);
  }

  // { R0_S1[y, x, k] -> [y, x] }
  isl_multi_aff *toPoint(const Statement &s) const {
    isl_multi_aff *m =
        isl_multi_aff_project_out_map(isl_set_get_space(s.domain.get()), isl_dim_set, s.freeCount,
                                      static_cast<int>(s.dimensions.size()) - s.freeCount);
    return isl_multi_aff_reset_tuple_id(m, isl_dim_out);
  }

  isl_union_set *instances(const isl::set &points) const {
    isl_union_set *all = isl_union_set_empty_ctx(isl_set_get_ctx(points.get()));
    for (int k : statements_) {
      const Statement &s = kernel_.statements[k];
      isl_set *here = isl_set_preimage_multi_aff(points.copy(), toPoint(s));
      all = isl_union_set_add_set(all, isl_set_intersect(here, s.domain.copy()));
    }
    return all;
  }

  isl_multi_union_pw_aff *functionOf(isl_aff *taken) const {
    const isl::aff function = isl::manage(taken);
    isl_union_pw_aff *all = nullptr;
    for (int k : statements_) {
      isl_aff *here = isl_aff_pullback_multi_aff(function.copy(), toPoint(kernel_.statements[k]));
      isl_union_pw_aff *one = isl_union_pw_aff_from_pw_aff(isl_pw_aff_from_aff(here));
      all = all ? isl_union_pw_aff_union_add(all, one) : one;
    }
    return isl_multi_union_pw_aff_from_union_pw_aff(all);
  }

  // A lane loop around every leaf below `node`; `node` at the same place.
  isl::schedule_node addLanes(const isl::schedule_node &node, long size) const {
    const int children = static_cast<int>(isl_schedule_node_n_children(node.get()));
    if (isl_schedule_node_get_type(node.get()) == isl_schedule_node_leaf) {
      isl_multi_union_pw_aff *lanes = functionOf(lane(size));
      isl_union_set *here = isl_schedule_node_get_domain(node.get());
      lanes = isl_multi_union_pw_aff_intersect_domain(lanes, here);
      return insertMark(isl::manage(isl_schedule_node_insert_partial_schedule(node.copy(), lanes)),
                        "lanes:" + std::to_string(size));
    }
    isl::schedule_node n = node;
    for (int k = 0; k < children; ++k) {
      isl::schedule_node child = isl::manage(isl_schedule_node_child(n.release(), k));
      n = isl::manage(isl_schedule_node_parent(addLanes(child, size).release()));
    }
    return n;
  }

  const Kernel &kernel_;
  int x_;
  const Range &range_;
  std::vector<int> statements_;
  long group_;
};

unsigned bytesOf(Scalar s) {
  switch (s) {
  case Scalar::F64:
  case Scalar::I64:
    return 8;
  case Scalar::F32:
  case Scalar::I32:
    return 4;
  default:
    return 1;
  }
}

} // namespace

Outcome spreadOverLanes(const Kernel &kernel, const isl::schedule_node &band, int x) {
  std::vector<int> statements;
  for (const std::string &name : statementsAt(band))
    statements.push_back(statementIndex(kernel, name));
  const int rule = kernel.statements[statements.front()].rule;
  for (int s : statements)
    if (kernel.statements[s].rule != rule)
      return {std::nullopt, "two rules share its innermost loop"};
  for (const Buffer &b : kernel.buffers)
    if (b.role == Buffer::Role::Local && b.lanes > 0)
      return {std::nullopt, "its scalars are arrays already"};
  // A body loop whose bounds move with x would give every lane its own loop.
  for (int k : statements) {
    const Statement &s = kernel.statements[k];
    for (int d = s.freeCount; d < static_cast<int>(s.dimensions.size()); ++d) {
      isl_set *bounds = isl_set_project_out(s.domain.copy(), isl_dim_set, d + 1, s.dimensions.size() - d - 1);
      bounds = isl_set_reset_tuple_id(bounds);
      const isl::set free = isl::manage(isl_set_eliminate(isl_set_copy(bounds), isl_dim_set, x, 1));
      isl_set *points = isl_set_project_out(isl_set_copy(bounds), isl_dim_set, d, 1);
      points = isl_set_insert_dims(points, isl_dim_set, d, 1);
      points = isl_set_reset_tuple_id(points);
      const isl::set box = isl::manage(isl_set_intersect(free.copy(), points));
      const isl::set exact = isl::manage(bounds);
      if (!box.is_equal(exact))
        return {std::nullopt,
                "the length of the loop over " + s.dimensions[d] + " depends on " + s.dimensions[x]};
    }
  }
  const std::optional<Range> range = rangeOf(kernel, statements, x);
  if (!range)
    return {std::nullopt,
            "its range of " + kernel.statements[statements.front()].dimensions[x] + " has cases"};
  unsigned widest = 4;
  for (int k : statements)
    for (const Access &a : kernel.statements[k].accesses)
      widest = std::max(widest, bytesOf(kernel.buffers[a.buffer].element));
  return {Spreader(kernel, x, *range, statements, kGroupBytes / widest).spread(band), ""};
}

} // namespace pbc::kernel
