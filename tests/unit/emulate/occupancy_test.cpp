// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/occupancy.h"
#include "tests/unit/emulate/traces.h"
#include <gtest/gtest.h>

namespace pbc::emulate {
namespace {

TEST(Occupancy, ByTheSizeOfBlocks) {
  for (const auto &[threads, expected] : vectorNamed("occupancy_kepler_by_block_size").items()) {
    const Occupancy found = occupancyOf({std::stol(threads)});
    EXPECT_EQ(found.blocks, expected[0]) << threads;
    EXPECT_DOUBLE_EQ(found.share, number(expected[1])) << threads;
  }
}

TEST(Occupancy, ByRegisters) {
  for (const auto &[registers, expected] : vectorNamed("occupancy_kepler_128thr_by_regs").items())
    EXPECT_DOUBLE_EQ(occupancyOf({128, std::stol(registers)}).share, number(expected)) << registers;
}

TEST(Occupancy, ByBytes) {
  EXPECT_EQ(occupancyOf({128, 0, 10000}).blocks, 4);
  EXPECT_EQ(occupancyOf({128, 0, 50000}).blocks, 0);
  EXPECT_EQ(occupancyOf({4096}).blocks, 0);
}

TEST(Occupancy, RegistersForAnOccupancy) {
  const nlohmann::json &expected = vectorNamed("maxregs");
  EXPECT_EQ(mostRegisters(2048), expected["occ1"]);
  EXPECT_EQ(mostRegisters(1536), expected["occ3/4"]);
  EXPECT_EQ(mostRegisters(1024), expected["occ1/2"]);
  EXPECT_EQ(mostRegisters(512), expected["occ1/4"]);
}

TEST(Occupancy, Phases) {
  const auto compare = [](long blocks, const char *name) {
    const Phases found = phasesOf(blocks, 4, 13);
    EXPECT_DOUBLE_EQ(found.exact, vectorNamed("phases")[name][0]);
    EXPECT_EQ(found.whole, vectorNamed("phases")[name][1]);
  };
  compare(1000, "B1000_M4_SM13");
  compare(52, "B52_M4_SM13");
  compare(53, "B53_M4_SM13");
  EXPECT_EQ(phasesOf(10, 0, 13).whole, 0);
}

} // namespace
} // namespace pbc::emulate
