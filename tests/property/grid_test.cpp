// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random transforms with cell rules: the choice grid and the plans agree, for every small size, with an
// evaluation that counts cells one by one and does not use isl (requirements 4 and 5 of petabricks-hetero,
// section 10).
#include "compiler/choice/grid.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/verify.h"
#include "compiler/sema/check.h"
#include "compiler/syntax/parse.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <isl/set.h>
#include <map>
#include <random>

namespace {

using namespace pbc;

/// B.cell(scale*i + offset) from(A.cell(i + shift)...) where i >= low; sizes: A[n], B[n].
struct RandomRule {
  int priority, scale, offset;
  bool fromEnd; // the coordinate is n-1-(scale*i + offset)
  std::vector<int> shifts;
  int low; // where i >= low, if positive

  std::string text() const {
    const std::string at = fmt::format("{}*i + {}", scale, offset);
    std::string inputs;
    for (std::size_t k = 0; k < shifts.size(); ++k)
      inputs += fmt::format("{}A.cell(i + ({})) a{}", k ? ", " : "", shifts[k], k);
    return fmt::format("  priority({}) B.cell({}) from({}){} {{ return 0; }}\n", priority,
                       fromEnd ? "n - 1 - (" + at + ")" : at, inputs,
                       low > 0 ? fmt::format(" where i >= {}", low) : "");
  }
  bool runs(int i, int n) const {
    const int c = cell(i, n);
    if (c < 0 || c >= n || (low > 0 && i < low))
      return false;
    for (const int s : shifts)
      if (i + s < 0 || i + s >= n)
        return false;
    return true;
  }
  int cell(int i, int n) const { return fromEnd ? n - 1 - (scale * i + offset) : scale * i + offset; }
};

std::vector<RandomRule> randomRules(std::mt19937 &random) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  std::vector<RandomRule> rules;
  for (int r = pick(1, 4); r > 0; --r) {
    RandomRule rule{pick(0, 2),      pick(1, 2), pick(-1, 2),
                    pick(0, 3) == 0, {},         pick(0, 3) == 0 ? pick(1, 3) : 0};
    for (int k = pick(0, 2); k > 0; --k)
      rule.shifts.push_back(pick(-2, 2));
    rules.push_back(rule);
  }
  if (pick(0, 1))
    rules.push_back({3, 1, 0, false, {}, 0}); // covers the cells that the others leave
  return rules;
}

bool holds(const isl::set &cells, int n, int x) {
  isl_set *at = isl_set_fix_si(cells.copy(), isl_dim_set, 0, x);
  at = isl_set_fix_si(at, isl_dim_param, 0, n);
  const bool found = isl_set_is_empty(at) == isl_bool_false;
  isl_set_free(at);
  return found;
}

bool holds(const isl::set &sizes, int n) {
  isl_set *at = isl_set_fix_si(sizes.copy(), isl_dim_param, 0, n);
  const bool found = isl_set_is_empty(at) == isl_bool_false;
  isl_set_free(at);
  return found;
}

/// The rules of the best priority that reach the cell, in order.
std::vector<int> reaching(const std::vector<RandomRule> &rules, int n, int x) {
  int best = 100;
  std::vector<int> out;
  for (int pass = 0; pass < 2; ++pass)
    for (int r = 0; r < static_cast<int>(rules.size()); ++r)
      for (int i = -30; i < 30; ++i)
        if (rules[r].runs(i, n) && rules[r].cell(i, n) == x) {
          if (pass == 0)
            best = std::min(best, rules[r].priority);
          else if (rules[r].priority == best)
            out.push_back(r);
        }
  return out;
}

/// Whether the program was accepted.
bool checkProgram(const std::vector<RandomRule> &rules) {
  std::string text = "transform T from A[n] to B[n] {\n";
  for (const auto &r : rules)
    text += r.text();
  text += "}\n";
  SCOPED_TRACE(text);
  source::SourceManager sources;
  const auto file = sources.add("random.pbcc", text);
  source::Diagnostics diagnostics(sources);
  const auto program = syntax::parse(syntax::preprocess(sources, file, diagnostics), file, diagnostics);
  const auto module = sema::check(program, "random", "", diagnostics);
  EXPECT_FALSE(diagnostics.hasErrors()) << diagnostics.render();
  const std::vector<std::vector<body::Facts>> facts{std::vector<body::Facts>(rules.size())};
  poly::Context context;
  auto choices = choice::chooseGrids(module, facts, context, diagnostics);
  const auto &grid = choices[0].grid;
  constexpr int kLargest = 7;
  if (diagnostics.hasErrors()) {
    // The program was refused: then a large matrix really has a cell that no rule reaches, or a rule runs
    // nowhere or writes twice.
    if (diagnostics.render().find("no rule computes") != std::string::npos) {
      bool missing = false;
      for (int x = 0; x < 24; ++x)
        missing = missing || reaching(rules, 24, x).empty();
      EXPECT_TRUE(missing);
    }
    return false;
  }
  for (int n = 0; n <= kLargest; ++n) {
    bool covered = true;
    for (int x = 0; x < n; ++x) {
      const auto expected = reaching(rules, n, x);
      std::vector<std::vector<int>> found;
      for (const auto &p : grid.pieces)
        if (holds(p.cells, n, x))
          found.push_back(p.rules);
      if (expected.empty()) {
        covered = false;
        EXPECT_TRUE(found.empty()) << "B[" << x << "], n = " << n;
        continue;
      }
      EXPECT_EQ(found, std::vector<std::vector<int>>{expected}) << "B[" << x << "], n = " << n;
    }
    bool guarded = false;
    for (const auto &g : grid.guards)
      guarded = guarded || holds(g.bad, n);
    EXPECT_EQ(guarded, !covered) << "n = " << n;
    for (const auto &a : choices[0].alternatives)
      for (int x = 0; x < n; ++x) {
        int writers = 0;
        for (const auto &[rule, domain, overwritten] : a.uses)
          for (int i = -30; i < 30; ++i)
            if (rules[rule].cell(i, n) == x && holds(domain, n, i))
              ++writers;
        EXPECT_EQ(writers, reaching(rules, n, x).empty() ? 0 : 1)
            << a.name << " writes B[" << x << "], n = " << n;
      }
  }
  const auto plans = schedule::plan(module, facts, choices, context, diagnostics);
  EXPECT_FALSE(diagnostics.hasErrors()) << diagnostics.render();
  EXPECT_EQ(schedule::verify(module, choices, plans), std::vector<std::string>{});
  return true;
}

TEST(Grid, AgreesWithCountingCells) {
  std::mt19937 random(20261120);
  int accepted = 0;
  for (int k = 0; k < 300 && !HasFailure(); ++k)
    accepted += checkProgram(randomRules(random));
  EXPECT_GT(accepted, 60); // the others were refused, and it was checked that this is right
}

} // namespace
