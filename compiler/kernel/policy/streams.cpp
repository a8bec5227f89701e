// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/policy/streams.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/transform/stream.h"
#include "compiler/kernel/transform/support.h"
#include <fmt/format.h>
#include <isl/set.h>

namespace pbc::kernel {
namespace {

/// Why the cells of this matrix are stored plainly; "" if they go past the caches.
std::string whyPlain(const Scheduled &kernel, int buffer) {
  const Buffer &matrix = kernel.buffers[static_cast<std::size_t>(buffer)];
  const std::string name = programName(kernel, matrix);
  const std::vector<LoopNode> loops = vectorLoopsThatStore(kernel, buffer);
  if (loops.empty())
    return fmt::format("no vector loop writes `{}`", name);
  if (loops.size() > 1)
    return fmt::format("several loops write `{}`", name);
  for (const int s : statementsBelow(kernel, loops.front()))
    if (isl_set_n_basic_set(kernel.statements[static_cast<std::size_t>(s)].domain.get()) > 1)
      return fmt::format("it writes several parts of `{}`, as the edges are", name);
  // Tasks of one row are short, and each waits at its end for what it has stored: measured, that takes what it gives.
  if (std::string why = whyNoTurns(kernel, loops.front()); !why.empty())
    return why;
  return "";
}

} // namespace

Steps streamSteps(const Scheduled &kernel) {
  Steps made{{}, "it writes no matrix"};
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
    if (kernel.buffers[b].role != Buffer::Role::Output)
      continue;
    if (std::string why = whyPlain(kernel, static_cast<int>(b)); !why.empty())
      made.why = std::move(why);
    else
      made.steps.push_back(script::step("stream", {kernel.buffers[b].name}));
  }
  return made;
}

} // namespace pbc::kernel
