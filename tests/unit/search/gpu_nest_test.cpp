// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels as spaces on GPUs, and leaves as scripts: what these make of a kernel computes what the kernel computes.
#include "compiler/model/machine/machine_file.h"
#include "compiler/search/count.h"
#include "compiler/search/gpu/gpu_script.h"
#include "tests/unit/search/descent.h"
#include "tests/unit/search/kernels.h"
#include "tests/unit/transform/interpret.h"
#include "tests/unit/transform/textual.h"
#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <random>

namespace pbc::search {
namespace {

GpuNestSpaces spacesOnGpu(const kernel::Scheduled &kernel) {
  GpuNestOptions options;
  options.values = {{"n", 64}, {"m", 64}};
  options.tileSizes = {2, 4, 8, 16};
  options.limits = gpuLimitsOf(model::findMachine(PBC_SOURCE_DIR "/compiler/model/machines/k20c.toml"));
  return gpuNestSpaces(kernel, options);
}

TEST(GpuNest, AMapHasASpaceForEachWayToCutItsLoops) {
  kernel::Texts t;
  const GpuNestSpaces scale = spacesOnGpu(t.kernel(kScale));
  ASSERT_EQ(scale.spaces.size(), 3u) << scale.why;
  EXPECT_EQ(scale.spaces[0].text, "x in 1 level");
  State uncut(scale.spaces[0].gpu.space->problem());
  ASSERT_TRUE(uncut.propagate());
  // A loop or blocks, with three caches for what is read and two for what is written.
  EXPECT_EQ(countLeaves(uncut, {}).leaves, 2 * 3 * 2);
  State twice(scale.spaces[1].gpu.space->problem());
  ASSERT_TRUE(twice.propagate());
  // In blocks, the inner level may also be blocks; in a loop it is a loop, written out or threads. It has four sizes.
  EXPECT_EQ(countLeaves(twice, {}).leaves, (4 + 3) * 4 * 3 * 2);
}

TEST(GpuNest, AProductHasThePartsOfSection6) {
  kernel::Texts t;
  const GpuNestSpaces product = spacesOnGpu(t.kernel(kProduct));
  ASSERT_FALSE(product.spaces.empty()) << product.why;
  const GpuNestSpace *largest = &product.spaces.front();
  for (const GpuNestSpace &space : product.spaces)
    if (space.gpu.space->structure().objects.size() > largest->gpu.space->structure().objects.size())
      largest = &space;
  const Structure &s = largest->gpu.space->structure();
  std::vector<std::string> names;
  for (const Instruction &i : s.instructions)
    names.push_back(i.name);
  EXPECT_EQ(names, (std::vector<std::string>{"begin", "load A", "load B", "body", "end"}));
  EXPECT_EQ(s.communications.size(), 4u);
  EXPECT_TRUE(largest->gpu.work.isProductOfMatrices);
  EXPECT_EQ(largest->gpu.work.points, 64.0 * 64 * 64);
  State root(largest->gpu.space->problem());
  ASSERT_TRUE(root.propagate());
  EXPECT_GT(countLeaves(root, {.mostStates = 100, .descents = 50}).leaves, 1e9L);
}

/// Decides towards what has steps, and at random between that.
bool decideExpressible(const GpuNestSpace &nest, State &state, std::mt19937_64 &random) {
  const Space &space = *nest.gpu.space;
  const auto decide = [&](int variable, unsigned value) {
    return (state.domain(variable) >> value & 1u) == 0 || state.decide(variable, value);
  };
  constexpr Kind kinds[] = {Kind::Block, Kind::Thread, Kind::Unroll};
  for (const GpuNestSpace::Loop &loop : nest.loops)
    for (std::size_t level = 0; level < loop.levels.size(); ++level)
      if (!decide(space.kind(loop.levels[level]), unsigned(loop.isOfSum ? Kind::For : kinds[level])))
        return false;
  for (const int sum : nest.sums)
    if (!decide(space.place(sum), unsigned(Place::Register)))
      return false;
  for (std::size_t a = 0; a < space.structure().accesses.size(); ++a)
    if (!decide(space.cache(int(a)),
                unsigned(nest.gpu.work.accesses[a].isWrite ? Cache::Second : Cache::First)))
      return false;
  for (int v = 0; v < int(state.domains().size()); ++v) {
    if (state.isDecided(v))
      continue;
    if (!decideAtRandom(state, v, random))
      return false;
  }
  return true;
}

TEST(GpuNest, RandomLeavesBecomeScriptsThatComputeTheSame) {
  int stages = 0, blocks = 0;
  for (const char *text : {kScale, kStencil, kProduct}) {
    kernel::Texts t;
    const kernel::Scheduled kernel = t.kernel(text);
    const kernel::Parameters sizes = {{"n", 13}, {"m", 9}};
    const unsigned long expected = kernel::interpret(kernel, sizes).checksum(kernel);
    const GpuNestSpaces all = spacesOnGpu(kernel);
    std::mt19937_64 random(2);
    int programs = 0, refused = 0;
    std::string why;
    for (const GpuNestSpace &nest : all.spaces) {
      State state(nest.gpu.space->problem());
      ASSERT_TRUE(state.propagate());
      for (int attempt = 0; attempt < 4; ++attempt) {
        const State::Mark root = state.mark();
        const bool isLeaf = decideExpressible(nest, state, random);
        const GpuProgramOutcome made =
            isLeaf ? gpuProgramOf(nest, state) : GpuProgramOutcome{std::nullopt, "no leaf"};
        state.undo(root);
        why = made.why;
        if (!made.program)
          continue;
        const kernel::ScriptOutcome outcome =
            kernel::run(made.program->steps, kernel::withLabels(kernel), kernel::Mode::Strict);
        if (!outcome.failed.empty()) {
          ++refused;
          why = outcome.failed.front().problem.what;
          continue;
        }
        ++programs;
        // What a group copies has no place in the interpreter's memory: tests of devices run such kernels.
        const auto ofStages =
            std::count_if(made.program->steps.begin(), made.program->steps.end(),
                          [](const script::Step &step) { return step.transformation == "stage"; });
        stages += int(ofStages);
        if (ofStages == 0)
          EXPECT_EQ(kernel::interpret(outcome.kernel, sizes).checksum(outcome.kernel), expected)
              << script::line(made.program->steps);
        blocks += int(std::count_if(made.program->points.begin(), made.program->points.end(),
                                    [](long points) { return points > 1; }));
      }
    }
    EXPECT_GT(programs, 0) << text << why;
    EXPECT_LE(refused, programs) << text << why;
  }
  EXPECT_GT(stages, 0);
  EXPECT_GT(blocks, 0);
}

TEST(GpuNest, WhatThereIsNoStepForIsSaid) {
  kernel::Texts t;
  const GpuNestSpaces scale = spacesOnGpu(t.kernel(kScale));
  ASSERT_FALSE(scale.spaces.empty());
  const GpuNestSpace &nest = scale.spaces.front();
  State state(nest.gpu.space->problem());
  ASSERT_TRUE(state.propagate());
  ASSERT_TRUE(state.decide(nest.gpu.space->kind(nest.loops.front().levels.front()), unsigned(Kind::For)));
  enumerate(state, [&](const State &leaf) {
    EXPECT_FALSE(gpuProgramOf(nest, leaf).program);
    EXPECT_NE(gpuProgramOf(nest, leaf).why.find("`x`"), std::string::npos);
    return true;
  });
}

} // namespace
} // namespace pbc::search
