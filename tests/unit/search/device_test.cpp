// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Launches of kernels on a device: what is launched, whether it computes what the processor does, and their bounds. The device is the
// fake one, which runs kernels on this processor.
#include "compiler/search/device/device_model.h"
#include "compiler/search/measure/leaf_builder.h"
#include "compiler/search/prove/times.h"
#include "compiler/search/strategy/search.h"
#include "tests/unit/search/gpu_examples.h"
#include "tests/unit/search/kernels.h"
#include "tests/unit/transform/textual.h"
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace pbc::search {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Values = std::map<std::string, long>;

/// On a device that compiles fast.
class LaunchTest : public testing::Test {
protected:
  void SetUp() override {
    setenv("PB_FAKE_COMPILER", "c++ -O0", 1);
    setenv("PB_KERNEL_CACHE", "", 1);
    unsetenv("PB_FAKE_DEVICE");
  }
  void TearDown() override { unsetenv("PB_FAKE_DEVICE"); }

  kernel::Texts texts_;
  Journal journal_;
};

LaunchVersion versionOf(const kernel::Scheduled &kernel, const std::string &name) {
  for (LaunchVersion &version : launchVersions(kernel))
    if (version.name == name)
      return std::move(version);
  ADD_FAILURE() << "there is no version " << name;
  return {};
}

std::vector<std::string> namesOf(const kernel::Scheduled &kernel) {
  std::vector<std::string> names;
  for (const LaunchVersion &version : launchVersions(kernel))
    names.push_back(version.name);
  return names;
}

TEST_F(LaunchTest, VersionsAreThoseOfTheCompilerThatAreOneLaunch) {
  EXPECT_THAT(namesOf(texts_.kernel(kScale)), ElementsAre("global", "registers"));
  EXPECT_THAT(namesOf(texts_.kernel(kStencil)), ElementsAre("global", "local", "registers"));
  EXPECT_THAT(namesOf(texts_.kernel(kProduct)),
              ElementsAre("global", "blocks with strips of 8", "blocks with strips of 16",
                          "blocks with strips of 32", "buffers with strips of 8", "buffers with strips of 16",
                          "buffers with strips of 32"));
}

TEST_F(LaunchTest, ALeafHasTheArgumentsOfItsKernel) {
  const kernel::Scheduled kernel = texts_.kernel(kStencil);
  const Arrays arrays = *arraysOf(kernel, {{"n", 100}, {"m", 50}}).arrays;
  const DeviceLeafOutcome made =
      deviceLeaf(kernel, arrays, {versionOf(kernel, "global").steps, {32, 4, 1}}, 1 << 15);
  ASSERT_TRUE(made.leaf) << made.why;
  // 99 x 49 points, in whole groups.
  EXPECT_THAT(made.leaf->grid.items, ElementsAre(128, 52, 1));
  EXPECT_THAT(made.leaf->grid.group, ElementsAre(32, 4, 1));
  std::vector<long> numbers;
  std::vector<int> matrices;
  for (const LeafArgument &argument : made.leaf->arguments)
    if (argument.array < 0)
      numbers.push_back(argument.value);
    else
      matrices.push_back(argument.isWritten ? -argument.array : argument.array);
  EXPECT_THAT(matrices, ElementsAre(0, -1));
  // The offset and strides of A, those of C, and the limits of x and y. A has a cell more along both.
  EXPECT_THAT(numbers, ElementsAre(0, 1, 101, 0, 1, 100, 1, 100, 1, 50));
}

TEST_F(LaunchTest, WhatIsNoSingleLaunchSaysWhy) {
  const kernel::Scheduled kernel = texts_.kernel(kStencil);
  const Arrays arrays = *arraysOf(kernel, {{"n", 100}, {"m", 50}}).arrays;
  const auto whyNot = [&](const script::Script &steps) {
    return deviceLeaf(kernel, arrays, {steps}, 1 << 15).why;
  };
  EXPECT_THAT(whyNot({script::step("items", {}), script::step("stage", {"Q"})}),
              HasSubstr("step 2, `stage(Q)`, does not apply: "));
}

/// Of all versions, in groups and with points that fit no size, with sizes of one point and sizes that are no multiples.
TEST_F(LaunchTest, EveryVersionComputesWhatTheProcessorDoes) {
  struct Case {
    const char *text;
    Values values;
  };
  const Case cases[] = {{kScale, {{"n", 1000}}},
                        {kScale, {{"n", 1}}},
                        {kStencil, {{"n", 67}, {"m", 34}}},
                        {kStencil, {{"n", 64}, {"m", 2}}},
                        {kNinePoints, {{"n", 61}, {"m", 33}}},
                        {kRowConvolution, {{"n", 77}, {"m", 9}}},
                        {kProduct, {{"n", 37}, {"m", 21}, {"k", 43}}},
                        {kProduct, {{"n", 32}, {"m", 32}, {"k", 32}}}};
  for (const Case &one : cases) {
    const kernel::Scheduled kernel = texts_.kernel(one.text);
    Values values;
    for (const std::string &parameter : kernel.parameters)
      values[parameter] = one.values.contains(parameter) ? one.values.at(parameter) : 5;
    Journal journal;
    DeviceTimes times(kernel, values, "fake", journal);
    for (const LaunchVersion &version : launchVersions(kernel)) {
      std::vector<DeviceProgram> programs{defaultLaunch(version), {version.steps, {2, 1, 1}}};
      if (version.hasSeveralPoints)
        programs.push_back(
            {version.steps, {4, version.axes > 1 ? 2 : 1, 1}, {4, version.axes > 1 ? 2 : 1, 1}});
      for (const DeviceProgram &program : programs) {
        const Measurement made = times.of(program, 0);
        EXPECT_EQ(made.fate, Fate::Measured) << kernel.name << ", " << lineOf(program) << ": " << made.why;
        EXPECT_GT(made.seconds, 0);
      }
    }
  }
}

TEST_F(LaunchTest, AWrongResultHasNoTime) {
  const kernel::Scheduled kernel = texts_.kernel(kScale);
  const Arrays arrays = *arraysOf(kernel, {{"n", 1000}}).arrays;
  LeafBuilder builder(kernel, arrays);
  const LeafBuilder::Built plain = builder.build({});
  DeviceWorker worker(arrays, "fake");
  ASSERT_EQ(worker.reference(plain.library).fate, Fate::Measured);
  DeviceLeaf leaf =
      *deviceLeaf(kernel, arrays, {versionOf(kernel, "global").steps, {32, 1, 1}}, 1 << 15).leaf;
  EXPECT_EQ(worker.measure(leaf, {}).fate, Fate::Measured);
  --leaf.arguments.back().value; // the last point is left out
  const Measurement wrong = worker.measure(leaf, {});
  EXPECT_EQ(wrong.fate, Fate::Wrong);
  EXPECT_THAT(wrong.why, HasSubstr("from those of the kernel"));
  leaf.source.text += "\nno C";
  const Measurement refused = worker.measure(leaf, {});
  EXPECT_EQ(refused.fate, Fate::NotCompiled);
  EXPECT_FALSE(refused.why.empty());
}

TEST_F(LaunchTest, TooLargeGroupsAreRefused) {
  const kernel::Scheduled kernel = texts_.kernel(kScale);
  DeviceTimes times(kernel, {{"n", 5000}}, "fake", journal_);
  const Measurement made = times.of({versionOf(kernel, "global").steps, {4096, 1, 1}}, 0);
  EXPECT_EQ(made.fate, Fate::NotCompiled);
  EXPECT_THAT(made.why, HasSubstr("a group has 4096 items, and the device's have at most "));
}

TEST_F(LaunchTest, ALostDeviceIsOpenedAgain) {
  setenv("PB_FAKE_DEVICE", "fail=lost:10", 1);
  const kernel::Scheduled kernel = texts_.kernel(kScale);
  DeviceTimes times(kernel, {{"n", 1000}}, "fake", journal_);
  const script::Script steps = versionOf(kernel, "global").steps;
  const Measurement lost = times.of({steps, {32, 1, 1}}, 0);
  EXPECT_EQ(lost.fate, Fate::Crashed);
  EXPECT_THAT(lost.why, HasSubstr("lost"));
  // Two copies in, one out and three launches: fewer than ten commands.
  EXPECT_EQ(times.of({steps, {64, 1, 1}}, 1e-12).fate, Fate::Measured);
}

TEST_F(LaunchTest, ADriverThatReportsSuccessIsNotBelieved) {
  setenv("PB_FAKE_DEVICE", "fail=wrong:1", 1);
  const kernel::Scheduled kernel = texts_.kernel(kScale);
  DeviceTimes times(kernel, {{"n", 1000}}, "fake", journal_);
  const script::Script steps = versionOf(kernel, "global").steps;
  EXPECT_EQ(times.of({steps, {32, 1, 1}}, 0).fate, Fate::Wrong);
  EXPECT_EQ(times.of({steps, {64, 1, 1}}, 0).fate, Fate::Measured);
}

TEST_F(LaunchTest, WithoutADeviceNothingIsSearched) {
  const kernel::Scheduled kernel = texts_.kernel(kScale);
  try {
    DeviceTimes times(kernel, {{"n", 1000}}, "fake:7", journal_);
    FAIL();
  } catch (const Unsearchable &problem) {
    EXPECT_THAT(problem.what(), HasSubstr("there is no device 'fake:7'"));
  }
}

TEST_F(LaunchTest, ASpaceHasThePowersOfTwoUpToTheExtents) {
  const LaunchVersion version{"blocks", {}, 2, true};
  const LaunchSpace space(version, 256, {100, 3});
  const State root(space.problem());
  EXPECT_THAT(space.items(root, 0), ElementsAre(1, 2, 4, 8, 16, 32, 64, 128));
  EXPECT_THAT(space.items(root, 1), ElementsAre(1, 2, 4));
  EXPECT_THAT(space.points(root, 1), ElementsAre(1, 2, 4));
  EXPECT_FALSE(space.hasTooMany(root));
  State large(space.problem());
  ASSERT_TRUE(large.decide(0, 7)); // 128 items along x
  EXPECT_FALSE(space.hasTooMany(large));
  ASSERT_TRUE(large.decide(2, 2)); // 4 along y
  EXPECT_TRUE(space.hasTooMany(large));
}

/// A region's bound is at most that of each of its parts, down to leaves.
TEST_F(LaunchTest, BoundsNeverFall) {
  std::mt19937 random(1);
  for (const auto &[text, values] :
       {std::pair(kProduct, Values{{"n", 300}, {"m", 200}, {"k", 100}}),
        std::pair(kStencil, Values{{"n", 500}, {"m", 300}}), std::pair(kScale, Values{{"n", 5000}})}) {
    const kernel::Scheduled kernel = texts_.kernel(text);
    Values all;
    for (const std::string &parameter : kernel.parameters)
      all[parameter] = values.contains(parameter) ? values.at(parameter) : 50;
    DeviceTimes times(kernel, all, "fake", journal_);
    DeviceModel model(kernel, all, toyGpu(), times);
    double largest = 0;
    for (int descent = 0; descent < 60; ++descent) {
      const std::size_t root = std::size_t(descent) % model.roots();
      State state(model.problem(root));
      double before = 0;
      while (true) {
        const double bound = model.bound(root, state).seconds;
        EXPECT_GE(bound, before * (1 - 1e-9)) << kernel.name << ", " << model.launches(root).version().name;
        before = bound;
        std::vector<int> open;
        for (int v = 0; v < int(state.domains().size()); ++v)
          if (!state.isDecided(v))
            open.push_back(v);
        if (open.empty())
          break;
        const int v = open[random() % open.size()];
        std::vector<unsigned> left;
        for (unsigned value = 0; value < 32; ++value)
          if (state.domain(v) >> value & 1)
            left.push_back(value);
        ASSERT_TRUE(state.decide(v, left[random() % left.size()]));
      }
      if (std::isfinite(before))
        largest = std::max(largest, before);
    }
    EXPECT_GT(largest, 0) << kernel.name;
  }
}

TEST_F(LaunchTest, ASearchFindsTheFastestLaunch) {
  const kernel::Scheduled kernel = texts_.kernel(kScale);
  DeviceTimes times(kernel, {{"n", 40}}, "fake", journal_);
  DeviceModel model(kernel, {{"n", 40}}, toyGpu(), times);
  const SearchResult found = search(model, {.measuresAll = true});
  ASSERT_TRUE(found.best);
  EXPECT_TRUE(found.isComplete);
  EXPECT_GT(found.statistics.measured, 7 + 7); // items of both versions, and points
  State best(model.problem(found.best->root));
  best.take(found.best->domains);
  EXPECT_THAT(model.lineOf(found.best->root, best), HasSubstr("groups of "));
}

} // namespace
} // namespace pbc::search
