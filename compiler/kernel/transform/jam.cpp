// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/jam.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>

namespace pbc::kernel {

bool isAroundVector(const Scheduled &kernel, const LoopNode &loop) {
  const std::vector<LoopNode> nest = nestFrom(loop);
  if (nest.size() != 2 || !nest[1].how || !std::holds_alternative<as::Vector>(*nest[1].how))
    return false;
  const isl::schedule_node inside = isl::manage(isl_schedule_node_get_child(nest[1].band.get(), 0));
  const std::vector<int> statements = statementsBelow(kernel, loop);
  if (isl_schedule_node_get_type(inside.get()) != isl_schedule_node_leaf || statements.size() != 1)
    return false;
  const Statement &s = kernel.statements[statements.front()];
  return memberDimension(kernel, loop.band) >= 0 && !s.isOpaque &&
         (s.op.empty() || updatesSameCells(kernel, loop));
}

namespace {

/// Whether the access reads the cell, or would if its input were the matrix of the cell (docs/decisions/0010-aliasing-by-copy.md).
bool mayReadCell(const Kernel &kernel, const Statement &s, const Access &a, const Access &cell) {
  if (a.isWrite || a.buffer == cell.buffer)
    return !a.isWrite;
  if (kernel.buffers[static_cast<std::size_t>(a.buffer)].role != Buffer::Role::Input ||
      isl_map_dim(a.relation.get(), isl_dim_out) != isl_map_dim(cell.relation.get(), isl_dim_out))
    return false;
  const isl::map same = isl::manage(isl_map_set_tuple_id(
      a.relation.copy(), isl_dim_out, isl_map_get_tuple_id(cell.relation.get(), isl_dim_out)));
  return same.intersect_domain(s.domain).is_subset(cell.relation);
}

} // namespace

bool updatesSameCells(const Scheduled &kernel, const LoopNode &loop) {
  const Statement &s = kernel.statements[statementsBelow(kernel, loop).front()];
  const int y = memberDimension(kernel, loop.band);
  if (y < 0 || s.isOpaque || s.op.empty())
    return false;
  const Access &cell = s.accesses[static_cast<std::size_t>(s.write)];
  return along(kernel, cell, y) == Along::Nowhere &&
         std::none_of(s.accesses.begin(), s.accesses.end(),
                      [&](const Access &a) { return mayReadCell(kernel, s, a, cell); });
}

namespace {

/// Why several iterations may not run together; "" if they may.
std::string whyInOrder(const Scheduled &kernel, const LoopNode &loop) {
  if (isParallel(loop.band))
    return "";
  const bool mayRun =
      updatesSameCells(kernel, loop) &&
      isPermutable(loop.band, {functionOf(loop), functionOf(nestFrom(loop)[1])}, kernel.dependences);
  return mayRun ? "" : fmt::format("its loop over `{}` carries a dependence", loop.label);
}

} // namespace

std::string whyNotJammed(const Scheduled &kernel, const LoopNode &loop) {
  if (!isAroundVector(kernel, loop))
    return fmt::format("the loop over `{}` does not contain just a vector loop of one statement", loop.label);
  if (std::string why = whyInOrder(kernel, loop); !why.empty())
    return why;
  const LoopNode inner = nestFrom(loop)[1];
  if (tripCount(kernel, inner).value_or(2) <= 1)
    return fmt::format("the loop over `{}` has no second iteration", inner.label);
  for (const LoopNode &one : {loop, inner})
    if (std::string why = whyNotCounting(kernel, one); !why.empty())
      return why;
  if (boundsMove(kernel, inner, loop))
    return fmt::format("the bounds of the loop over `{}` depend on `{}`", inner.label, loop.label);
  if (!isOneRange(kernel, inner))
    return fmt::format("the iterations of its loop over `{}` are several ranges", inner.label);
  return "";
}

namespace {

Outcome applyJam(const Scheduled &kernel, const Arguments &arguments) {
  Scheduled changed = kernel;
  for (const std::string &label : arguments.names("loops")) {
    const LoopNode loop = *findLoop(kernel.schedule.tree, label);
    if (loop.how)
      return {std::nullopt, alreadyRealised(loop)};
    if (std::string why = whyNotJammed(kernel, loop); !why.empty())
      return {std::nullopt, std::move(why)};
    changed.schedule.tree =
        realised(changed.schedule.tree, label, as::Jam{static_cast<int>(*arguments.number("rows"))});
  }
  return {changed, ""};
}

/// Around all vector loops where it is possible.
std::vector<script::Step> rowsWorthTrying(const Scheduled &kernel, const Machine &) {
  std::vector<std::string> labels;
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree))
    if (!loop.how && isAroundVector(kernel, loop) && whyInOrder(kernel, loop).empty() &&
        !boundsMove(kernel, nestFrom(loop)[1], loop))
      labels.push_back(loop.label);
  std::vector<script::Step> all;
  if (!labels.empty())
    for (const long rows : {4L, 2L, 3L, 6L, 8L})
      all.push_back(script::step("jam", labels, {rows}));
  return all;
}

} // namespace

Transformation jamTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "jam",
          .doc = "computes several iterations of the loop around a vector loop together",
          .parameters = {{.name = "loops", .kind = Kind::Loops, .doc = "the loops"},
                         {.name = "rows",
                          .kind = Kind::Integer,
                          .doc = "iterations that are computed together",
                          .least = 2,
                          .most = 16}},
          .apply = applyJam,
          .stage = Stage::Points,
          .target = Target::Processor,
          .alternatives = rowsWorthTrying};
}

} // namespace pbc::kernel
