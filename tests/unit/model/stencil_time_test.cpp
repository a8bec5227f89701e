// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares the time of tiled stencils with the specification's figures and with the limits of every machine.
#include "compiler/model/time/stencil_time.h"

#include "compiler/model/machine/machine_file.h"
#include "tests/unit/model/machines.h"
#include "tests/unit/model/vectors.h"

#include <gtest/gtest.h>

namespace pbc::model {
namespace {

constexpr double kPart = 1e-6; // how near a figure must be, relative

StencilProblem problemOf(const std::string &machine, const std::string &stencil, std::array<long, 3> extents,
                         long steps) {
  const Stencil s = namedStencil(stencil);
  return {s, extents, steps, iterationTime(shipped(machine), s)};
}

void expectAs(const nlohmann::json &wanted, const StencilTime &t) {
  EXPECT_EQ(t.wavefronts, wanted["Nw"]);
  EXPECT_EQ(t.width, wanted["w"]);
  EXPECT_EQ(t.resident, wanted["k"]);
  EXPECT_EQ(t.tileWords, wanted["Mtile"]);
  EXPECT_EQ(t.movedWords, wanted["mio"]);
  EXPECT_EQ(t.slices, wanted["nsub"]);
  EXPECT_EQ(t.rounds, wanted["rounds"]);
  const auto expectNear = [&](const char *name, double value) {
    EXPECT_NEAR(value / wanted[name].get<double>(), 1, kPart) << name;
  };
  expectNear("m", t.transfer);
  expectNear("c", t.compute);
  expectNear("Tp", t.group);
  expectNear("Talg", t.total);
}

struct Form2D {
  const char *name;
  TimeForm form;
};
const Form2D kForms[] = {{"pitch=printed contended=False", timeForm(Mode::Printed)},
                         {"pitch=exact contended=False", {.contention = false}},
                         {"pitch=exact contended=True", timeForm(Mode::Corrected)}};

TEST(StencilTime, Jacobi2DOnTwoMachinesInThreeForms) {
  struct Case {
    const char *machine, *name;
    long extent, steps;
    Tile tile;
  };
  std::vector<Case> cases;
  for (const auto &[machine, name] : {std::pair("gtx980", "GTX980"), {"titanx", "TitanX"}}) {
    cases.push_back({machine, name, 4096, 1024, {{8, 64, 1}, 16}});
    cases.push_back({machine, name, 4096, 1024, {{14, 64, 1}, 38}});
    cases.push_back({machine, name, 8192, 8192, {{16, 64, 1}, 34}});
    cases.push_back({machine, name, 8192, 2048, {{7, 96, 1}, 12}});
  }
  for (const Case &c : cases)
    for (const Form2D &f : kForms) {
      const std::string name = "Jacobi2D " + std::string(c.name) + " S=(" + std::to_string(c.extent) + ", " +
                               std::to_string(c.extent) + ") T=" + std::to_string(c.steps) + " tS=(" +
                               std::to_string(c.tile.space[0]) + ", " + std::to_string(c.tile.space[1]) +
                               ") tT=" + std::to_string(c.tile.time) + " " + f.name;
      SCOPED_TRACE(name);
      expectAs(vectorNamed(name),
               stencilTime(stencilMachine(shipped(c.machine)),
                           problemOf(c.machine, "Jacobi2D", {c.extent, c.extent, 1}, c.steps), c.tile,
                           f.form));
    }
}

TEST(StencilTime, OneDimension) {
  const StencilMachine m = stencilMachine(shipped("gtx980"));
  const StencilProblem p{namedStencil("Jacobi1D"), {1 << 20, 1, 1}, 4096, 3.39e-8};
  const Tile tile{{256, 1, 1}, 32};
  expectAs(vectorNamed("Jacobi1D GTX980 (Citer:=3.39e-8) S=2^20 T=4096 tS=256 tT=32 k=1"),
           stencilTime(m, p, tile, {.contention = false}, 1));
  expectAs(vectorNamed("Jacobi1D idem, k=kmax"), stencilTime(m, p, tile, {.contention = false}));
  // The width is the number of lanes, so each row is one turn (A.10, its own check).
  EXPECT_DOUBLE_EQ(stencilTime(m, p, {{64, 1, 1}, 32}).compute, 32 * (3.39e-8 + m.barrier));
}

TEST(StencilTime, ThreeDimensions) {
  const StencilMachine m = stencilMachine(shipped("gtx980"));
  const StencilProblem p = problemOf("gtx980", "Heat3D", {384, 384, 384}, 128);
  const Tile tile{{4, 8, 32}, 4};
  const std::string name = "Heat3D GTX980 S=384^3 T=128 tS=(4,8,32) tT=4 nsub=";
  expectAs(vectorNamed(name + "ceil(product)"),
           stencilTime(m, p, tile, {.contention = false, .slices = false}));
  expectAs(vectorNamed(name + "product of ceils"), stencilTime(m, p, tile, {.contention = false}));
  const auto &slices = vectorNamed("Nsslabs S2=S3=384 tS2=32 tS3=8 tT=8: printed / corrected");
  const Tile large{{1, 32, 8}, 8}; // larger than a block of this machine may have
  EXPECT_EQ(feasibleTime(m, p, large, timeForm(Mode::Printed), 1).slices, slices[0]);
  EXPECT_EQ(feasibleTime(m, p, large, timeForm(Mode::Corrected), 1).slices, slices[1]);
}

TEST(StencilTime, H200AsItsPlaceholdersSay) {
  const StencilMachine m = stencilMachine(shipped("h200"));
  const StencilProblem p = problemOf("h200", "Jacobi2D", {16384, 16384, 1}, 4096);
  for (const auto &[tile, text] : {std::pair(Tile{{16, 64, 1}, 34}, "tS=(16, 64) tT=34"),
                                   {Tile{{32, 96, 1}, 32}, "tS=(32, 96) tT=32"},
                                   {Tile{{16, 160, 1}, 24}, "tS=(16, 160) tT=24"}})
    expectAs(vectorNamed("Jacobi2D H200 16384^2 T=4096 " + std::string(text) + " (exact pitch, contended)"),
             stencilTime(m, p, tile));
}

TEST(StencilTime, TransferredWordsAsTheTablesSay) {
  const auto &figure = vectorNamed("L[s/word] GTX980, TitanX (GB=1e9)");
  EXPECT_NEAR(stencilMachine(shipped("gtx980")).secondsPerWord / figure[0].get<double>(), 1, 1e-12);
  EXPECT_NEAR(stencilMachine(shipped("titanx")).secondsPerWord / figure[1].get<double>(), 1, 1e-12);
}

TEST(StencilTime, TrafficThatThePrintedBandwidthForgets) {
  // 1.3: a tile whose transfers alone take longer than its time, if each unit had the bandwidth to itself.
  const StencilMachine m = stencilMachine(shipped("gtx980"));
  const StencilProblem p = problemOf("gtx980", "Jacobi2D", {8192, 8192, 1}, 8192);
  const StencilTime alone = stencilTime(m, p, {{128, 32, 1}, 2}, {.contention = false});
  const auto &wanted =
      vectorNamed("bandwidth floor words*L for tile (128,32,2) Jacobi2D 8192^3 vs Talg(uncontended)");
  EXPECT_NEAR(trafficTime(m, alone) / wanted[0].get<double>(), 1, 1e-9);
  EXPECT_NEAR(alone.total / wanted[1].get<double>(), 1, 1e-9);
}

TEST(StencilTime, BalancedLiesBetweenIdealAndPipeline) {
  const StencilMachine m = stencilMachine(shipped("gtx980"));
  const StencilProblem p = problemOf("gtx980", "Jacobi2D", {4096, 4096, 1}, 1024);
  for (const auto &[tile, text] : {std::pair(Tile{{8, 64, 1}, 16}, "tS=(8, 64) tT=16"),
                                   {Tile{{14, 64, 1}, 38}, "tS=(14, 64) tT=38"},
                                   {Tile{{6, 96, 1}, 12}, "tS=(6, 96) tT=12"}}) {
    const double balanced = balancedTime(m, p, tile);
    EXPECT_NEAR(
        balanced /
            vectorNamed("balanced refinement Jacobi2D GTX980 4096^2x1024 " + std::string(text)).get<double>(),
        1, kPart);
    EXPECT_GE(balanced, idealTime(m, p));
    EXPECT_LE(balanced, stencilTime(m, p, tile, {.pipeline = true}).total * (1 + 1e-12));
  }
}

TEST(StencilTime, CountedWavefrontsAreNearTheApproximation) {
  const StencilMachine m = stencilMachine(shipped("gtx980"));
  const StencilProblem p = problemOf("gtx980", "Jacobi2D", {4096, 4096, 1}, 1024);
  const Tile tile{{8, 64, 1}, 16};
  // There are 129 wavefronts, not 128, of 137 or 138 tiles: two rounds each, as in the approximation.
  const StencilTime t = stencilTime(m, p, tile);
  EXPECT_NEAR(countedTime(m, p, tile) / (t.total * 129 / 128), 1, 1e-12);
  // The wavefronts are counted one by one for a problem that ends in the middle of a period.
  StencilProblem odd = p;
  odd.steps = 41, odd.extents = {1000, 333, 1};
  const StencilTime u = stencilTime(m, odd, tile);
  double sum = 0;
  for (long i = 1; i <= exactWavefronts(41, 16); ++i) {
    const long tiles = tilesOfWavefront({8, 16, 1}, 1000, 41, i);
    const long groups = (tiles + u.resident - 1) / u.resident;
    sum += m.launch + static_cast<double>((groups + m.units - 1) / m.units) * u.group;
  }
  EXPECT_NEAR(countedTime(m, odd, tile) / sum, 1, 1e-12);
}

TEST(StencilTime, SharedMemoryThatTransfersMoreThanItCanIsExcluded) {
  // E3: with the device's rate for each tile, 16 units would move 16 times what the memory can.
  const StencilMachine m = stencilMachine(shipped("gtx980"));
  const StencilProblem p = problemOf("gtx980", "Jacobi2D", {8192, 8192, 1}, 8192);
  const Tile tile{{128, 32, 1}, 2};
  const StencilTime printed = stencilTime(m, p, tile, {.contention = false});
  EXPECT_GT(trafficTime(m, printed), printed.total);
  EXPECT_NEAR(trafficTime(m, printed), 16.7557841, 1e-6);
  EXPECT_GE(stencilTime(m, p, tile).total, trafficTime(m, printed));
}

TEST(StencilTime, RadiusAndWordsOfAPoint) {
  const StencilMachine m = stencilMachine(shipped("gtx980"));
  StencilProblem p = problemOf("gtx980", "Jacobi2D", {4096, 4096, 1}, 1024);
  const Tile tile{{8, 64, 1}, 16};
  const StencilTime one = stencilTime(m, p, tile);
  p.stencil.words = 2;
  const StencilTime doubles = stencilTime(m, p, tile);
  EXPECT_EQ(doubles.movedWords, 2 * one.movedWords);
  EXPECT_EQ(doubles.tileWords, 2 * one.tileWords);
  p.stencil = namedStencil("Jacobi2D");
  p.stencil.radius = 2;
  EXPECT_THROW(stencilTime(m, p, {{1, 64, 1}, 16}), Problem); // its hexagons would wait for each other
  const StencilTime wide = stencilTime(m, p, tile);
  EXPECT_EQ(wide.movedWords, 2 * 64 * (8 + 4 * 16));
  EXPECT_EQ(wide.slices, (4096 + 32 + 63) / 64);
  EXPECT_EQ(wide.width, (4096 + 43) / 44); // pitch 2 * 8 + 2 * 14
}

/// The message of the Problem that `f` throws.
template <class F>
std::string complaint(F f) {
  try {
    f();
  } catch (const Problem &p) {
    return p.what();
  }
  return "no complaint";
}

TEST(StencilTime, WrongQuestions) {
  const StencilMachine m = stencilMachine(shipped("gtx980"));
  const StencilProblem p = problemOf("gtx980", "Jacobi2D", {4096, 4096, 1}, 1024);
  const auto asked = [&](const StencilProblem &q, const Tile &tile, long k = 0) {
    return complaint([&] { stencilTime(m, q, tile, {}, k); });
  };
  EXPECT_EQ(asked(p, {{8, 64, 1}, 15}),
            "tT, the height of a hexagon, must be even and from 2 to 1048576, not 15");
  EXPECT_EQ(asked(p, {{0, 64, 1}, 16}), "tS1 must be from 1 to 1048576, not 0");
  EXPECT_EQ(
      asked(p, {{1000, 1000, 1}, 16}),
      "a tile of 1000 x 1000 x 16 needs 2068578 words of fast memory; on GTX 980 a block may have 12288");
  EXPECT_EQ(asked(p, {{8, 64, 1}, 16}, 7), "k must be from 1 to 6, not 7");
  EXPECT_EQ(asked(p, {{8, 64, 1}, 16}, -1), "k must be from 1 to 6, not -1");
  // A wrong tile must not become a small number by overflow of a product.
  EXPECT_NE(asked(p, {{1 << 20, 1 << 20, 1}, 1 << 20}), "no complaint");
  StencilProblem q = p;
  q.extents[1] = -4096;
  EXPECT_EQ(asked(q, {{8, 64, 1}, 16}), "the extent S2 must be from 1 to 1000000000, not -4096");
  q = p, q.steps = 0;
  EXPECT_EQ(asked(q, {{8, 64, 1}, 16}), "the number of steps must be from 1 to 1000000000, not 0");
  q = p, q.iteration = 0;
  EXPECT_EQ(asked(q, {{8, 64, 1}, 16}), "the time of an iteration must be positive, not 0 s");
  q = p, q.stencil.dimensions = 4;
  EXPECT_EQ(asked(q, {{8, 64, 1}, 16}),
            "the time model is for stencils of 1 to 3 dimensions; Jacobi2D has 4");
  EXPECT_EQ(complaint([] { namedStencil("Jacobi2d"); }),
            "no stencil is named 'Jacobi2d' (did you mean 'Jacobi2D'?)");
  EXPECT_EQ(complaint([] { iterationTime(shipped("gtx980"), namedStencil("Jacobi1D")); }),
            "GTX 980 has no time for an iteration of Jacobi1D");
  Machine incomplete = shipped("gtx980");
  incomplete.barrier.reset();
  EXPECT_EQ(complaint([&] { stencilMachine(incomplete); }),
            "the description of GTX 980 has no 'barrier': the time of a barrier of a block, in seconds");
}

} // namespace
} // namespace pbc::model
