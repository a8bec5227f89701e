// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Limits for lower bounds: what they are relaxed by, what follows from what, and what is said if one is missing.
#include "compiler/model/machine/rates.h"
#include "tests/unit/model/machines.h"

#include <gtest/gtest.h>

namespace pbc::model {
namespace {

Machine twoCores() {
  Machine m;
  m.name = "Two cores";
  m.kind = MachineKind::Processor;
  m.units = 2;
  m.lanes = 16;
  return m;
}

std::string complaintOf(const auto &ask) {
  try {
    ask();
  } catch (const Problem &p) {
    return std::string(p.what()) + " / " + p.help();
  }
  return "no complaint";
}

TEST(Rates, AreTheFastestSamplesRelaxed) {
  Machine m = twoCores();
  m.clock = Figure{2e9, 0.1, 2.5e9};
  m.barrier = Figure{1e-6, 0.1, 8e-7};
  m.launch = Figure{1e-5, 0.1, 9e-6};
  m.memories = {{"L1",
                 Scope::Unit,
                 32768,
                 Figure{3e11, 0.1, 4e11},
                 Figure{2e-9, 0.1, 1.5e-9},
                 {},
                 Figure{1e11, 0, 2e11}}};
  m.resources = {{ResourceKind::FmaF64,
                  Figure{2e-9, 0.1, 1.6e-9},
                  {Figure{1e8, 0, 2e8}, Figure{4e9, 0.1, 5e9}, Figure{8e9, 0.1, 1e10}},
                  {{}, Figure{3e10, 0.1, 4e10}, Figure{6e10, 0, 7e10}}}};
  const Rates r = ratesOf(m);
  EXPECT_EQ(r.clock(), 2.5e9); // the highest; not relaxed
  EXPECT_EQ(r.barrier(), 8e-7 * 0.95);
  EXPECT_EQ(r.launch(), 9e-6 * 0.95);
  EXPECT_EQ(r.latency(ResourceKind::FmaF64), 1.6e-9 * 0.95);
  EXPECT_EQ(r.instructions(ResourceKind::FmaF64, Scope::Lane), 2e8 * 1.05);
  EXPECT_EQ(r.instructions(ResourceKind::FmaF64, Scope::Unit), 5e9 * 1.05);
  EXPECT_EQ(r.instructions(ResourceKind::FmaF64, Scope::Machine), 1e10 * 1.05);
  EXPECT_EQ(r.numbers(ResourceKind::FmaF64, Scope::Unit), 4e10 * 1.05);
  EXPECT_EQ(r.numbers(ResourceKind::FmaF64, Scope::Machine), 7e10 * 1.05);
  EXPECT_EQ(r.bytes(0, Scope::Unit), 2e11 * 1.05);
  EXPECT_EQ(r.bytes(0, Scope::Machine), 4e11 * 1.05);
  EXPECT_EQ(r.latency(std::size_t{0}), 1.5e-9 * 0.95);
}

TEST(Rates, OfALevelWithoutAFigureFollowFromAnother) {
  Machine m = twoCores();
  m.resources = {{ResourceKind::AddF32, {}, {{}, Figure{1e9}, {}}, {}},
                 {ResourceKind::AddF64, {}, {{}, {}, Figure{3e9}}, {}}};
  m.memories = {{"global", Scope::Machine, 1e10, Figure{2e10}, {}, {}, {}}};
  const Rates r = ratesOf(m);
  // Two units have at most twice the rate of one; one has at most that of both.
  EXPECT_EQ(r.instructions(ResourceKind::AddF32, Scope::Machine), 2 * 1e9 * 1.05);
  EXPECT_EQ(r.instructions(ResourceKind::AddF32, Scope::Lane), 1e9 * 1.05);
  EXPECT_EQ(r.instructions(ResourceKind::AddF64, Scope::Unit), 3e9 * 1.05);
  // Vectors have 16 numbers of 4 bytes, or 8 of 8.
  EXPECT_EQ(r.numbers(ResourceKind::AddF32, Scope::Unit), 16 * 1e9 * 1.05);
  EXPECT_EQ(r.numbers(ResourceKind::AddF64, Scope::Machine), 8 * 3e9 * 1.05);
  EXPECT_EQ(r.bytes(0, Scope::Unit), 2e10 * 1.05);
}

TEST(Rates, AUnitHasAtLeastItsShareOfAll) {
  Machine m = twoCores();
  m.resources = {{ResourceKind::AddF32, {}, {{}, Figure{1e9}, Figure{3e9}}, {}}};
  EXPECT_EQ(ratesOf(m).instructions(ResourceKind::AddF32, Scope::Unit), 3e9 * 1.05 / 2);
}

TEST(Rates, AnInstructionOfAGpuIsThatOfALane) {
  Machine m = twoCores();
  m.kind = MachineKind::Gpu;
  m.resources = {{ResourceKind::Load, {}, {{}, Figure{1e9}, {}}, {}},
                 {ResourceKind::FmaF32, {}, {{}, Figure{1e9}, {}}, {}}};
  const Rates r = ratesOf(m);
  EXPECT_EQ(r.numbers(ResourceKind::FmaF32, Scope::Unit), 1e9 * 1.05);
  EXPECT_EQ(r.numbers(ResourceKind::Load, Scope::Unit), 4 * 1e9 * 1.05); // of 16 bytes
}

TEST(Rates, AMissingOneIsNamedWithTheWayToMeasureIt) {
  Machine m = twoCores();
  m.memories = {{"L2", Scope::Unit, 1e6, {}, {}, {}, {}}};
  m.resources = {{ResourceKind::Issue, {}, {{}, Figure{1e9}, {}}, {}}};
  const Rates r = ratesOf(m);
  const std::string help = " / measure it with pbc model measure, or add the figure to the machine's file";
  EXPECT_EQ(complaintOf([&] { r.instructions(ResourceKind::FmaF64, Scope::Unit); }),
            "the description of Two cores has no rate for fma_f64 of a unit" + help);
  EXPECT_EQ(complaintOf([&] { r.numbers(ResourceKind::Issue, Scope::Machine); }),
            "the description of Two cores has no rate for numbers of issue of all units" + help);
  EXPECT_EQ(complaintOf([&] { r.latency(ResourceKind::Issue); }),
            "the description of Two cores has no latency for issue" + help);
  EXPECT_EQ(complaintOf([&] { r.bytes(0, Scope::Machine); }),
            "the description of Two cores has no bandwidth for the memory 'L2'" + help);
  EXPECT_EQ(complaintOf([&] { r.clock(); }), "the description of Two cores has no clock" + help);
  // A machine that comes with pbc has no resources yet.
  EXPECT_EQ(complaintOf([] { ratesOf(shipped("gtx980")).latency(ResourceKind::AddF32); }),
            "the description of GTX 980 has no latency for add_f32 / measure it with pbc model measure "
            "--device=NAME, or add the figure to the machine's file");
}

} // namespace
} // namespace pbc::model
