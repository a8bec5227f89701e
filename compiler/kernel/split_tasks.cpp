// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/split_tasks.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/task_functions.h"
#include "compiler/kernel/time_functions.h"
#include "compiler/kernel/waiting_rows.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

// With fewer points of x a task costs more than it saves; other dimensions may be cut to single rows.
constexpr long kGrainX = 256;

// Whether the points are several edges, none of which has an area. Cutting the box around them would give
// mostly empty tasks.
bool areEdges(const Scheduled &kernel) {
  const int rule = kernel.statements.front().rule;
  if (std::any_of(kernel.statements.begin(), kernel.statements.end(),
                  [&](const Statement &s) { return s.rule != rule; }))
    return false; // the points of a group are in different spaces
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

std::string lowName(std::size_t k) { return "pb__low" + std::to_string(k); }
std::string highName(std::size_t k) { return "pb__high" + std::to_string(k); }

// low <= value < high
isl::set limited(const isl::set &domain, const isl::pw_aff &value, const std::string &low,
                 const std::string &high) {
  isl::set s = named(named(domain, low), high);
  const auto limit = [&](const std::string &name) { return isl_pw_aff_from_aff(parameter(s, name)); };
  isl_set *above = isl_pw_aff_ge_set(value.copy(), limit(low));
  isl_set *below = isl_pw_aff_lt_set(value.copy(), limit(high));
  return s.intersect(isl::manage(above)).intersect(isl::manage(below));
}

// What tasks may rely on: limits lie inside the whole range. This is added only if the range has one formula:
// a range with cases would make the context a union, for which isl generates worse loops.
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

// For wavefronts through time: how the cells of a part move with each step, and how many bytes they have.
void noteTime(Scheduled &cut, const Kernel &whole, const TimeFunctions &time, bool asDiamonds) {
  auto &dimensions = cut.schedule.taskDimensions;
  const auto named = [&](const std::string &name) {
    return std::find_if(dimensions.begin(), dimensions.end(), [&](const auto &d) { return d.name == name; });
  };
  const auto places =
      std::count_if(dimensions.begin(), dimensions.end(), [](const auto &d) { return d.isPlace; });
  if (places == 0 || places == static_cast<long>(dimensions.size()))
    return;
  cut.schedule.bytesPerPlace = bytesPerPlace(whole, static_cast<int>(places));
  for (const TaskFunction &f : time.functions) {
    const auto moved = named(f.name), along = named(f.along);
    if (moved == dimensions.end() || along == dimensions.end())
      continue;
    moved->along = static_cast<int>(along - dimensions.begin());
    moved->slope = f.slope;
    if (asDiamonds && &f - time.functions.data() == time.place)
      moved->down = time.down;
  }
}

} // namespace

Scheduled withParts(const Scheduled &kernel, TaskFunctions &tasks, long grainX) {
  Scheduled cut = kernel;
  cut.schedule.taskOrder = tasks.order;
  std::vector<TaskFunction> several;
  for (const TaskFunction &f : tasks.functions) {
    const isl::set values = valuesOf(f, kernel),
                   whole = isOfBlock(kernel) ? ofAnyBlock(values, kernel.context) : values;
    if (whole.is_empty())
      continue;
    const isl::pw_aff least = poly::dimMin(whole, 0), most = poly::dimMax(whole, 0);
    if (least.plain_is_equal(most)) {
      if (&f == &tasks.functions.front() && cut.schedule.taskOrder == TaskOrder::Rounds)
        cut.schedule.taskOrder = TaskOrder::Any; // there is one round
      continue;
    }
    cut.context = assume(cut.context, least, most, lowName(several.size()), highName(several.size()));
    isl_val *one = isl_val_one(isl_set_get_ctx(whole.get()));
    const isl::pw_aff end = isl::manage(isl_pw_aff_add_constant_val(most.copy(), one));
    cut.schedule.taskDimensions.push_back(
        {f.name, least, end, f.isX && tasks.order != TaskOrder::Wavefront ? grainX : 1, f.isPlace});
    several.push_back(f);
  }
  tasks = {cut.schedule.taskOrder, std::move(several)};
  return cut;
}

/// Limits the points to parts along these functions, the first of which is task dimension `begin`.
static Scheduled limitedFrom(const Scheduled &parts, const std::vector<TaskFunction> &functions,
                             std::size_t begin) {
  Scheduled cut = parts;
  for (Statement &s : cut.statements) {
    const Statement whole = s;
    for (std::size_t k = 0; k < functions.size(); ++k)
      s.domain = limited(s.domain, valueAt(functions[k], whole), lowName(begin + k), highName(begin + k));
    // `x < w` follows from `x < high0 <= w`: what the context implies only slows isl down.
    isl_set *known = isl_set_intersect_params(s.domain.copy(), cut.context.copy());
    s.domain = isl::manage(isl_set_gist_params(isl_set_remove_redundancies(known), cut.context.copy()));
  }
  isl_union_set *domain = isl_union_set_empty_ctx(isl_set_get_ctx(cut.context.get()));
  for (const Statement &s : cut.statements)
    domain = isl_union_set_add_set(domain, s.domain.copy());
  cut.schedule.tree = isl::manage(isl_schedule_intersect_domain(cut.schedule.tree.release(), domain));
  return cut;
}

Scheduled limitedToPart(const Scheduled &parts, const std::vector<TaskFunction> &functions) {
  return limitedFrom(parts, functions, 0);
}

Scheduled cutFurther(const Scheduled &kernel, const TaskFunction &f, const WholeRange &range) {
  Scheduled cut = kernel;
  const std::size_t k = cut.schedule.taskDimensions.size();
  cut.context = assume(cut.context, range.least, range.most, lowName(k), highName(k));
  isl_val *one = isl_val_one(isl_set_get_ctx(cut.context.get()));
  const isl::pw_aff end = isl::manage(isl_pw_aff_add_constant_val(range.most.copy(), one));
  cut.schedule.taskDimensions.push_back({f.name, range.least, end, 1, f.isPlace});
  cut.schedule.plain.reset();
  return limitedFrom(cut, {f}, k);
}

Scheduled cutAlong(const Scheduled &kernel, TaskFunctions tasks, long grainX) {
  const Scheduled parts = withParts(kernel, tasks, grainX);
  return limitedToPart(parts, tasks.functions);
}

/// Whether parts would read what others have written into scratch memory, of which each task has its own.
static bool handOnScratch(const Scheduled &kernel, const TaskFunctions &tasks) {
  std::set<int> scratch;
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b)
    if (kernel.buffers[b].role == Buffer::Role::Scratch)
      scratch.insert(static_cast<int>(b));
  if (scratch.empty() || tasks.order == TaskOrder::Any) // then no dependence at all leads to another part
    return false;
  const isl::union_map through = dependences(kernel, scratch);
  return std::any_of(tasks.functions.begin(), tasks.functions.end(),
                     [&](const TaskFunction &f) { return !neverChanges(through, f.value); });
}

/// "`A_map`": the scratch memory of which each task has its own.
static std::string namesOfScratch(const Scheduled &kernel) {
  std::string all;
  for (const Buffer &b : kernel.buffers)
    if (b.role == Buffer::Role::Scratch)
      all += fmt::format("{}`{}`", all.empty() ? "" : ", ", programName(kernel, b));
  return all;
}

static std::string whySharedMemory(const Scheduled &kernel) {
  return fmt::format("its parts would share scratch memory ({}): `tasks` comes before the steps that make it",
                     namesOfScratch(kernel));
}

/// The kernel as if copies of matrices, which have points of their own, were there already.
static Scheduled withoutCopies(const Scheduled &kernel) {
  Scheduled rest = kernel;
  std::erase_if(rest.statements, isOfCopy);
  isl_union_set *domain = isl_union_set_empty_ctx(isl_set_get_ctx(kernel.context.get()));
  for (const Statement &s : rest.statements)
    domain = isl_union_set_add_set(domain, s.domain.copy());
  const isl::union_set points = isl::manage(domain);
  std::set<int> shared;
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b)
    if (kernel.buffers[b].role != Buffer::Role::Scratch)
      shared.insert(static_cast<int>(b));
  rest.dependences = dependences(kernel, shared).intersect_domain(points).intersect_range(points);
  return rest;
}

/// Why there is no cut, though the kernel has points.
static std::string whyNoCut(const Scheduled &kernel) {
  if (!namesOfScratch(kernel).empty())
    if (const Scheduled rest = withoutCopies(kernel);
        !rest.statements.empty() && !taskFunctions(rest).functions.empty())
      return whySharedMemory(kernel);
  return haveOnePoint(kernel.statements) ? "it has one point"
                                         : "every loop over its points carries a dependence";
}

Outcome splitIntoTasks(const Scheduled &kernel, const TaskCut &asked) {
  if (!kernel.schedule.taskDimensions.empty())
    return {std::nullopt, "it is cut into tasks already"};
  if (kernel.statements.empty())
    return {std::nullopt, "it does nothing"};
  if (areEdges(kernel))
    return {std::nullopt, "its points are edges only"};
  TaskFunctions tasks = taskFunctions(kernel);
  const std::optional<TimeFunctions> time = timeFunctions(kernel, tasks);
  if (time)
    tasks.functions = time->functions;
  if (asked.diamonds && (!time || time->place < 0))
    return {std::nullopt, time ? time->why : "its tasks do not go through time"};
  if (!asked.along.empty() && tasks.order != TaskOrder::Any)
    return {std::nullopt, "its tasks wait for each other, in an order that needs all of them"};
  if (!asked.along.empty())
    std::erase_if(tasks.functions, [&](const TaskFunction &f) {
      return std::find(asked.along.begin(), asked.along.end(), f.name) == asked.along.end();
    });
  if (handOnScratch(kernel, tasks))
    return {std::nullopt, whySharedMemory(kernel)};
  Scheduled cut = cutAlong(kernel, tasks, asked.grain ? asked.grain : kGrainX);
  // An ordered cut needs at least two dimensions.
  if (cut.schedule.taskDimensions.empty() ||
      (cut.schedule.taskOrder != TaskOrder::Any && cut.schedule.taskDimensions.size() == 1))
    return {std::nullopt, whyNoCut(kernel)};
  cut.schedule.tree = withFlags(cut.schedule.tree, cut.dependences).value_or(cut.schedule.tree);
  if (time)
    noteTime(cut, kernel, *time, asked.diamonds);
  return {cut, ""};
}

} // namespace pbc::kernel
