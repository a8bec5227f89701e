// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The specification's figures of chains and of their products, each read from its file: nodes of the worked
// example in both modes (7.4), the mean savings of random chains (7.5), and minima of single and fused
// products (5, 6).
#include "compiler/model/movement/chain_experiment.h"
#include "compiler/model/movement/chain_nodes.h"
#include "compiler/model/movement/closed_forms.h"
#include "compiler/model/movement/ways.h"
#include "vectors.h"

#include <cstdio>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pbc::model {
namespace {

using pb::Fused;

const std::vector<long> kWorked{936, 1008, 552, 368, 1016, 616, 544};
constexpr double kWorkedMemory = 65536;
/// The specification's names of the nodes, children before parents as ChainNodes has them.
const char *const kNodes[] = {"T1", "T3", "T2", "T4", "T5"};

double writing(const ChainNodeCosts<double> &node) {
  return static_cast<double>(kWorked[static_cast<size_t>(node.first)] *
                             kWorked[static_cast<size_t>(node.last) + 1]);
}

const char *wayOf(Fused fused) {
  return fused == Fused::Left ? "left" : fused == Fused::Right ? "right" : "none";
}

TEST(ChainVectors, NodesOfTheWorkedExampleAsPrinted) {
  const pb::ChainTree tree = pb::fewestOperations(kWorked);
  const auto nodes = ChainNodes<ClosedCosts>(tree, kWorked, ClosedCosts{kWorkedMemory, Mode::Printed}).rows();
  for (size_t i = 0; i < nodes.size(); ++i) {
    SCOPED_TRACE(kNodes[i]);
    const auto &wanted = vectorNamed(fmt::format("printed-beta {} best", kNodes[i]));
    EXPECT_EQ(wayOf(nodes[i].fused), wanted.at("choice"));
    EXPECT_NEAR(nodes[i].total - writing(nodes[i]), wanted.at("F").get<double>(), 0.01);
  }
}

TEST(ChainVectors, NodesOfTheWorkedExampleCorrected) {
  const pb::ChainTree tree = pb::fewestOperations(kWorked);
  const auto nodes = ChainNodes<ClosedCosts>(tree, kWorked, ClosedCosts{kWorkedMemory}).rows();
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto &wanted = vectorNamed(fmt::format("corrected-beta {}", kNodes[i]));
    EXPECT_EQ(wayOf(nodes[i].fused), wanted.at("choice")) << kNodes[i];
    for (const auto &[way, total] : {std::pair("none", std::optional(nodes[i].alone)),
                                     {"left", nodes[i].left},
                                     {"right", nodes[i].right}}) {
      SCOPED_TRACE(fmt::format("{} {}", kNodes[i], way));
      ASSERT_EQ(wanted.contains(way), total.has_value());
      double h = 0, f = 0;
      if (!total)
        continue;
      ASSERT_EQ(std::sscanf(wanted.at(way).get<std::string>().c_str(), "h=%lf F=%lf", &h, &f), 2);
      EXPECT_NEAR(*total - writing(nodes[i]), f, 0.051); // printed to one digit
    }
  }
  const auto &sums = vectorNamed("CORRECTED beta: S, F_total, reduction%");
  double plain = 0;
  for (const auto &[p0, p1, p2] :
       {std::array{1008L, 552L, 368L}, {936, 1008, 368}, {368, 1016, 616}, {368, 616, 544}, {936, 368, 544}})
    plain += ClosedCosts{kWorkedMemory}.product(p0, p1, p2);
  EXPECT_NEAR(plain, sums[0].get<double>(), 0.01);
  EXPECT_NEAR(nodes.back().total, sums[1].get<double>(), 0.01);
  EXPECT_NEAR(100 * (1 - nodes.back().total / plain), sums[2].get<double>(), 1e-9);
}

TEST(ChainVectors, TilesOfTheWorkedExample) {
  const auto tile = [](const ClosedForm &form) {
    return fmt::format("({:.2f},{:.2f})", form.first, form.second);
  };
  EXPECT_EQ(tile(closedRight({936, 1008, 552, 368}, kWorkedMemory, Mode::Printed)),
            vectorNamed("printed-beta T3 best").at("tile").get<std::string>());
  for (const char *mode : {"printed-beta T4 best", "corrected-beta T4"})
    EXPECT_EQ(tile(closedLeft({368, 1016, 616, 544}, kWorkedMemory)),
              vectorNamed(mode).at("tile").get<std::string>());
  EXPECT_EQ(tile(closedLeft({936, 1008, 368, 544}, kWorkedMemory)),
            vectorNamed("corrected-beta T5").at("tile").get<std::string>());
  EXPECT_EQ(tile(closedOutputKept({1008, 552, 368}, kWorkedMemory)),
            vectorNamed("corrected-beta T1").at("tile").get<std::string>());
}

TEST(ChainVectors, MeanSavingsByClosedForms) {
  for (const auto &[memory, mode] : {std::pair(65536, Mode::Printed),
                                     {98304, Mode::Printed},
                                     {16384, Mode::Corrected},
                                     {24576, Mode::Corrected},
                                     {58112, Mode::Corrected},
                                     {65536, Mode::Corrected},
                                     {98304, Mode::Corrected},
                                     {116224, Mode::Corrected}}) {
    const std::string name = fmt::format("MC overall n=3..20 M={} beta={}", memory,
                                         mode == Mode::Printed ? "printed" : "corrected");
    // Other chains of the same distribution.
    EXPECT_NEAR(chainExperiment({.memory = memory, .mode = mode, .withExact = false}).mean,
                vectorNamed(name).get<double>(), 0.12)
        << name;
  }
}

TEST(ChainVectors, MeanSavingsByExactCounts) {
  for (const long memory : {16384, 24576, 58112, 65536, 98304, 116224}) {
    const auto &wanted = vectorNamed(fmt::format("  exact-count mean reduction % n=3,6,10, M={}", memory));
    const ChainExperiment run = chainExperiment({.memory = memory, .chains = 400, .longest = 10});
    size_t i = 0;
    for (const size_t matrices : {3, 6, 10})
      EXPECT_NEAR(run.rows[matrices - 2].exact.mean, wanted[i++].get<double>(), 0.75)
          << matrices << " matrices, " << memory << " words";
  }
}

TEST(ChainVectors, MinimaOfProducts) {
  const auto same = [](const pb::Tiled &tiled, const nlohmann::json &wanted) {
    EXPECT_EQ(tiled.words.count, wanted[0]);
    EXPECT_EQ(tiled.first, wanted[1]);
    EXPECT_EQ(tiled.second, wanted[2]);
  };
  const std::vector<Way> one = waysOfOne({4096, 4096, 4096});
  const auto &exact = vectorNamed("   exact integer optimum (value,t1,t2): R | A1 | A2");
  for (size_t way = 0; way < 3; ++way)
    same(one[way].exact({58112}), exact[way]);
  const WaysOfTwo two = waysOfTwo({4096, 512, 4096, 512}, Mode::Corrected);
  const auto &fused = vectorNamed("   exact integer optimum fused (value,x,y): left | right");
  same(two.left[1].exact({65536}), fused[0]);
  same(two.right[1].exact({65536}), fused[1]);
  for (const long words : {58112, 116224})
    EXPECT_NEAR(one[0].closed(static_cast<double>(words)).words,
                vectorNamed(fmt::format("4096^3 single MM hR [words], M={}", words)).get<double>(), 0.01);
  struct Single {
    ProductSizes sizes;
    long words;
  };
  for (const Single &s :
       {Single{{1024, 1024, 1024}, 65536}, Single{{936, 1008, 552}, 65536}, Single{{4096, 4096, 4096}, 16384},
        Single{{8192, 256, 8192}, 65536}, Single{{4096, 4096, 4096}, 58112}}) {
    const auto &wanted =
        vectorNamed(fmt::format("single MM P=({},{},{}) M={}", s.sizes[0], s.sizes[1], s.sizes[2], s.words));
    const auto memory = static_cast<double>(s.words);
    const ClosedForm output = closedOutputKept(s.sizes, memory);
    EXPECT_NEAR(output.words, wanted.at("hR").get<double>(), 0.01);
    EXPECT_NEAR(output.first, wanted.at("xy").get<double>(), 1e-9);
    EXPECT_NEAR(closedLeftKept(s.sizes, memory).words, wanted.at("hA1").get<double>(), 0.01);
    const ClosedForm right = closedRightKept(s.sizes, memory);
    EXPECT_NEAR(right.words, wanted.at("hA2").get<double>(), 0.01);
    EXPECT_NEAR(right.first, wanted.at("x_small").get<double>(), 1e-9);
    EXPECT_NEAR(right.second, wanted.at("z_big").get<double>(), 1e-9);
  }
}

} // namespace
} // namespace pbc::model
