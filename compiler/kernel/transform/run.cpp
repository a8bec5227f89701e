// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/run.h"
#include "compiler/kernel/computation.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/loops.h"
#include "compiler/kernel/nesting.h"
#include "compiler/kernel/transform/reach.h"
#include "compiler/kernel/transform/realisable.h"
#include "compiler/syntax/nearest.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::kernel {
namespace {

StepProblem unknown(const script::Step &step) {
  std::vector<std::string_view> names;
  for (const Transformation &t : transformations())
    names.push_back(t.name);
  const std::string near = syntax::nearest(step.transformation, names);
  return {fmt::format("no transformation is called `{}`", step.transformation),
          fmt::format("{}the transformations are {}",
                      near.empty() ? "" : fmt::format("did you mean `{}`? ", near), fmt::join(names, ", ")),
          step.nameSpan};
}

/// What isl and the compiler of the printed loops can still take; programs have a dozen loops.
constexpr std::size_t kMostLoops = 100, kMostDepth = 24;

std::string whyTooManyLoops(const Scheduled &kernel) {
  const std::vector<LoopNode> loops = loopsOf(kernel.schedule.tree);
  if (loops.size() > kMostLoops)
    return fmt::format("it would have more than {} loops", kMostLoops);
  const bool isDeep = std::any_of(loops.begin(), loops.end(), [](const LoopNode &loop) {
    return static_cast<std::size_t>(isl_schedule_node_get_schedule_depth(loop.band.get())) >= kMostDepth;
  });
  return isDeep ? fmt::format("it would have more than {} loops inside each other", kMostDepth) : "";
}

/// Steps that name loops are about how these lie in each other, which earlier steps have changed.
std::string loopsHere(const Transformation &transformation, const Scheduled &kernel) {
  using Kind = Parameter::Kind;
  const bool namesLoops =
      std::any_of(transformation.parameters.begin(), transformation.parameters.end(),
                  [](const Parameter &p) { return p.kind == Kind::Loop || p.kind == Kind::Loops; });
  const std::string loops = namesLoops ? nesting(kernel.schedule.tree) : "";
  return loops.empty() ? "" : fmt::format("the loops before this step are {}", loops);
}

Outcome applied(const Transformation &transformation, const Arguments &arguments, const Scheduled &kernel) {
  Outcome made = transformation.apply(kernel, arguments);
  if (!made.kernel)
    return made;
  const std::vector<std::string> labels = labelsOf(made.kernel->schedule.tree);
  for (const std::string &name : arguments.results())
    if (std::find(labels.begin(), labels.end(), name) == labels.end())
      return {std::nullopt, fmt::format("it makes no loop that could be called `{}`", name)};
  if (std::string why = whyTooManyLoops(*made.kernel); !why.empty())
    return {std::nullopt, std::move(why)};
  if (const std::string loop = loopThatGoesTooFar(*made.kernel); !loop.empty())
    return {std::nullopt, fmt::format("the values of its loop over `{}` would be too large", loop)};
  if (std::string why = whyNotRealisable(kernel, *made.kernel); !why.empty())
    return {std::nullopt, std::move(why)};
  if (!computesAsBefore(kernel, *made.kernel))
    made.kernel->schedule.plain.reset(); // it says how the statements before ran
  return made;
}

std::string onlyFor(const Transformation &transformation) {
  return transformation.target == Target::Device
             ? "it is for kernels of devices, and this one runs on the processor"
             : "it is for kernels of the processor, and this one runs on a device";
}

} // namespace

namespace {

bool isLabelled(const isl::schedule &schedule) {
  std::size_t bands = 0;
  bool isSplit = true;
  visit(isl::manage(isl_schedule_get_root(schedule.get())), [&](const isl::schedule_node &node) {
    bands += isBand(node);
    isSplit = isSplit && (!isBand(node) || members(node) == 1);
  });
  return isSplit && loopsOf(schedule).size() == bands;
}

} // namespace

Scheduled withLabels(const Scheduled &kernel) {
  if (isLabelled(kernel.schedule.tree))
    return kernel;
  Scheduled out = kernel;
  // A loop may run in parallel once the loops around it are bands of their own.
  const isl::schedule tree = labelled(kernel, kernel.schedule.tree);
  out.schedule.tree = withFlags(tree, kernel.dependences).value_or(tree);
  return out;
}

StepOutcome run(const script::Step &step, const Scheduled &kernel, unsigned long budget) {
  const Transformation *transformation = findTransformation(step.transformation);
  if (!transformation)
    return {std::nullopt, unknown(step)};
  if (const Target target = kernel.schedule.target;
      transformation->target != Target::Any && target != Target::Any && transformation->target != target)
    return {std::nullopt, {onlyFor(*transformation), "", step.span}};
  const Bound bound = bind(*transformation, script::resolved(step), kernel);
  if (!bound.arguments)
    return {std::nullopt, bound.problem};
  Outcome made;
  const bool isDone = poly::withBudget(kernel.context.ctx(), budget,
                                       [&] { made = applied(*transformation, *bound.arguments, kernel); });
  if (!isDone)
    return {std::nullopt, {"it would take too long to find out whether it applies", "", step.span}};
  if (made.kernel)
    return {std::move(made.kernel), {}};
  return {std::nullopt, {std::move(made.why), loopsHere(*transformation, kernel), step.span}};
}

ScriptOutcome run(const script::Script &script, const Scheduled &start, Mode mode,
                  const std::function<void(const script::Step &, const Scheduled &)> &after) {
  ScriptOutcome out{withLabels(start), {}, {}};
  for (const script::Step &step : script) {
    StepOutcome made = run(step, out.kernel);
    if (made.kernel) {
      out.kernel = std::move(*made.kernel);
      out.applied.push_back(step);
      if (after)
        after(step, out.kernel);
      continue;
    }
    out.failed.push_back({static_cast<std::size_t>(&step - script.data()), std::move(made.problem)});
    if (mode == Mode::Strict)
      break;
  }
  return out;
}

} // namespace pbc::kernel
