// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Threads that run parts together, and the rates of several cores.
#include "compiler/model/machine/machine_file.h"
#include "compiler/search/measure/cores.h"
#include "compiler/search/prove/rates_of.h"
#include <array>
#include <gtest/gtest.h>

namespace pbc::search {
namespace {

TEST(Cores, RunEachPartOnceInEachRun) {
  Cores cores(3);
  ASSERT_EQ(cores.count(), 3);
  std::array<int, 3> runs{};
  const std::function<void(int)> count = [&](int part) { ++runs[std::size_t(part)]; };
  for (int run = 1; run <= 300; ++run) {
    cores.run(count);
    ASSERT_EQ(runs, (std::array<int, 3>{run, run, run}));
  }
}

TEST(Cores, OneNeedsNoThread) {
  Cores cores(1);
  int runs = 0;
  cores.run([&](int part) { runs += 1 + part; });
  EXPECT_EQ(runs, 1);
}

TEST(RatesOfCores, AreThoseOfOneCoreAsOftenButForWhatTheyShare) {
  const model::Machine machine = model::findMachine(PBC_SOURCE_DIR "/tests/driver/processor.toml");
  const pb::base::Machine processor = pb::base::typicalMachine();
  const Rates one = ratesOf(machine, processor), two = ratesOfCores(machine, processor, 2);
  EXPECT_DOUBLE_EQ(two.arithmetic[0].multiplications, 2 * one.arithmetic[0].multiplications);
  EXPECT_DOUBLE_EQ(two.arithmetic[0].additionLatency, one.arithmetic[0].additionLatency);
  EXPECT_DOUBLE_EQ(two.issue, 2 * one.issue);
  ASSERT_EQ(two.levels.size(), one.levels.size());
  for (std::size_t level = 0; level < one.levels.size(); ++level) {
    EXPECT_LE(two.levels[level].bytesPerSecond, 2 * one.levels[level].bytesPerSecond);
    EXPECT_GE(two.levels[level].bytesPerSecond, one.levels[level].bytesPerSecond);
    EXPECT_GE(two.levels[level].bytes, one.levels[level].bytes);
    EXPECT_LE(two.levels[level].bytes, 2 * one.levels[level].bytes);
  }
  // The machine's memory is one for both.
  EXPECT_LT(two.levels.back().bytes, 1.5 * one.levels.back().bytes);
}

} // namespace
} // namespace pbc::search
