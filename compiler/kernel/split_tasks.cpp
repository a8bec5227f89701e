#include "compiler/kernel/split_tasks.h"
#include "compiler/kernel/formula.h"
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

// Below this many points of x a task costs more than it gives; other dimensions may be cut to single rows.
constexpr long kGrainX = 256;

struct Unequal {
  int dimension;
  bool found = false;
};

// Some dependence connects instances that differ in this free variable.
bool isCarried(const isl::union_map &dependences, int dimension) {
  Unequal state{dimension};
  isl_union_map_foreach_map(
      dependences.get(),
      [](isl_map *m, void *user) {
        auto &s = *static_cast<Unequal *>(user);
        isl_map *equal = isl_map_equate(isl_map_copy(m), isl_dim_in, s.dimension, isl_dim_out, s.dimension);
        s.found |= isl_map_is_subset(m, equal) != isl_bool_true;
        isl_map_free(equal);
        isl_map_free(m);
        return isl_stat_ok;
      },
      &state);
  return state.found;
}

// The points are several edges: none of their pieces fills a part of the plane. Cutting the box around them
// would give mostly empty tasks.
bool areEdges(const Kernel &kernel) {
  isl_set *points = nullptr;
  for (const Statement &s : kernel.statements) {
    isl_set *here =
        isl_set_project_out(s.domain.copy(), isl_dim_set, s.freeCount, s.dimensions.size() - s.freeCount);
    here = isl_set_reset_tuple_id(here);
    points = points ? isl_set_union(points, here) : here;
  }
  points = isl_set_coalesce(points);
  bool flat = isl_set_n_basic_set(points) > 1;
  isl_set_foreach_basic_set(
      points,
      [](isl_basic_set *piece, void *user) {
        // Equalities between parameters alone say nothing about the shape.
        piece = isl_basic_set_affine_hull(piece);
        const int dims = static_cast<int>(isl_basic_set_dim(piece, isl_dim_set));
        bool isFree = true;
        for (int d = 0; d < dims; ++d)
          isFree &=
              isl_basic_set_involves_dims(piece, isl_dim_set, static_cast<unsigned>(d), 1) != isl_bool_true;
        *static_cast<bool *>(user) &= !isFree;
        isl_basic_set_free(piece);
        return isl_stat_ok;
      },
      &flat);
  isl_set_free(points);
  return flat;
}

isl::set named(const isl::set &s, const std::string &parameter) {
  isl_id *id = isl_id_alloc(isl_set_get_ctx(s.get()), parameter.c_str(), nullptr);
  isl_set *set = s.copy();
  if (isl_set_find_dim_by_id(set, isl_dim_param, id) < 0) {
    const int n = static_cast<int>(isl_set_dim(set, isl_dim_param));
    set = isl_set_add_dims(set, isl_dim_param, 1);
    set = isl_set_set_dim_id(set, isl_dim_param, n, isl_id_copy(id));
  }
  isl_id_free(id);
  return isl::manage(set);
}

isl_aff *parameter(const isl::set &s, const std::string &name) {
  isl_local_space *space = isl_local_space_from_space(isl_set_get_space(s.get()));
  return isl_aff_var_on_domain(space, isl_dim_param,
                               isl_set_find_dim_by_name(s.get(), isl_dim_param, name.c_str()));
}

// low <= x_d < high
isl::set limited(const isl::set &domain, int d, const std::string &low, const std::string &high) {
  isl::set s = named(named(domain, low), high);
  isl_aff *x = isl_aff_var_on_domain(isl_local_space_from_space(isl_set_get_space(s.get())), isl_dim_set, d);
  isl_set *above = isl_set_from_basic_set(isl_aff_ge_basic_set(isl_aff_copy(x), parameter(s, low)));
  isl_set *below = isl_set_from_basic_set(isl_aff_lt_basic_set(x, parameter(s, high)));
  return s.intersect(isl::manage(above)).intersect(isl::manage(below));
}

// What tasks may rely on: limits lie inside the whole range. Said only where the range has one formula: a
// range by cases would make the context a union, for which isl prints worse loops.
isl::set assume(const isl::set &context, const isl::pw_aff &least, const isl::pw_aff &most,
                const std::string &low, const std::string &high) {
  isl::set c = named(named(context, low), high);
  const std::optional<isl::aff> from = formula(least), to = formula(most);
  auto bound = [&](const isl::aff &f, const std::string &name, bool above) {
    isl_pw_aff *limit = isl_pw_aff_from_aff(parameter(c, name)), *range = isl_pw_aff_from_aff(f.copy());
    isl_set *s = above ? isl_pw_aff_ge_set(limit, range) : isl_pw_aff_le_set(limit, range);
    c = c.intersect(isl::manage(isl_set_params(s)));
  };
  if (from)
    bound(*from, low, true);
  if (to)
    bound(isl::manage(isl_aff_add_constant_si(to->copy(), 1)), high, false);
  return c;
}

} // namespace

Outcome splitIntoTasks(const Kernel &kernel) {
  if (!kernel.taskDimensions.empty())
    return {std::nullopt, "it is cut into tasks already"};
  if (kernel.statements.empty())
    return {std::nullopt, "it does nothing"};
  const Statement &first = kernel.statements.front();
  for (const Statement &s : kernel.statements)
    if (s.rule != first.rule)
      return {std::nullopt, "rules that need each other take turns at every point"};
  if (areEdges(kernel))
    return {std::nullopt, "its points are edges only"};
  Kernel cut = kernel;
  for (int d = 0; d < first.freeCount; ++d) {
    if (isCarried(kernel.dependences, d))
      continue;
    isl::set whole;
    for (const Statement &s : kernel.statements) {
      isl_set *points = isl_set_project_out(s.domain.copy(), isl_dim_set, d + 1, s.dimensions.size() - d - 1);
      points = isl_set_reset_tuple_id(isl_set_project_out(points, isl_dim_set, 0, d));
      whole = whole.is_null() ? isl::manage(points) : whole.unite(isl::manage(points));
    }
    whole = poly::simplified(whole);
    if (whole.is_empty())
      continue;
    const std::string number = std::to_string(cut.taskDimensions.size());
    const std::string low = "pb__low" + number, high = "pb__high" + number;
    const isl::pw_aff least = poly::dimMin(whole, 0), most = poly::dimMax(whole, 0);
    if (least.plain_is_equal(most))
      continue;
    cut.context = assume(cut.context, least, most, low, high);
    for (Statement &s : cut.statements)
      s.domain = limited(s.domain, d, low, high);
    isl_val *one = isl_val_one(isl_set_get_ctx(whole.get()));
    const isl::pw_aff end = isl::manage(isl_pw_aff_add_constant_val(most.copy(), one));
    cut.taskDimensions.push_back(
        {first.dimensions[d], poly::cxx(least), poly::cxx(end), d == 0 ? kGrainX : 1});
  }
  if (cut.taskDimensions.empty())
    return {std::nullopt, "every loop over its points carries a dependence"};
  // `x < w` follows from `x < high0 <= w`: what the context implies only slows isl down.
  for (Statement &s : cut.statements) {
    isl_set *known = isl_set_intersect_params(s.domain.copy(), cut.context.copy());
    s.domain = isl::manage(isl_set_gist_params(isl_set_remove_redundancies(known), cut.context.copy()));
  }
  isl_union_set *domain = isl_union_set_empty_ctx(isl_set_get_ctx(kernel.context.get()));
  for (const Statement &s : cut.statements)
    domain = isl_union_set_add_set(domain, s.domain.copy());
  cut.schedule = isl::manage(isl_schedule_intersect_domain(cut.schedule.release(), domain));
  return {cut, ""};
}

} // namespace pbc::kernel
