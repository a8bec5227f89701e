// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The original's configuration format, and values that consist of several numbers, on a program with two
// bins.
#include "runtime/config/configuration.h"
#include "runtime/config/fit.h"
#include "runtime/config/original.h"
#include <array>
#include <gtest/gtest.h>

using namespace pb;
using Strings = std::vector<std::string>;

namespace {

long rounds[2][kSizeBins], split[2], cutoff[2], x[2][3], forEnough[2][kSizeBins];
double omega[2];

using Tunables = std::array<Tunable, 6>;
Tunables tunablesOf(int bin) {
  return {Tunable{"rounds", "", TunableKind::Integer, false, 1, 0, 9, rounds[bin], nullptr, true},
          Tunable{"x", "", TunableKind::Integer, false, 7, 0, 9, x[bin], nullptr, false, 3},
          Tunable{"omega", "", TunableKind::Float, false, 1.5, 0, 2, nullptr, &omega[bin]},
          Tunable{"for_enough_0", "", TunableKind::Integer, false, 1, 1, 1000, forEnough[bin], nullptr, true},
          Tunable{"split_size", "", TunableKind::Integer, true, 64, 1, 1e9, &split[bin], nullptr},
          Tunable{"sequential_cutoff", "", TunableKind::Integer, true, 64, 0, 1e9, &cutoff[bin], nullptr}};
}
const Tunables tunables[] = {tunablesOf(0), tunablesOf(1)};

Transform entry(const char *name, int bin) {
  Transform t{};
  t.name = name;
  t.tunableCount = 6;
  t.tunables = tunables[bin].data();
  t.bin = bin;
  return t;
}

const Program &originalProgram() {
  static const Transform entries[] = {entry("Solve<0>", 0), entry("Solve<1>", 1)};
  static const Transform *const list[] = {&entries[0], &entries[1]};
  static const Program all{kAbiVersion, "p", "hash", "pbc", 2, list, 0, nullptr, "native"};
  return all;
}

Strings warnings;
Strings applyOriginal(const std::string &text, int *threads = nullptr) {
  config::applyDefaults(originalProgram());
  warnings.clear();
  return config::apply(originalProgram(), text, "c", threads, &warnings);
}

} // namespace

TEST(Original, SetsWhatStillExists) {
  int threads = 0;
  EXPECT_EQ(applyOriginal(
                "# made long ago\n\nSolve_tmpl_1_rounds__4 = 5   # int, valid range: 0 to 9\n"
                "Solve_tmpl_0_i2_x = 3\nSolve_tmpl_0_omega = 0.25\nSolve_tmpl_1_forenough_iterations_0__0=8\n"
                "Solve_tmpl_1_splitsize = 2\nsequentialcutoff = 17\nworker_threads = 3\nnonsense\n",
                &threads),
            Strings{});
  EXPECT_EQ(warnings, Strings{});
  EXPECT_EQ(rounds[1][4], 5);
  EXPECT_EQ(rounds[1][3], 1);
  EXPECT_EQ(rounds[0][4], 1);
  EXPECT_EQ(x[0][2], 3);
  EXPECT_EQ(x[0][1], 7);
  EXPECT_EQ(x[1][2], 7);
  EXPECT_EQ(omega[0], 0.25);
  EXPECT_EQ(forEnough[1][0], 8);
  EXPECT_EQ(split[1], 2);
  EXPECT_EQ(split[0], 64);
  EXPECT_EQ(cutoff[0], 17);
  EXPECT_EQ(cutoff[1], 17);
  EXPECT_EQ(threads, 3);
}

TEST(Original, WarnsOnceOfWhatDoesNot) {
  EXPECT_EQ(
      applyOriginal(
          "Solve_tmpl_0_0_lvl1_rule = 1\nSolve_tmpl_0_unrollschedule = 1\nSolve_tmpl_0_rounds__3 = 2\n"),
      Strings{});
  EXPECT_EQ(warnings, (Strings{"c:1: warning: Solve_tmpl_0_0_lvl1_rule is unknown here and ignored",
                               "c:2: warning: Solve_tmpl_0_unrollschedule is unknown here and ignored"}));
  EXPECT_EQ(rounds[0][3], 2);
}

TEST(Original, SaysWhatBecameOfEachLine) {
  int count = 0;
  const config::Fitted fitted =
      config::fit(originalProgram(), "Solve_tmpl_0_rounds__3 = 2\nSort_cutoff = 3\n", "c", &count);
  EXPECT_EQ(fitted.errors, Strings{});
  ASSERT_EQ(fitted.entries.size(), 2u);
  EXPECT_EQ(fitted.entries[0].state, config::EntryState::Ok);
  EXPECT_EQ(fitted.entries[1].state, config::EntryState::Unknown);
  EXPECT_EQ(fitted.entries[1].line, 2);
  EXPECT_EQ(fitted.entries[1].problems, Strings{"Sort_cutoff is unknown here and ignored"});
}

TEST(Original, RefusesValuesOutOfRange) {
  EXPECT_EQ(applyOriginal("Solve_tmpl_0_rounds__3 = 2\nSolve_tmpl_0_rounds__4 = 10\nSolve_tmpl_0_omega = -1\n"
                          "Solve_tmpl_0_i0_x = 1.5\nworker_threads = 0\n"),
            (Strings{"c:2: error: Solve_tmpl_0_rounds__4 = 10 is out of range: 0 to 9",
                     "c:3: error: Solve_tmpl_0_omega = -1 is out of range: 0 to 2",
                     "c:4: error: Solve_tmpl_0_i0_x must be an integer, found 1.5",
                     "c:5: error: worker_threads = 0 is out of range: 1 to 1024"}));
  EXPECT_EQ(rounds[0][3], 1); // all or nothing
}

TEST(Original, ContentDecidesTheFormat) {
  EXPECT_TRUE(config::isOriginal("# x\nA_b__3 = 4\n"));
  EXPECT_TRUE(config::isOriginal("sequentialcutoff = 4"));
  EXPECT_FALSE(config::isOriginal(""));
  EXPECT_FALSE(config::isOriginal("threads = 2\n"));
  EXPECT_FALSE(config::isOriginal("program = \"a\"\n[T]\nmy_tunable = 3\n"));
  EXPECT_FALSE(config::isOriginal("  [ \"T<1>\" ]\nmy_tunable = 3\n"));
}

TEST(Values, BySizeAndArraysThereAndBack) {
  EXPECT_EQ(
      applyOriginal(
          "[\"Solve<1>\"]\nrounds = [ { below = 2, value = 3 }, { below = 64, value = 4 }, { value = 9 } "
          "]\nx = [1, 2, 3]\n[\"Solve<0>\"]\nrounds = 8\nx = 5\n"),
      Strings{});
  EXPECT_EQ(rounds[1][0], 3);
  EXPECT_EQ(rounds[1][1], 4);
  EXPECT_EQ(rounds[1][5], 4);
  EXPECT_EQ(rounds[1][6], 9);
  EXPECT_EQ(rounds[1][31], 9);
  EXPECT_EQ(rounds[0][0], 8);
  EXPECT_EQ(x[1][2], 3);
  EXPECT_EQ(x[0][0], 5);
  const std::string text = config::describe(originalProgram());
  EXPECT_NE(text.find("rounds = [ { below = 2, value = 3 }, { below = 64, value = 4 }, { value = 9 } ]\n"),
            text.npos);
  EXPECT_NE(text.find("rounds = 8\n"), text.npos);
  EXPECT_NE(text.find("x = [1, 2, 3]\n"), text.npos);
  EXPECT_EQ(applyOriginal(text), Strings{});
  EXPECT_EQ(config::describe(originalProgram()), text);
}

TEST(Values, SizeBins) {
  EXPECT_EQ(sizeBin(0), 0);
  EXPECT_EQ(sizeBin(1), 0);
  EXPECT_EQ(sizeBin(2), 1);
  EXPECT_EQ(sizeBin(3), 1);
  EXPECT_EQ(sizeBin(4), 2);
  EXPECT_EQ(sizeBin(1023), 9);
  EXPECT_EQ(sizeBin(1L << 31), 31);
  EXPECT_EQ(sizeBin(1L << 40), 31);
}
