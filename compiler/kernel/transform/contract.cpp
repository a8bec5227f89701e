// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/contract.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/live_cells.h"
#include "compiler/kernel/transform/cut.h"
#include "compiler/kernel/transform/scratch_array.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

/// Why the buffer's cells cannot be other ones; "" if they can, as far as the lives of its values allow it.
std::string whyFixed(const Scheduled &kernel, int index) {
  const Buffer &buffer = kernel.buffers[static_cast<std::size_t>(index)];
  const std::string name = programName(kernel, index);
  if (buffer.role == Buffer::Role::Local)
    return fmt::format("`{}` is one variable already", name);
  if (isMatrix(buffer) && !buffer.isPrivate)
    return fmt::format("`{}` is a matrix that others read or write, too", name);
  if (isMatrix(buffer) && kernel.schedule.taskOrder != TaskOrder::Any &&
      !kernel.schedule.taskDimensions.empty())
    return fmt::format("its tasks hand on what is in `{}`", name);
  bool isWritten = false;
  for (const Statement &s : kernel.statements) {
    if (s.isOpaque && usesBuffer(s, index))
      return "its body is a call of C++ code";
    isWritten |= std::any_of(s.accesses.begin(), s.accesses.end(),
                             [&](const Access &a) { return a.buffer == index && a.isWrite; });
  }
  return isWritten ? whyNotApart(kernel) : fmt::format("the kernel does not write `{}`", name);
}

/// Why the loop is not around all that uses the buffer, iteration by iteration; "" if it is.
std::string whyNotAround(const Scheduled &kernel, int buffer, const LoopNode &at) {
  const std::vector<int> below = statementsBelow(kernel, at);
  const std::string name = programName(kernel, buffer);
  for (std::size_t s = 0; s < kernel.statements.size(); ++s)
    if (usesBuffer(kernel.statements[s], buffer) &&
        std::find(below.begin(), below.end(), static_cast<int>(s)) == below.end())
      return fmt::format("`{}` uses `{}` outside of the loop over `{}`", kernel.statements[s].name, name,
                         at.label);
  if (const std::string elsewhere = runsElsewhere(kernel, at); !elsewhere.empty())
    return fmt::format("`{}` runs outside of its loop over `{}`, too: its iterations are cut already",
                       elsewhere, at.label);
  // Iterations that run at the same time would get the same cells.
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree))
    for (const int s : isInTurn(loop) ? std::vector<int>{} : statementsBelow(kernel, loop))
      if (usesBuffer(kernel.statements[static_cast<std::size_t>(s)], buffer))
        return alreadyRealised(loop);
  return "";
}

/// How many dimensions depend on the sizes, and the number of cells along the others.
std::pair<int, double> sizeOf(const Buffer &b) {
  std::pair<int, double> all{0, 1};
  for (const isl::pw_aff &extent : b.extents) {
    const std::optional<long> cells = constantOf(extent);
    all.first += !cells, all.second *= cells ? static_cast<double>(*cells) : 1;
  }
  return all;
}

/// A step uses one cell, so that the cell's coordinates only say which step's it is.
Scheduled asVariable(const Scheduled &kernel, int buffer) {
  Scheduled changed = kernel;
  Buffer &b = changed.buffers[static_cast<std::size_t>(buffer)];
  b.role = Buffer::Role::Local;
  b.matrix = -1;
  b.extents.clear();
  b.inRegisters = b.isPrivate = false;
  return changed;
}

Outcome contracted(const Scheduled &before, int buffer, const LoopNode &at) {
  const Scheduled kernel = withOneMemory(before, buffer);
  const std::string &name = kernel.buffers[static_cast<std::size_t>(buffer)].name;
  const LiveCells live = liveCells(kernel, buffer, at.band);
  if (!live.unwritten.empty())
    return {std::nullopt, fmt::format("`{}` reads cells of `{}` that the kernel has not written",
                                      live.unwritten, programName(kernel, buffer))};
  ArrayRequest wanted{.buffer = buffer, .loops = loopsAround(at), .moduli = moduliOf(live)};
  wanted.loops.push_back(at.label);
  wanted.loops.resize(live.closed);
  const Outcome made = withArray(kernel, wanted);
  const Outcome closed = withArray(kernel, {.buffer = buffer, .loops = wanted.loops});
  const Outcome whole = isMatrix(kernel.buffers[static_cast<std::size_t>(buffer)])
                            ? withArray(kernel, {.buffer = buffer, .loops = {}})
                            : Outcome{kernel, ""};
  for (const Outcome *one : {&made, &closed, &whole})
    if (!one->kernel)
      return *one;
  const auto size = [&](const Outcome &o) {
    return sizeOf(o.kernel->buffers[static_cast<std::size_t>(buffer)]);
  };
  const bool isCell = size(closed) == std::pair(0, 1.0);
  if (!isCell && size(made) >= size(whole))
    return {std::nullopt, fmt::format("a step of `{}` needs as many cells of `{}` as there are", at.label,
                                      programName(kernel, buffer))};
  Scheduled changed = isCell ? asVariable(kernel, buffer) : *made.kernel;
  changed.dependences = dependences(changed);
  Subtree tree = *subtreeOf(changed.schedule.tree);
  undeclare(tree, name);
  declareBelow(tree, wanted.loops.empty() ? "" : wanted.loops.back(), name);
  return withSubtree(changed, tree);
}

Outcome applyContract(const Scheduled &kernel, const Arguments &arguments) {
  const int buffer = bufferIndex(kernel, arguments.name("buffer"));
  const LoopNode at = *findLoop(kernel.schedule.tree, arguments.name("at"));
  if (std::string why = whyFixed(kernel, buffer); !why.empty())
    return {std::nullopt, std::move(why)};
  if (std::string why = whyNotAround(kernel, buffer, at); !why.empty())
    return {std::nullopt, std::move(why)};
  return contracted(kernel, buffer, at);
}

/// For each buffer the innermost loops first.
std::vector<script::Step> alternativesOfContract(const Scheduled &kernel, const Machine &) {
  std::vector<script::Step> all;
  const auto named = [](const std::string &name) { return script::Value{script::Name{name}, {}}; };
  std::vector<LoopNode> loops = loopsOf(kernel.schedule.tree);
  std::reverse(loops.begin(), loops.end());
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b)
    for (const LoopNode &loop : loops) {
      const std::string name = programName(kernel, static_cast<int>(b));
      if (whyFixed(kernel, static_cast<int>(b)).empty() &&
          whyNotAround(kernel, static_cast<int>(b), loop).empty() &&
          contracted(kernel, static_cast<int>(b), loop).kernel) {
        script::Step step;
        step.transformation = "contract";
        step.operands = {named(name)};
        step.named = {{"at", named(loop.label), {}}};
        all.push_back(std::move(step));
      }
    }
  return all;
}

} // namespace

Transformation contractTransformation() {
  using Kind = Parameter::Kind;
  return {
      .name = "contract",
      .doc = "gives an intermediate result no more cells than a step of a loop has in use",
      .parameters = {{.name = "buffer", .kind = Kind::Buffer, .doc = "scratch memory, or a private matrix"},
                     {.name = "at", .kind = Kind::Loop, .doc = "the loop around all that uses it"}},
      .apply = applyContract,
      .alternatives = alternativesOfContract};
}

} // namespace pbc::kernel
