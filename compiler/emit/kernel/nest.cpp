// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/nest.h"
#include "compiler/kernel/tree.h"
#include "compiler/loop/build.h"
#include "compiler/loop/lower/lower.h"
#include "compiler/loop/print.h"
#include "compiler/loop/verify.h"
#include <fmt/format.h>

namespace pbc::emit {
namespace {

/// The kernel with a schedule that leaves loops as they are. An item of a device has the same points: a launch may have a part of them only.
kernel::Scheduled plain(const kernel::Scheduled &kernel) {
  kernel::Scheduled simple = kernel;
  if (kernel.schedule.plain && kernel.schedule.target != kernel::Target::Device)
    simple.schedule.tree = *kernel.schedule.plain;
  else
    simple.schedule.tree = kernel::withoutRealisations(kernel.schedule.tree);
  simple.schedule.plain.reset();
  simple.schedule.registerTile.reset();
  for (kernel::Buffer &b : simple.buffers)
    b.lanes = 0;
  return simple;
}

} // namespace

KernelNest kernelNest(const kernel::Scheduled &asked, bool forDevice, unsigned long budget,
                      unsigned long plainBudget) {
  isl::ast_node ast;
  if (poly::withBudget(asked.context.ctx(), budget, [&] { ast = loop::generate(asked); }))
    return {asked, loop::build(asked, ast, forDevice), ""};
  kernel::Scheduled kernel = plain(asked);
  kernel.schedule.tree = kernel::withSingleLoops(kernel.schedule.tree);
  if (!poly::withBudget(asked.context.ctx(), plainBudget, [&] { ast = loop::generate(kernel); }))
    throw NoLoops("its loops have too many cases, also where conditions inside choose the points that count: "
                  "cut its points in fewer ways");
  loop::Nest nest = loop::build(kernel, ast, forDevice);
  return {std::move(kernel), std::move(nest),
          "its loops have too many cases: they run over all points, and conditions inside choose those that "
          "count"};
}

std::string loopsText(const kernel::Scheduled &asked) {
  const KernelNest made = kernelNest(asked);
  loop::verify(made.nest.body, loop::Stage::Built);
  const loop::Lowered lowered = loop::lower(made.nest, {.streams = true});
  loop::verify(lowered.body, loop::Stage::Lowered);
  std::string text = fmt::format("loops of {}\n", asked.name);
  const auto lines = [&](const loop::NodePtr &body, const char *title) {
    const std::string all = loop::text(made.nest, body);
    text += fmt::format("  {}\n", title);
    for (std::size_t at = 0, end = 0; at < all.size(); at = end + 1) {
      end = all.find('\n', at);
      text += "    " + all.substr(at, end - at) + "\n";
    }
  };
  if (!made.note.empty())
    text += fmt::format("  note: {}\n", made.note);
  lines(made.nest.body, "scheduled");
  lines(lowered.body, "lowered");
  for (const loop::Left &l : lowered.left)
    text += fmt::format("  left: {}{}: {}\n", kernel::text(l.how),
                        l.iterator.empty() ? "" : " of " + l.iterator, loop::words(l.why));
  return text;
}

} // namespace pbc::emit
