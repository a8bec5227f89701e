// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares the energy model with the vectors of cost-models.md section 2.6, and reads measurements from text.
#include "compiler/model/energy/measurements.h"
#include "compiler/model/energy/tiled_energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pbc::model;

namespace {

/// Table B.2.
Machine k20c() {
  Machine machine{.name = "K20c"};
  machine.energy["bench"] = {{"static", 48},    {"global_shared", 2.2e-9}, {"shared_register", 2.23e-10},
                             {"fadd", 5.3e-11}, {"fmul", 3.7e-11},         {"iadd", 7.2e-11},
                             {"imax", 4.8e-11}};
  machine.energy["regression"] = {
      {"static", 53},     {"global_shared", 3.17e-9}, {"shared_register", 1.84e-10},
      {"fadd", 5.02e-11}, {"fmul", 3.51e-11},         {"iadd", 0},
      {"imax", 0}};
  return machine;
}

const EnergyRun kSmithWaterman{.code = EnergyCode::SmithWaterman,
                               .size1 = 4096,
                               .steps = 4096,
                               .tile1 = 256,
                               .tileSteps = 256,
                               .subTile = 8};
const EnergyRun kJacobi1D{
    .code = EnergyCode::Jacobi1D, .size1 = 65536, .steps = 1024, .tile1 = 256, .tileSteps = 64, .subTile = 8};
const EnergyRun kJacobi2D{.code = EnergyCode::Jacobi2D,
                          .size1 = 4096,
                          .size2 = 4096,
                          .steps = 1024,
                          .tile1 = 8,
                          .tile2 = 64,
                          .tileSteps = 16};

TEST(Energy, OfATile) {
  const Spendings bench = costsOf(k20c(), "bench"), regression = costsOf(k20c(), "regression");
  EXPECT_NEAR(joules(spentByTile(kSmithWaterman), bench), 6.7857408e-5, 1e-14);
  EXPECT_NEAR(joules(spentByTile(kSmithWaterman), regression), 2.6493184e-5, 1e-14);
  EXPECT_NEAR(joules(spentByTile(kJacobi1D), bench), 1.179648e-5, 1e-14);
  EXPECT_NEAR(joules(spentByTile(kJacobi1D), regression), 1.1060736e-5, 1e-14);
  EnergyRun derived = kJacobi1D;
  derived.sharedFactor = 1;
  EXPECT_NEAR(joules(spentByTile(derived), bench), 5.973504e-6, 1e-15);
  EXPECT_NEAR(joules(spentByTile(derived), regression), 6.256128e-6, 1e-15);
  EXPECT_NEAR(joules(spentByTile(kJacobi2D), bench), 3.564032e-5, 1e-14);
  EXPECT_NEAR(joules(spentByTile(kJacobi2D), regression), 3.6811264e-5, 1e-14);
}

TEST(Energy, OfARun) {
  const Spendings bench = costsOf(k20c(), "bench"), regression = costsOf(k20c(), "regression");
  EXPECT_NEAR(tilesOf(kJacobi2D), 1122850.1333333333, 1e-6);
  EXPECT_NEAR(joules(spentByRun(kJacobi2D, 0.5), bench), 64.01873806404267, 1e-9);
  EXPECT_NEAR(joules(spentByRun(kJacobi2D, 0.5), regression), 67.83353269056853, 1e-9);
  EXPECT_NEAR(joules(spentByRun(kSmithWaterman, 0.02), bench), 0.9773714964479999, 1e-12);
}

TEST(Energy, TilesCoverTheProblem) {
  EXPECT_NEAR(tilesOf(kJacobi2D) * volumeOfTile(kJacobi2D), 1024.0 * 4096 * (4096 + 16), 1e-3);
  EXPECT_DOUBLE_EQ(tilesOf(kJacobi1D, Mode::Printed) * volumeOfTile(kJacobi1D), 65536.0 * 1024);
  // Section 1.8: 65536 x 1024 in skewed tiles of 512 x 128 is 1032 tiles.
  EnergyRun skewed = kJacobi1D;
  skewed.tile1 = 512;
  skewed.tileSteps = 128;
  EXPECT_EQ(tilesOf(skewed), 1032);
  EXPECT_EQ(tilesOf(skewed, Mode::Printed), 1024);
}

// Every point of the skewed plane is in one of the tiles that are counted, and none of these is empty.
TEST(Energy, SkewedTilesAreThoseThatHavePoints) {
  for (const int64_t size : {1, 7, 20})
    for (const int64_t steps : {1, 5, 12})
      for (const int64_t tile1 : {1, 3, 8})
        for (const int64_t tileSteps : {1, 2, 5}) {
          std::vector<std::pair<int64_t, int64_t>> tiles;
          for (int64_t t = 0; t < steps; ++t)
            for (int64_t i = 0; i < size; ++i)
              tiles.emplace_back(t / tileSteps, (i + t) / tile1);
          std::ranges::sort(tiles);
          tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
          const EnergyRun run{.code = EnergyCode::Jacobi1D,
                              .size1 = size,
                              .steps = steps,
                              .tile1 = tile1,
                              .tileSteps = tileSteps,
                              .subTile = 1};
          EXPECT_EQ(tilesOf(run), static_cast<double>(tiles.size()));
        }
}

// Another stencil has the same sum: words of 8 bytes move twice as much, and a radius of 2 reads and leans
// twice as far.
TEST(Energy, OtherStencilsOfTwoDimensions) {
  EnergyRun run = kJacobi2D;
  run.work.words = 2;
  run.work.sharedWords = 12;
  const Spendings jacobi = spentByTile(kJacobi2D), doubles = spentByTile(run);
  EXPECT_EQ(doubles[Spent::GlobalShared], 2 * jacobi[Spent::GlobalShared]);
  EXPECT_EQ(doubles[Spent::SharedRegister], 2 * jacobi[Spent::SharedRegister]);
  EXPECT_EQ(doubles[Spent::FloatAdd], jacobi[Spent::FloatAdd]);
  run.work.radius = 2;
  run.work.operations[Spent::IntegerAdd] = 3;
  const Spendings wide = spentByTile(run);
  EXPECT_EQ(wide[Spent::GlobalShared], 2.0 * 2 * 64 * (8 + 2 * 2 * 16));
  EXPECT_EQ(volumeOfTile(run), 64.0 * 16 * (2 * 8 + 2 * 14) / 2); // section 1.2, general form
  EXPECT_EQ(wide[Spent::IntegerAdd], 3 * volumeOfTile(run));
  EXPECT_NEAR(tilesOf(run) * volumeOfTile(run), 1024.0 * 4096 * (4096 + 2 * 16), 1e-3);
  run.tile1 = 1;
  EXPECT_THROW(spentByTile(run), Problem);
}

std::string problemOf(EnergyRun run) {
  try {
    spentByTile(run);
  } catch (const Problem &problem) {
    return problem.what();
  }
  return "";
}

TEST(Energy, RunsThatCannotBe) {
  EnergyRun odd = kJacobi2D, negative = kJacobi2D, wide = kSmithWaterman;
  odd.tileSteps = 15;
  negative.size2 = -4096;
  wide.subTile = 257;
  EXPECT_EQ(problemOf(odd), "a hexagon of 15 steps: its lower and its upper half are equally high");
  EXPECT_EQ(problemOf(negative), "the second extent is -4096: it must be from 1 to 1000000000000");
  EXPECT_EQ(problemOf(wide), "a sub-tile of 257 in a tile of 256");
  EXPECT_THROW(spentByRun(kJacobi2D, 0), Problem);
  EXPECT_THROW(energyCode("Heat3D"), Problem);
}

TEST(Energy, CostsThatAreNotThere) {
  EXPECT_THROW(costsOf(Machine{.name = "none"}, "bench"), Problem);
  EXPECT_THROW(costsOf(k20c(), "guess"), Problem);
  Machine lacking = k20c();
  lacking.energy["bench"].erase("imax");
  try {
    costsOf(lacking, "bench");
    FAIL();
  } catch (const Problem &problem) {
    EXPECT_STREQ(problem.what(), "the energy figures \"bench\" of K20c lack \"imax\"");
  }
}

TEST(Measurements, AreReadByTheNamesOfTheColumns) {
  const auto runs = energyMeasurements("joules,seconds,stencil,S1,S2,T,tS1,tS2,tT,sS\n"
                                       "64.1, 0.5,Jacobi2D,4096,4096,1024,8,64,16,\r\n\n"
                                       "0.98,2e-2,SmithWaterman,4096,,4096,256,,256,8\n",
                                       "m.csv");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].run.tile2, 64);
  EXPECT_EQ(runs[0].joules, 64.1);
  EXPECT_EQ(runs[1].seconds, 0.02);
  EXPECT_EQ(runs[1].run.subTile, 8);
}

TEST(Measurements, AsSpreadsheetsWriteThem) {
  const auto runs = energyMeasurements("\xef\xbb\xbfstencil,S1,T,tS1,tT,sS,seconds,joules\r\n"
                                       "Jacobi1D,65536,1024,256,64,8,0.5,64\r\n",
                                       "m.csv");
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].joules, 64);
}

TEST(Measurements, MistakesNameTheirLine) {
  const std::string header = "stencil,S1,T,tS1,tT,sS,seconds,joules\n";
  const auto messageOf = [](const std::string &text) -> std::string {
    try {
      energyMeasurements(text, "m.csv");
    } catch (const Problem &problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_EQ(messageOf(""), "m.csv has no measurements");
  EXPECT_EQ(messageOf(header), "m.csv has no measurements");
  EXPECT_EQ(messageOf("stencil,size\n"), "m.csv:1: there is no column \"size\"");
  EXPECT_EQ(messageOf("stencil,S1\n"), "m.csv:1: the column \"T\" is missing");
  EXPECT_EQ(messageOf(header + "Jacobi1D,64,8,8,4\n"), "m.csv:2: 5 cells, the first line names 8 columns");
  EXPECT_EQ(messageOf(header + "Jacobi1D,64,8,8,4,2,0.1,x\n"), "m.csv:2: \"x\" is not a number for joules");
  EXPECT_EQ(messageOf(header + "Jacobi1D,64,8,8,4,2,0.1,nan\n"), "m.csv:2: 0.1 s and nan J");
  EXPECT_EQ(messageOf(header + "Jacobi1D,64,8,8,4,2,-1,1\n"), "m.csv:2: -1 s and 1 J");
  EXPECT_EQ(messageOf(header + "Jacobi1D,64,8,8,4,16,1,1\n"), "m.csv:2: a sub-tile of 16 in a tile of 8");
  EXPECT_EQ(messageOf(header + "Heat,64,8,8,4,16,1,1\n"), "m.csv:2: the energy of \"Heat\" is not modelled");
}

} // namespace
