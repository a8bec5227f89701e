// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The passes that decide which rule runs where, in which order, and how its points become loops.
#include "compiler/choice/body_accesses.h"
#include "compiler/choice/sizes.h"
#include "compiler/driver/passes.h"
#include "compiler/driver/problems.h"
#include "compiler/driver/reads_back.h"
#include "compiler/kernel/lift.h"
#include "compiler/kernel/policy/processor.h"
#include "compiler/kernel/verify.h"
#include "compiler/schedule/versions.h"
#include "compiler/source/load.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::driver {
namespace {

/// The results for a step.
struct Made {
  const schedule::Step *step;
  std::optional<kernel::Scheduled> kernel; // nothing if the step calls transforms
  kernel::Report report;
  std::shared_ptr<const kernel::OnDevice> device;
};

Made makeKernel(Compilation &c, const sema::Transform &t, const schedule::Step &s) {
  if (s.callsTransforms)
    return {&s, std::nullopt, {}, nullptr};
  const auto [lifted, whyWhole] = kernel::lift(t, s, c.facts[t.index], c.choices[t.index].grid, c.context);
  verify("lift", [&lifted = lifted] { return kernel::verify(lifted); });
  verify("text of a lifted kernel", [&lifted = lifted, &c] { return readsBack(lifted, c.context); });
  const std::string name = schedule::stepName(t, s);
  const kernel::Asked asked = c.requests.of(t.name, name);
  kernel::Scheduler scheduler(lifted);
  kernel::Planned scheduled = scheduler.schedule(asked);
  if (!whyWhole.empty())
    scheduled.report.notes.insert(scheduled.report.notes.begin(), {"lift", whyWhole});
  Made made{&s, std::move(scheduled.kernel), std::move(scheduled.report), nullptr};
  if (const sema::Rule *rule = schedule::libraryRule(t, s); rule && c.options.forDevices)
    made.device = std::make_shared<kernel::OnDevice>(kernel::OnDevice{.libraryRule = rule->index});
  else if (c.options.forDevices)
    made.device = std::make_shared<kernel::OnDevice>(kernel::onDevice(lifted, *made.kernel, c.context));
  if (c.options.listsOptions)
    addSpace(c.spaces, t.index, name, kernel::spaceOf(scheduler, asked));
  verify("default schedule", [&] { return kernel::verify(*made.kernel); });
  verify("text of a scheduled kernel", [&] { return readsBack(*made.kernel, c.context); });
  return made;
}

/// Makes the kernels of all plans of a transform; plans share most of their steps.
void addKernels(Compilation &c, const sema::Transform &t) {
  auto &kernels = c.kernels.emplace_back();
  auto &reports = c.reports.emplace_back();
  auto &devices = c.devices.emplace_back();
  std::vector<Made> made;
  for (const auto &plan : c.plans[t.index].plans) {
    kernels.emplace_back();
    reports.emplace_back();
    devices.emplace_back();
    for (const auto &s : plan.steps) {
      auto same = std::find_if(made.begin(), made.end(),
                               [&](const Made &m) { return schedule::isSameStep(*m.step, s); });
      if (same == made.end())
        same = made.insert(made.end(), makeKernel(c, t, s));
      kernels.back().push_back(same->kernel);
      reports.back().push_back(same->report);
      devices.back().push_back(same->device);
    }
  }
}

} // namespace

void chooseGrids(Compilation &c) {
  choice::checkSizes(c.module, c.facts, c.context, c.diagnostics);
  if (!c.diagnostics.hasErrors())
    c.choices = choice::chooseGrids(c.module, c.facts, c.context, c.diagnostics);
  if (!c.diagnostics.hasErrors())
    choice::checkBodyAccesses(c.module, c.facts, c.choices, c.context, c.diagnostics);
}

void plan(Compilation &c) {
  c.plans = schedule::plan(c.module, c.facts, c.choices, c.context, c.diagnostics);
}

void foldVersions(Compilation &c) {
  c.module = schedule::foldVersions(c.module, c.facts, c.choices, c.plans);
}

void readConfiguration(Compilation &c) {
  const std::string &path = c.options.configuration;
  if (path.empty())
    return;
  std::string why;
  const auto file = source::load(c.sources, path, &why);
  if (!file)
    throw Refusal(fmt::format("pbc: error: cannot read the configuration {}: {}\n", path, why));
  c.bakedConfiguration = c.sources.text(*file);
  if (c.bakedConfiguration.find('\0') != std::string::npos)
    throw Refusal(
        fmt::format("pbc: error: the configuration {} is not text: it has a byte that is 0\n", path));
  c.requests = KernelRequests(*file, c.sources, c.diagnostics);
}

void makeKernels(Compilation &c) {
  for (const auto &t : c.module.transforms)
    addKernels(c, t);
  c.fusions = emit::fuse(c.module, c.plans, c.kernels);
  c.requests.check(inputOf(c), c.reports, c.diagnostics);
}

} // namespace pbc::driver
