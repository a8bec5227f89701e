// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The regression: it is exact on small problems, and finds the coefficients of noisy measurements again.
#include "compiler/model/energy/calibrate.h"
#include "compiler/model/energy/least_absolute.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

using namespace pbc::model;
using testing::ElementsAre;

namespace {

using Rows = std::vector<std::vector<double>>;

double errorOf(const Rows &a, const std::vector<double> &b, const std::vector<double> &x) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    double predicted = 0;
    for (size_t j = 0; j < x.size(); ++j)
      predicted += a[i][j] * x[j];
    sum += std::abs(predicted - b[i]);
  }
  return sum;
}

/// For two columns: the best of all points where two of the lines A_i x = b_i, x1 = 0 and x2 = 0 meet.
double leastOfTwo(const Rows &a, const std::vector<double> &b) {
  Rows lines = a;
  std::vector<double> right = b;
  lines.push_back({1, 0});
  lines.push_back({0, 1});
  right.insert(right.end(), 2, 0);
  double best = INFINITY;
  for (size_t p = 0; p < lines.size(); ++p)
    for (size_t q = p + 1; q < lines.size(); ++q) {
      const double det = lines[p][0] * lines[q][1] - lines[p][1] * lines[q][0];
      if (std::abs(det) < 1e-12)
        continue;
      const double x = (right[p] * lines[q][1] - lines[p][1] * right[q]) / det;
      const double y = (lines[p][0] * right[q] - right[p] * lines[q][0]) / det;
      if (x >= -1e-12 && y >= -1e-12)
        best = std::min(best, errorOf(a, b, {x, y}));
    }
  return best;
}

TEST(LeastAbsolute, AnOutlierDoesNotCount) {
  const auto x = leastAbsolute({{1, 0}, {1, 1}, {1, 2}, {1, 3}, {1, 4}}, {1, 3, 100, 7, 9});
  EXPECT_NEAR(x[0], 1, 1e-12);
  EXPECT_NEAR(x[1], 2, 1e-12);
}

TEST(LeastAbsolute, OneColumnIsAWeightedMedian) {
  EXPECT_NEAR(leastAbsolute({{1}, {1}, {1}}, {1, 2, 9})[0], 2, 1e-12);
  EXPECT_NEAR(leastAbsolute({{1}, {1}, {10}}, {1, 2, 90})[0], 9, 1e-12);
}

TEST(LeastAbsolute, CoefficientsAreNotNegative) {
  EXPECT_THAT(leastAbsolute({{1}, {2}}, {-1, -2}), ElementsAre(0));
  // The unconstrained line through these points falls.
  const auto x = leastAbsolute({{1, 0}, {1, 1}, {1, 2}}, {5, 4, 3});
  EXPECT_NEAR(x[0], 4, 1e-12);
  EXPECT_EQ(x[1], 0);
}

TEST(LeastAbsolute, DegenerateProblems) {
  EXPECT_THAT(leastAbsolute({{0, 0}, {0, 0}}, {1, 2}), ElementsAre(0, 0));
  EXPECT_THAT(leastAbsolute({{1, 2}}, {0}), ElementsAre(0, 0));
  EXPECT_TRUE(leastAbsolute({}, {}).empty());
  const Rows same(50, {1, 1});
  const auto x = leastAbsolute(same, std::vector<double>(50, 3));
  EXPECT_NEAR(x[0] + x[1], 3, 1e-12);
}

TEST(LeastAbsolute, NoVertexIsBetter) {
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    const size_t count = 1 + random() % 9;
    Rows a(count);
    std::vector<double> b(count);
    const double unit = round % 2 ? 1e-9 : 1; // coefficients of very different sizes
    for (size_t i = 0; i < count; ++i) {
      a[i] = {static_cast<double>(random() % 5), static_cast<double>(random() % 5) * unit};
      b[i] = static_cast<double>(random() % 21) - 5;
    }
    const auto x = leastAbsolute(a, b);
    EXPECT_GE(x[0], 0);
    EXPECT_GE(x[1], 0);
    Rows scaled = a;
    for (auto &row : scaled)
      row[1] /= unit;
    EXPECT_NEAR(errorOf(a, b, x), leastOfTwo(scaled, b), 1e-9) << round;
  }
}

TEST(LeastAbsolute, ManyRows) {
  std::mt19937 random(5);
  const std::vector<double> truth = {50, 3e-9, 2e-10, 5e-11, 0, 7e-11};
  Rows a;
  std::vector<double> b;
  for (int i = 0; i < 3000; ++i) {
    std::vector<double> row;
    double sum = 0;
    for (const double t : truth) {
      row.push_back((1 + static_cast<double>(random() % 1000)) / std::max(t, 1e-11));
      sum += row.back() * t;
    }
    a.push_back(row);
    b.push_back(i % 3 == 0 ? sum * 2 : sum); // a third is far off
  }
  const auto x = leastAbsolute(a, b);
  for (size_t j = 0; j < truth.size(); ++j)
    EXPECT_NEAR(x[j], truth[j], truth[j] * 1e-9 + 1e-20);
}

Spendings truth() {
  Spendings costs;
  costs[Spent::Static] = 53;
  costs[Spent::GlobalShared] = 3.17e-9;
  costs[Spent::SharedRegister] = 1.84e-10;
  costs[Spent::FloatAdd] = 5.02e-11;
  costs[Spent::FloatMultiply] = 3.51e-11;
  costs[Spent::IntegerAdd] = 4e-11;
  costs[Spent::IntegerMaximum] = 0;
  return costs;
}

/// Runs of the three codes as the source has them, with energies that scatter by `noise`.
std::vector<EnergyMeasurement> synthetic(int count, double noise, double factor = 4) {
  std::mt19937_64 random(11);
  const auto any = [&](std::vector<int64_t> values) { return values[random() % values.size()]; };
  std::vector<EnergyMeasurement> runs;
  for (int i = 0; i < count; ++i) {
    EnergyMeasurement m;
    m.run.code = static_cast<EnergyCode>(i % 3);
    m.run.sharedFactor = factor;
    m.run.size1 = any({2048, 4096, 8192});
    m.run.size2 = m.run.code == EnergyCode::Jacobi2D ? any({2048, 4096, 8192}) : 1;
    m.run.steps = any({1024, 2048, 4096});
    m.run.tile1 = any({8, 16, 64, 256});
    m.run.tile2 = any({32, 64, 128});
    m.run.tileSteps = any({4, 16, 64});
    m.run.subTile = any({1, 4, 8});
    const double dynamic = joules(spentByRun(m.run, 1e-9), truth());
    // Of the order of the dynamic energy, but independent of it.
    m.seconds = dynamic / 53 * (0.3 + static_cast<double>(random() % 1000) / 500);
    const double scatter = 1 + noise * (static_cast<double>(random() % 2001) / 1000 - 1);
    m.joules = joules(spentByRun(m.run, m.seconds), truth()) * scatter;
    m.run.sharedFactor = 4; // a file does not say it
    runs.push_back(m);
  }
  return runs;
}

TEST(FitEnergy, ExactMeasurementsGiveTheCostsBack) {
  const EnergyFit fit = fitEnergy(synthetic(600, 0));
  EXPECT_EQ(fit.sharedFactor, 4);
  EXPECT_THAT(fit.undetermined, ElementsAre(Spent::IntegerMaximum)); // as many as additions, always
  for (size_t i = 0; i < kSpents; ++i)
    EXPECT_NEAR(fit.costs.values()[i], truth().values()[i], truth().values()[i] * 1e-6) << i;
  for (const FitRow &row : fit.rows)
    EXPECT_LT(row.testError, 1e-8) << row.code;
}

TEST(FitEnergy, NoisyMeasurements) {
  const EnergyFit fit = fitEnergy(synthetic(3000, 0.05), {.training = 0.1, .seed = 4});
  ASSERT_EQ(fit.rows.size(), 4U);
  EXPECT_EQ(fit.rows[3].code, "all");
  EXPECT_EQ(fit.rows[3].training, 300U);
  EXPECT_EQ(fit.rows[3].test, 2700U);
  EXPECT_NEAR(fit.costs[Spent::Static], 53, 53 * 0.05);
  EXPECT_NEAR(fit.costs[Spent::GlobalShared], 3.17e-9, 3.17e-9 * 0.1);
  for (const FitRow &row : fit.rows)
    EXPECT_LT(row.testError, 0.05) << row.code; // the noise is even in +-5 %: its own RMSE is 2.9 %
}

TEST(FitEnergy, FindsTheFactorOfJacobi1D) {
  EXPECT_EQ(fitEnergy(synthetic(600, 0.01, 1)).sharedFactor, 1);
  EXPECT_EQ(fitEnergy(synthetic(600, 0.01, 4)).sharedFactor, 4);
  EXPECT_EQ(fitEnergy(synthetic(600, 0.01, 1), {.sharedFactor = 4}).sharedFactor, 4);
}

TEST(FitEnergy, IsTheSameForTheSameSeed) {
  const auto runs = synthetic(300, 0.05);
  EXPECT_EQ(fitEnergy(runs, {.seed = 2}).costs.values(), fitEnergy(runs, {.seed = 2}).costs.values());
  EXPECT_NE(fitEnergy(runs, {.seed = 2}).costs.values(), fitEnergy(runs, {.seed = 3}).costs.values());
}

TEST(FitEnergy, TooFewMeasurements) {
  try {
    fitEnergy(synthetic(12, 0));
    FAIL();
  } catch (const Problem &problem) {
    EXPECT_STREQ(problem.what(), "3 measurements to find 6 figures from");
  }
  EXPECT_THROW(fitEnergy(synthetic(300, 0), {.training = 1}), Problem);
  EXPECT_THROW(fitEnergy(synthetic(300, 0), {.training = NAN}), Problem);
}

} // namespace
