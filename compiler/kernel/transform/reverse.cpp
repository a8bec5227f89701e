// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/reverse.h"
#include "compiler/kernel/transform/support.h"
#include <isl/aff.h>

namespace pbc::kernel {
namespace {

Outcome applyReverse(const Scheduled &kernel, const Arguments &arguments) {
  const LoopNode loop = *findLoop(kernel.schedule.tree, arguments.name("loop"));
  if (loop.how)
    return {std::nullopt, alreadyRealised(loop)};
  const NewLabels made = newLabels(kernel, arguments, {loop.label}, {loop.label});
  if (!made.why.empty())
    return {std::nullopt, made.why};
  const isl::union_pw_aff backwards = isl::manage(isl_union_pw_aff_neg(functionOf(loop).release()));
  return withTree(kernel, replaceLoops({loop}, {{made.labels.front(), backwards}}));
}

} // namespace

Transformation reverseTransformation() {
  return {.name = "reverse",
          .doc = "runs a loop from its last iteration to its first one",
          .parameters = {{.name = "loop", .kind = Parameter::Kind::Loop, .doc = "the loop"}},
          .apply = applyReverse,
          .stage = Stage::Loops};
}

} // namespace pbc::kernel
