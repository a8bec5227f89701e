// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/policy/term_by_term.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/loops.h"
#include "compiler/kernel/transform/run.h"
#include "compiler/kernel/transform/support.h"
#include <fmt/format.h>

namespace pbc::kernel {

Steps termByTermSteps(const Scheduled &kernel, const script::Step &step) {
  const std::string points = std::get<script::Name>(step.operands.front().what).text;
  if (isParallel(findLoop(kernel.schedule.tree, points)->band))
    return {{}, fmt::format("no point along `{}` waits for another one", points)};
  const StepOutcome made = run(step, kernel);
  if (!made.kernel)
    return {{}, made.problem.what};
  const LoopNode inner = *findLoop(made.kernel->schedule.tree, points);
  if (!isParallel(inner.band))
    return {{}, fmt::format("a term along `{}` needs the one before it", points)};
  const int x = memberDimension(*made.kernel, inner.band);
  for (const int s : statementsBelow(*made.kernel, inner))
    for (const Access &a : made.kernel->statements[static_cast<std::size_t>(s)].accesses)
      if (made.kernel->buffers[static_cast<std::size_t>(a.buffer)].role != Buffer::Role::Local)
        if (const auto step = along(*made.kernel, a, x); !step || *step == Along::Strided)
          return {{}, fmt::format("what its terms access lies far apart along `{}`", points)};
  return {{step}, ""};
}

} // namespace pbc::kernel
