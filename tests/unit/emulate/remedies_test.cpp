// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the table of remedies says, and that its steps are ones of the registry.
#include "compiler/emulate/remedies.h"
#include "compiler/kernel/transform/transformation.h"
#include <gmock/gmock.h>

namespace pbc::emulate {
namespace {

using testing::ElementsAre;

std::vector<std::string> stepsFor(const Parameter &p, const Core &core) {
  std::vector<std::string> steps;
  for (const Remedy &remedy : remediesFor(p, core))
    steps.emplace_back(remedy.step);
  return steps;
}

Core coreWith(Core::Kind kind, int window) {
  Core core;
  core.resources.push_back({"R", {}, kind});
  core.window = window;
  return core;
}

TEST(Remedies, AreStepsOfTheRegistry) {
  for (const Remedy &remedy : allRemedies())
    EXPECT_NE(kernel::findTransformation(remedy.step), nullptr) << remedy.step;
}

TEST(Remedies, DependOnTheResourceItsModeAndTheMachine) {
  const Core processor = coreWith(Core::Kind::Memory, 256), gpu = coreWith(Core::Kind::Memory, 0);
  EXPECT_THAT(stepsFor({0, Mode::Throughput}, processor), ElementsAre("tile", "order", "fuse"));
  EXPECT_THAT(stepsFor({0, Mode::Latency}, processor), ElementsAre("order", "unroll", "tile"));
  EXPECT_THAT(stepsFor({0, Mode::Throughput}, gpu), ElementsAre("stage", "items", "order"));
  EXPECT_THAT(stepsFor({Parameter::kBarrier, Mode::Latency}, gpu), ElementsAre("stage", "items"));
  EXPECT_THAT(stepsFor({Parameter::kIssue, Mode::Latency}, processor), ElementsAre("vector", "unroll"));
}

/// Nothing but fewer operations helps there.
TEST(Remedies, ThereAreNoneForTheArithmeticOfAGpu) {
  EXPECT_THAT(stepsFor({0, Mode::Throughput}, coreWith(Core::Kind::Arithmetic, 0)), ElementsAre());
}

} // namespace
} // namespace pbc::emulate
