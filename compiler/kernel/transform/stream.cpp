// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/stream.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

/// Measured (docs/notebook/stores.md): stencils that read few cells for each that they store take as long as their bytes take, and four staggered rows are
/// fastest, or nearly so. Others are limited by what the first cache gives, of which eight rows side by side need least; and so are maps, whose
/// rows have nothing in common.
constexpr long kRowsOfLight = 4, kRowsOfOthers = 8;
constexpr std::size_t kMostReadsOfLight = 6;

const as::Vector *vectorOf(const LoopNode &loop) {
  return loop.how ? std::get_if<as::Vector>(&*loop.how) : nullptr;
}

const Buffer &bufferOf(const Kernel &kernel, const Access &a) {
  return kernel.buffers[static_cast<std::size_t>(a.buffer)];
}

/// The statement below the loop that stores cells of matrices; null if there are several, or none.
const Statement *onlyStore(const Scheduled &kernel, const LoopNode &loop) {
  const Statement *found = nullptr;
  for (const int s : statementsBelow(kernel, loop)) {
    const Statement &one = kernel.statements[static_cast<std::size_t>(s)];
    if (one.write < 0 || !isMatrix(bufferOf(kernel, one.accesses[static_cast<std::size_t>(one.write)])))
      continue;
    if (found)
      return nullptr;
    found = &one;
  }
  return found;
}

bool isRead(const Kernel &kernel, int buffer) {
  return std::any_of(kernel.statements.begin(), kernel.statements.end(), [&](const Statement &s) {
    return std::any_of(s.accesses.begin(), s.accesses.end(),
                       [&](const Access &a) { return !a.isWrite && a.buffer == buffer; });
  });
}

/// Where in its row the cell of each point is, whichever statement reads it.
isl::map columnsOf(const Statement &s, const Access &a, const Buffer &matrix) {
  isl_map *columns = isl_map_project_out(a.relation.gist_domain(s.domain).release(), isl_dim_out, 1,
                                         static_cast<unsigned>(matrix.rank) - 1);
  columns = isl_map_reset_tuple_id(columns, isl_dim_in);
  return isl::manage(isl_map_reset_tuple_id(columns, isl_dim_out));
}

/// Whether the loop reads few cells along their rows for each one that it stores, and several neighbours in a row of them.
bool isLight(const Scheduled &kernel, const LoopNode &loop) {
  const int x = memberDimension(kernel, loop.band);
  std::vector<std::pair<int, isl::map>> reads; // of which matrix, and where in its rows
  bool hasNeighbours = false;
  for (const int number : statementsBelow(kernel, loop)) {
    const Statement &s = kernel.statements[static_cast<std::size_t>(number)];
    if (x < 0 || s.isOpaque || static_cast<int>(s.dimensions.size()) > s.freeCount)
      return false;
    for (const Access &a : s.accesses) {
      if (a.isWrite || !isMatrix(bufferOf(kernel, a)) || bufferOf(kernel, a).rank == 0)
        continue;
      if (along(kernel, a, x) != Along::Contiguous)
        return false;
      isl::map columns = columnsOf(s, a, bufferOf(kernel, a));
      for (const auto &[buffer, others] : reads)
        hasNeighbours |= buffer == a.buffer && !others.is_equal(columns);
      reads.emplace_back(a.buffer, std::move(columns));
    }
  }
  return hasNeighbours && reads.size() <= kMostReadsOfLight;
}

/// The loop directly around, whose rows may take turns with each other.
std::optional<LoopNode> loopOfRows(const LoopNode &loop) {
  const std::vector<LoopNode> outer = around(loop);
  if (outer.empty() || nestFrom(outer.front()).size() < 2 || nestFrom(outer.front())[1].label != loop.label)
    return std::nullopt;
  return outer.front();
}

/// Rows together are for the plain stores only.
std::string whyNotInTurn(const LoopNode &rows) {
  const bool isLoop = isInTurn(rows) && !(rows.how && std::holds_alternative<as::Unroll>(*rows.how));
  return isLoop || std::holds_alternative<as::Jam>(*rows.how) ? "" : alreadyRealised(rows);
}

} // namespace

std::string whyNoTurns(const Scheduled &kernel, const LoopNode &loop) {
  const std::optional<LoopNode> rows = loopOfRows(loop);
  if (!rows)
    return fmt::format("no loop is directly around its loop over `{}`", loop.label);
  if (std::string why = whyNotInTurn(*rows); !why.empty())
    return why;
  if (!isParallel(rows->band))
    return fmt::format("its loop over `{}` carries a dependence", rows->label);
  for (const LoopNode &one : {*rows, loop})
    if (std::string why = whyNotCounting(kernel, one); !why.empty())
      return why;
  if (boundsMove(kernel, loop, *rows))
    return fmt::format("the bounds of the loop over `{}` depend on `{}`", loop.label, rows->label);
  return "";
}

namespace {

std::string whyNoStore(const Scheduled &kernel, const LoopNode &loop) {
  const Statement *store = onlyStore(kernel, loop);
  if (!store)
    return fmt::format("its loop over `{}` stores other cells, too", loop.label);
  const Access &cell = store->accesses[static_cast<std::size_t>(store->write)];
  const std::string name = programName(kernel, bufferOf(kernel, cell));
  if (!store->op.empty())
    return fmt::format("it adds to what is in `{}`", name);
  if (isRead(kernel, cell.buffer))
    return fmt::format("the kernel reads `{}`, too", name);
  const int x = memberDimension(kernel, loop.band);
  if (x < 0 || along(kernel, cell, x) != Along::Contiguous)
    return fmt::format("its loop over `{}` does not run along the rows of `{}`", loop.label, name);
  if (!cell.relation.intersect_domain(store->domain).is_injective())
    return fmt::format("it stores cells of `{}` several times", name);
  return "";
}

} // namespace

std::string whyNotStreamed(const Scheduled &kernel, const LoopNode &loop,
                           const as::Vector::Streaming &streaming) {
  if (kernel.schedule.taskOrder == TaskOrder::Wavefront)
    return "its tiles go over the same cells again, which caches keep";
  if (const as::Vector *how = vectorOf(loop); how && how->width)
    return fmt::format("its loop over `{}` is realised as vectors of {} iterations", loop.label, how->width);
  if (std::string why = whyNoStore(kernel, loop); !why.empty())
    return why;
  return streaming.rows > 1 ? whyNoTurns(kernel, loop) : "";
}

std::vector<LoopNode> vectorLoopsThatStore(const Scheduled &kernel, int buffer) {
  std::vector<LoopNode> all;
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree)) {
    if (!vectorOf(loop))
      continue;
    for (const int s : statementsBelow(kernel, loop)) {
      const Statement &one = kernel.statements[static_cast<std::size_t>(s)];
      if (one.write >= 0 && one.accesses[static_cast<std::size_t>(one.write)].buffer == buffer) {
        all.push_back(loop);
        break;
      }
    }
  }
  return all;
}

namespace {

/// Parts of tasks have a multiple of the rows that take turns.
void cutBetweenTurns(Schedule &schedule, const Scheduled &kernel, const LoopNode &rows, long turns) {
  const Statement &statement =
      kernel.statements[static_cast<std::size_t>(statementsBelow(kernel, rows).front())];
  const int y = memberDimension(kernel, rows.band);
  for (TaskDimension &d : schedule.taskDimensions)
    if (y >= 0 && d.name == statement.dimensions[static_cast<std::size_t>(y)] && d.grain == 1)
      d.grain = turns;
}

Outcome applyStream(const Scheduled &kernel, const Arguments &arguments) {
  const int buffer = bufferIndex(kernel, arguments.name("matrix"));
  const Buffer &matrix = kernel.buffers[static_cast<std::size_t>(buffer)];
  const std::string name = programName(kernel, matrix);
  if (matrix.role != Buffer::Role::Output)
    return {std::nullopt, fmt::format("the kernel does not write `{}`", name)};
  const std::vector<LoopNode> loops = vectorLoopsThatStore(kernel, buffer);
  if (loops.empty())
    return {std::nullopt, fmt::format("no vector loop writes `{}`", name)};
  Scheduled changed = kernel;
  for (const LoopNode &loop : loops) {
    as::Vector how = *vectorOf(loop);
    if (how.streaming.rows)
      return {std::nullopt, fmt::format("`{}` is stored past the caches already", name)};
    const bool takesTurns = whyNoTurns(kernel, loop).empty(), light = isLight(kernel, loop);
    const long rows = arguments.number("rows").value_or(!takesTurns ? 1
                                                        : light     ? kRowsOfLight
                                                                    : kRowsOfOthers);
    const std::string turns = arguments.name("turns");
    how.streaming = {rows, arguments.name("when") == "always",
                     rows > 1 && (turns.empty() ? light : turns == "staggered")};
    if (std::string why = whyNotStreamed(kernel, loop, how.streaming); !why.empty())
      return {std::nullopt, std::move(why)};
    changed.schedule.tree = realised(changed.schedule.tree, loop.label, how);
    if (how.streaming.rows > 1)
      cutBetweenTurns(changed.schedule, kernel, *loopOfRows(loop), how.streaming.rows);
  }
  return {changed, ""};
}

std::vector<script::Step> matricesWorthTrying(const Scheduled &kernel, const Machine &) {
  std::vector<script::Step> all;
  const auto add = [&](const Buffer &matrix, long rows, const char *turns) {
    script::Step step = script::step("stream", {matrix.name});
    if (rows > 0)
      script::with(step, "rows", script::number(rows));
    if (turns)
      script::with(step, "turns", script::name(turns));
    all.push_back(std::move(step));
  };
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
    const Buffer &matrix = kernel.buffers[b];
    if (matrix.role != Buffer::Role::Output || vectorLoopsThatStore(kernel, static_cast<int>(b)).empty())
      continue;
    add(matrix, 0, nullptr);
    add(matrix, kRowsOfOthers, "side_by_side");
    add(matrix, kRowsOfLight, "staggered");
    add(matrix, 1, nullptr);
  }
  return all;
}

} // namespace

Transformation streamTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "stream",
          .doc = "stores a matrix past the caches, where it is larger than these",
          .parameters = {{.name = "matrix", .kind = Kind::Buffer, .doc = "the matrix"},
                         {.name = "rows",
                          .kind = Kind::Integer,
                          .doc = "rows whose blocks are stored in turns",
                          .least = 1,
                          .most = 16,
                          .isOptional = true},
                         {.name = "turns",
                          .kind = Kind::Word,
                          .doc = "where the blocks of the rows of a turn are",
                          .words = {"side_by_side", "staggered"},
                          .isOptional = true},
                         {.name = "when",
                          .kind = Kind::Word,
                          .doc = "for which sizes",
                          .words = {"large", "always"},
                          .isOptional = true}},
          .apply = applyStream,
          .stage = Stage::Points,
          .target = Target::Processor,
          .alternatives = matricesWorthTrying};
}

} // namespace pbc::kernel
