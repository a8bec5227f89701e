// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The adaptors of the standard library on kernels: every kernel that composing makes is sound and computes what the first one does
// (optimisation-scripts 10: 1, 6, 7, 8, 10, 11, 13).
#include "compiler/compose/compose.h"
#include "compiler/compose/rules.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/verify.h"
#include "compiler/source/load.h"
#include "compiler/syntax/parse.h"
#include "tests/unit/transform/compiled.h"
#include "tests/unit/transform/textual.h"
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <isl/set.h>
#include <map>
#include <string>
#include <vector>

using namespace pbc;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

const std::string kGroups = "(Lii, Ljj) = thread_grouping(Li, Lj; 8, 8);",
                  kTiles = "(Liii, Ljjj, Lkkk) = loop_tiling(Lii, Ljj, Lkk; 4, 4, 4);",
                  kWritten = "loop_unroll(Ljjj, Lkkk);", kWholeScript = kGroups + kTiles + kWritten;

class AdaptorLibrary : public testing::Test {
protected:
  AdaptorLibrary() {
    for (const auto &entry : std::filesystem::directory_iterator(PBC_SOURCE_DIR "/stdlib/adaptors"))
      for (script::Adaptor &one :
           syntax::parseAdaptors(*source::load(sources_, entry.path(), nullptr), diagnostics_))
        all_.push_back(std::move(one));
  }

  script::Script script(const std::string &text) {
    return syntax::parseScript(sources_.add("script", text), diagnostics_).value();
  }

  std::vector<compose::Adapted> adapted(const std::vector<std::string> &uses) {
    std::vector<compose::Adapted> made;
    for (const std::string &text : uses) {
      const auto use = syntax::parseAdaptation(sources_.add("use", text), diagnostics_);
      made.push_back({*use, compose::rulesOf(all_, *use, diagnostics_).value()});
    }
    return made;
  }

  compose::Composition composed(const kernel::Scheduled &kernel, const std::string &base,
                                const std::vector<std::string> &uses) {
    const auto made = compose::compose(kernel, script(base), adapted(uses));
    EXPECT_TRUE(made.composition) << made.why << diagnostics_.render(false);
    return made.composition.value_or(compose::Composition());
  }

  ~AdaptorLibrary() override { EXPECT_EQ(comparison_.differences(), ""); }

  /// The other kernel is sound, and its code computes what the first one does.
  void agrees(const kernel::Scheduled &kernel, const kernel::Scheduled &other, const std::string &what) {
    EXPECT_TRUE(kernel::withFlags(other.schedule.tree, other.dependences)) << what;
    constexpr unsigned long kBudget = 1'000'000; // of large kernels the verifier would need minutes
    std::vector<std::string> complaints;
    if (poly::withBudget(kernel.context.ctx(), kBudget, [&] { complaints = kernel::verify(other); }))
      EXPECT_THAT(complaints, IsEmpty()) << what;
    comparison_.add(what, kernel, other);
  }

  /// The steps kept of each kernel that composing makes, all of which compute the same.
  std::vector<std::string> kept(const std::string &text, const std::string &base,
                                const std::vector<std::string> &uses) {
    kernel::Scheduled kernel = texts_.kernel(text);
    kernel.schedule.target = kernel::Target::Processor;
    const compose::Composition composition = composed(kernel, base, uses);
    std::vector<std::string> made;
    for (const auto &[variant, sequence] : compose::distinct(composition)) {
      made.push_back(script::line(sequence->kept));
      agrees(kernel, *sequence->kernel, made.back());
    }
    return made;
  }

  /// Whether the steps apply, and compute the same; else why not.
  std::string outcome(const std::string &text, const std::string &steps) {
    kernel::Scheduled kernel = texts_.kernel(text);
    kernel.schedule.target = kernel::Target::Processor;
    const kernel::ScriptOutcome made = kernel::run(script(steps), kernel, kernel::Mode::Strict);
    if (!made.failed.empty())
      return made.failed.front().problem.what;
    agrees(kernel, made.kernel, steps);
    return "it applies";
  }

  kernel::Texts texts_;
  kernel::Comparison comparison_{texts_.context()};
  source::SourceManager sources_;
  source::Diagnostics diagnostics_{sources_};
  std::vector<script::Adaptor> all_;
};

/// A sum over k into C[j, i].
std::string product(const std::string &a, const std::string &depth, const std::string &operation = "+=") {
  return fmt::format(R"(
kernel Product [m, n] may reassociate
  context m >= 0 and n >= 0
  buffer A double 2-d input
  buffer B double 2-d input
  buffer C double 2-d output
  S0[i, j, k]: C[j, i] {} {} * B[j, k]
    {{ S0[i, j, k] : 0 <= i < m and 0 <= j < n and {} }}
  schedule
    band i
      band j
        band k
)",
                     operation, a, depth);
}

/// The nest of a solve: that of the paper, of rows or columns, from the first one to the last one or the other way.
struct Solve {
  const char *name, *a, *depth;
  bool isForward, isLeft;
};
std::string solve(const Solve &s) {
  const std::string statement =
      s.isLeft ? fmt::format("B[j, i] -= {} * B[j, k]", s.a) : fmt::format("B[i, j] -= B[k, j] * {}", s.a);
  return fmt::format(R"(
kernel Solve [m, n]
  context m >= 0 and n >= 0
  buffer A double 2-d input
  buffer B double 2-d output
  S0[i, j, k]: {1}
    {{ S0[i, j, k] : 0 <= i < m and 0 <= j < n and {2} }}
  schedule
    band {0}i
      band j
        band {0}k
)",
                     s.isForward ? "" : "-", statement, s.depth);
}
const char *const kBelow = "0 <= k < i", *const kAbove = "i < k < m";
/// The eight variants and their directions (optimisation-scripts 7).
const Solve kSolves[] = {
    {"LL-N", "A[k, i]", kBelow, true, true},   {"LL-T", "A[i, k]", kAbove, false, true},
    {"LU-N", "A[k, i]", kAbove, false, true},  {"LU-T", "A[i, k]", kBelow, true, true},
    {"RL-N", "A[i, k]", kAbove, false, false}, {"RL-T", "A[k, i]", kBelow, true, false},
    {"RU-N", "A[i, k]", kBelow, true, false},  {"RU-T", "A[k, i]", kAbove, false, false}};

const char *const kSolveWithLocal = R"(
kernel Rule [m, n]
  context m >= 0 and n >= 0
  buffer A double 2-d input
  buffer B double 2-d input
  buffer X double 2-d output
  buffer s double 2-d local
  S0[i, j]: s[i, j] = B[j, i]
    { S0[i, j] : 0 <= i < m and 0 <= j < n }
  S1[i, j; k]: s[i, j] -= A[k, i] * X[j, k]
    { S1[i, j, k] : 0 <= i < m and 0 <= j < n and 0 <= k < i }
  S2[i, j]: X[j, i] = s[i, j] * A[i, i]
    { S2[i, j] : 0 <= i < m and 0 <= j < n }
  schedule
    band i
      band j
        alloc:s
          sequence
            S0
            S1
              band k
            S2
)";

TEST_F(AdaptorLibrary, TheLibraryIsPrintedAsItIsRead) { // 1
  ASSERT_GE(all_.size(), 9U);
  for (const script::Adaptor &adaptor : all_) {
    const auto again = syntax::parseAdaptors(sources_.add("again", script::text(adaptor)), diagnostics_);
    ASSERT_EQ(again.size(), 1U) << diagnostics_.render(false);
    EXPECT_EQ(again.front(), adaptor);
  }
}

TEST_F(AdaptorLibrary, SolvesGoInTheirDirections) { // 10, 11
  for (const Solve &s : kSolves) {
    SCOPED_TRACE(s.name);
    EXPECT_THAT(outcome(solve(s), "reverse(i)"), HasSubstr("a value would be used before it is computed"));
    EXPECT_THAT(outcome(solve(s), "thread_grouping(Li)"),
                HasSubstr("each of its loops carries a dependence"));
    EXPECT_EQ(outcome(solve(s), kGroups + "binding_triangular(A, 0)"), "it applies");
  }
  EXPECT_EQ(outcome(solve(kSolves[0]), kGroups + kTiles + "binding_triangular(A, 0);" + kWritten),
            "it applies");
}

TEST_F(AdaptorLibrary, SolversAreRelativesOfTheProduct) {
  for (const Solve &s : {kSolves[0], kSolves[1], kSolves[7]}) {
    SCOPED_TRACE(s.name);
    const std::vector<std::string> scripts = kept(solve(s), kGroups, {"Solver(A)"});
    EXPECT_THAT(scripts, testing::Contains("(Lii, Ljj) = thread_grouping(Li, Lj; 8, 8); peel_triangular(A); "
                                           "binding_triangular(A, 0)"));
    EXPECT_THAT(scripts, testing::Contains("(Lii, Ljj) = thread_grouping(Li, Lj; 8, 8); peel_triangular(A); "
                                           "binding_triangular(A)"));
  }
}

TEST_F(AdaptorLibrary, SolversOfRulesHaveRectanglesThatTilesCut) {
  const std::vector<std::string> scripts = kept(kSolveWithLocal, kWholeScript, {"Solver(A)"});
  const std::string whole = "(Lii, Ljj) = thread_grouping(Li, Lj; 8, 8); binding_triangular(A, 0); "
                            "(Liii, Ljjj, Lkkk) = loop_tiling(Lii, Ljj, Lkk; 4, 4, 4); "
                            "loop_unroll(Ljjj, Lkkk)";
  EXPECT_THAT(scripts, testing::Contains(whole));
  EXPECT_EQ(outcome(kSolveWithLocal, kGroups + "fission(Lii, Ljj)"),
            "it applies"); // the last two parts stay together
  EXPECT_EQ(outcome(product("A[k, i]", "0 <= k < n"), kGroups + "binding_triangular(A)"),
            "no loop makes a triangle of `A`");
}

const char *const kBlur = R"(
kernel Blur [m, n]
  context m >= 0 and n >= 0
  buffer A double 2-d input
  buffer B double 2-d output
  S0[x, y]: B[x, y] = (x - 2 >= 0 ? A[-2 + x, y : x >= 2] : 1.0) + (x + 1 < n && y + 1 < m ? A[1 + x, 1 + y : x < n - 1 and y < m - 1] : 2.0)
    { S0[x, y] : 0 <= x < n and 0 <= y < m }
  schedule
    band y
      band x
)";

TEST_F(AdaptorLibrary, BordersOfStencilsHaveLoopsOfTheirOwn) {
  const kernel::Scheduled blur = texts_.kernel(kBlur);
  const compose::Composition made =
      composed(blur, "(yt, xt, yi, xi) = tile(y, x; 4, 4); vector(xi)", {"Halo(A)"});
  const auto all = compose::distinct(made);
  ASSERT_EQ(all.size(), 2U);
  agrees(blur, *all[1].second->kernel, "halo");
  const std::string text = kernel::print(*all[1].second->kernel);
  EXPECT_THAT(text, HasSubstr("S0_inner[x, y]: B[x, y] = A[-2 + x, y] + A[1 + x, 1 + y]\n"
                              "    { S0_inner[x, y] : 2 <= x <= -2 + n and 0 <= y <= -2 + m }\n"));
  EXPECT_THAT(all[1].second->omitted, IsEmpty()); // the rows inside are full, so that they are tiled
  EXPECT_EQ(outcome(product("A[k, i]", "0 <= k < n"), "peel_halo(A)"),
            "no read of `A` has a condition on its place");
  std::string diagonal = kBlur;
  diagonal.replace(diagonal.find("x - 2 >= 0"), 10, "x - y >= 0");
  EXPECT_EQ(outcome(diagonal, "peel_halo(A)"), "the border of `A` is not at the ends of its loops");
}

TEST_F(AdaptorLibrary, BandsHaveFullBlocks) {
  const std::string band = product("A[k, i]", "0 <= k < m and i - 5 <= k <= i + 4");
  EXPECT_EQ(kept(band, "(Lii, Ljj) = thread_grouping(Li, Lj; 4, 8)", {"Banded(A, 5, 4)"}).size(), 4U);
  EXPECT_EQ(outcome(band, "band_blocks(A, 4, 4)"),
            "`S0` reads cells of `A` outside of a band of 4 below the diagonal and 4 above it");
  EXPECT_EQ(outcome(band, "band_blocks(A, 5, 4)"), "it applies");
}

TEST_F(AdaptorLibrary, BatchesMoveInAndOut) {
  const std::string batch = R"(
kernel Batch [m, n]
  context m >= 0 and n >= 0
  buffer A double 2-d input
  buffer C double 2-d output
  S0[i, b, k]: C[b, i] += A[i + k, b]
    { S0[i, b, k] : 0 <= i < m and 0 <= b < n and 0 <= k < 3 }
  schedule
    band i
      band b
        band k
)";
  EXPECT_THAT(kept(batch, "", {"Batched(A)"}),
              testing::ElementsAre("", "batch(A, Outermost)", "batch(A, Innermost)"));
  EXPECT_EQ(outcome(batch, "batch(A, Outermost); batch(A, Outermost)"),
            "its loop over `b` is the outermost one already");
  EXPECT_EQ(outcome(solve(kSolves[0]), "batch(A, Outermost)"),
            "no loop goes along the last coordinate of `A`, step by step independently");
}

TEST_F(AdaptorLibrary, SumsHaveParts) {
  EXPECT_EQ(kept(product("A[k, i]", "0 <= k < n"), kGroups, {"SplitK(A, 4)"}).size(), 2U);
  EXPECT_EQ(outcome(product("A[j, i]", "0 <= k < 1", "="), "split_sum(A, 4)"),
            "no loop sums up over cells of `A`");
}

TEST_F(AdaptorLibrary, SumsAreMadeInPlace) {
  std::string rule = kSolveWithLocal;
  rule.replace(rule.find("* X[j, k]"), 9, "* B[j, k]");
  EXPECT_EQ(outcome(rule, "compute_in_place(X)"), "no variable of the body is stored unchanged in `X`");
  rule.replace(rule.find("s[i, j] * A[i, i]"), 17, "s[i, j]");
  const std::vector<std::string> scripts = kept(rule, kGroups + kTiles, {"InPlace(X)"});
  EXPECT_THAT(scripts, testing::Contains(AllOf(HasSubstr("compute_in_place(X)"), HasSubstr("loop_tiling"))));
}

/// A product with a symmetric matrix of which one half is stored: its cells, and those that mirror them.
const char *const kHalves = R"(
kernel Symm [m, n]
  context m >= 0 and n >= 0
  buffer A double 2-d input
  buffer B double 2-d input
  buffer C double 2-d output
  S1[i, j, k]: C[j, i] += A[k, i] * B[j, k]
    { S1[i, j, k] : 0 <= i < m and 0 <= j < n and 0 <= k <= i }
  S2[i, j, k]: C[j, i] += A[i, k] * B[j, k]
    { S2[i, j, k] : 0 <= i < m and 0 <= j < n and i < k < m }
  schedule
    band i
      band j
        sequence
          S1
            band k
          S2
            band k
)";

TEST_F(AdaptorLibrary, ThePapersBestScriptsRun) { // 1, 6, 7
  const std::string rest = "SM_alloc(B, Transpose); reg_alloc(C)", base = kWholeScript + rest;
  EXPECT_EQ(outcome(product("A[k, i]", "0 <= k < n"), base), "it applies");
  EXPECT_EQ(outcome(product("A[i, k]", "0 <= k < n"), "GM_map(A, Transpose);" + base), "it applies");
  EXPECT_EQ(outcome(product("A[k, i]", "0 <= k <= i"),
                    kGroups + kTiles + "padding_triangular(A);" + kWritten + rest),
            "it applies");
  // One half is stored; what the memory of the other half contains is not used.
  EXPECT_EQ(outcome(kHalves, "GM_map(A, Symmetry); format_iteration(A, Symmetry);" + base), "it applies");
}

/// The least steps with which each component applies, of whole loops, of a triangle, of a solve and of both halves of a symmetric matrix. Kernels run for several sizes, 0 and 1 and some that
/// are no multiples of tiles among them.
TEST_F(AdaptorLibrary, EachComponentAloneComputesTheSame) { // 6
  const std::map<std::string, std::string> kernels{{"whole", product("A[k, i]", "0 <= k < n")},
                                                   {"triangle", product("A[k, i]", "0 <= k <= i")},
                                                   {"solve", solve(kSolves[0])},
                                                   {"symmetric", kHalves}};
  const struct {
    const char *kernel, *steps;
  } all[] = {
      {"whole", "thread_grouping(Li, Lj; 8, 4)"},
      {"whole", "loop_tiling(Li, Lj, Lk; 4, 2, 8)"},
      {"whole", "loop_tiling(Li; 1)"},
      {"whole", "(i1, j1) = loop_tiling(Li, Lj; 4, 2); loop_unroll(j1)"},
      {"whole", "GM_map(A, NoChange)"},
      {"whole", "GM_map(A, Transpose)"},
      {"whole", "loop_tiling(Li, Lj, Lk; 4, 4, 4); SM_alloc(B, NoChange)"},
      {"whole", "loop_tiling(Li, Lj, Lk; 4, 4, 4); SM_alloc(B, Transpose)"},
      {"whole", "(i1, j1, k1) = loop_tiling(Li, Lj, Lk; 4, 4, 4); loop_unroll(j1, k1); reg_alloc(C)"},
      {"triangle", "thread_grouping(Li, Lj; 8, 8)"},
      {"triangle", "loop_tiling(Li, Lj; 4, 4)"},
      {"triangle", "loop_tiling(Li, Lj; 4, 4); peel_triangular(A)"},
      {"triangle", "thread_grouping(Li; 8); peel_triangular(A)"},
      {"triangle", "loop_tiling(Li, Lj; 4, 4); padding_triangular(A)"},
      {"triangle", "thread_grouping(Li; 16); padding_triangular(A)"},
      {"solve", "thread_grouping(Li, Lj; 8, 8); binding_triangular(A, 0)"},
      {"solve", "thread_grouping(Li, Lj; 8, 8); binding_triangular(A)"},
      {"symmetric", "GM_map(A, Symmetry)"},
      {"symmetric", "GM_map(A, Symmetry); format_iteration(A, Symmetry)"},
      {"symmetric", "(k) = fuse(k, k2); loop_tiling(Li, Lj, Lk; 4, 4, 4); SM_alloc(A, Symmetry)"},
      {"symmetric", "(k) = fuse(k, k2); loop_tiling(Li, Lj, Lk; 4, 2, 8); SM_alloc(A, Symmetry)"},
  };
  for (const auto &[kernel, steps] : all)
    EXPECT_EQ(outcome(kernels.at(kernel), steps), "it applies") << kernel << ": " << steps;
}

TEST_F(AdaptorLibrary, UnrolledLoopsAreNotPeeled) { // 11
  EXPECT_THAT(outcome(product("A[k, i]", "0 <= k <= i"),
                      "(ii) = thread_grouping(Li; 8); scalar(k); peel_triangular(A)"),
              HasSubstr("is realised already"));
}

TEST_F(AdaptorLibrary, PaddingComputesAsMuchAsTheFormulaSays) { // 8, 13
  for (const long tile : {4L, 16L}) {
    const kernel::Scheduled before = texts_.kernel(product("A[k, i]", "0 <= k <= i"));
    const auto made = kernel::run(script(fmt::format("thread_grouping(Li; {}); padding_triangular(A)", tile)),
                                  before, kernel::Mode::Strict);
    ASSERT_THAT(made.failed, IsEmpty());
    const auto points = [](const kernel::Scheduled &k) {
      for (const kernel::Statement &s : k.statements)
        if (s.name == "S0") {
          const isl::set sizes(k.context.ctx(), "[m, n] -> { : m = 64 and n = 1 }");
          const isl::val count = isl::manage(isl_set_count_val(s.domain.intersect_params(sizes).get()));
          return static_cast<double>(count.num_si());
        }
      return 0.0;
    };
    EXPECT_NEAR(points(made.kernel) / points(before) - 1, static_cast<double>(tile - 1) / (64 + 1), 1e-12);
    // Not a product with the blank half, which may contain anything, but what leaves the sum as it is.
    EXPECT_THAT(kernel::print(made.kernel), HasSubstr(" : (-0.0)"));
  }
}

} // namespace
