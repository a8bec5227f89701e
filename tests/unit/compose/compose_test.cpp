// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Adaptors and the composer: the paper's scripts and adaptors, the counts and the table of optimisation-scripts 5 and 10 (1 to 5).
#include "compiler/compose/compose.h"
#include "compiler/compose/mixer.h"
#include "compiler/compose/placements.h"
#include "compiler/compose/report.h"
#include "compiler/kernel/print.h"
#include "compiler/source/diagnostics.h"
#include "compiler/syntax/parse.h"
#include "tests/unit/transform/textual.h"
#include <gmock/gmock.h>

using namespace pbc;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

const std::string kGroup = "(Lii, Ljj) = thread_grouping(Li, Lj);\n",
                  kTile = "(Liii, Ljjj, Lkkk) = loop_tiling(Lii, Ljj, Lkk);\n",
                  kUnroll = "loop_unroll(Ljjj, Lkkk);\n", kBase = kGroup + kTile + kUnroll;

struct Reader {
  source::SourceManager sources;
  source::Diagnostics diagnostics{sources};

  script::Script script(const std::string &text) {
    const auto read = syntax::parseScript(sources.add("script", text), diagnostics);
    EXPECT_TRUE(read) << diagnostics.render(false);
    return read.value_or(script::Script{});
  }
  std::vector<script::Adaptor> adaptors(const std::string &text) {
    return syntax::parseAdaptors(sources.add("adaptors", text), diagnostics);
  }
  compose::Adapted adapted(const std::string &adaptor, const std::string &use) {
    const auto all = adaptors(adaptor);
    const auto read = syntax::parseAdaptation(sources.add("use", use), diagnostics);
    EXPECT_TRUE(read && all.size() == 1) << diagnostics.render(false);
    return {*read, script::instantiated(all.front(), read->arguments)};
  }
};

const char *kAdaptors = R"(adaptor Transpose(X):
  | GM_map(X, Transpose);
  | SM_alloc(X, Transpose);
adaptor Symmetry(X):
  | GM_map(X, Symmetry); format_iteration(X, Symmetry);
  | format_iteration(X, Symmetry); SM_alloc(X, Symmetry);
adaptor Triangular(X):
  | peel_triangular(X);
  | padding_triangular(X); {cond(blank(X).zero = true)}
adaptor Solver(X):
  | peel_triangular(X); binding_triangular(X, 0);
)";
const char *kTriangular =
    "adaptor Triangular(X): | peel_triangular(X); | padding_triangular(X); {cond(blank(X).zero = true)}";

TEST(Adaptors, ThePapersArePrintedAsTheyAreRead) { // 1
  Reader r;
  std::string printed;
  for (const script::Adaptor &adaptor : r.adaptors(kAdaptors))
    printed += script::text(adaptor);
  EXPECT_EQ(printed, kAdaptors) << r.diagnostics.render(false);
}

TEST(Adaptors, ThePapersScriptsArePrintedAsTheyAreRead) { // 1
  for (const std::string &more :
       {"", "GM_map(A, Transpose);\n", "GM_map(A, Symmetry);\nformat_iteration(A, Symmetry);\n"}) {
    Reader r;
    const std::string text = more + kBase + "SM_alloc(B, Transpose);\nreg_alloc(C);\n";
    EXPECT_EQ(script::text(r.script(text)), text);
  }
  for (const std::string &between : {"padding_triangular(A);\n", "binding_triangular(A, 0);\n"}) {
    Reader r;
    const std::string text = kGroup + kTile + between + kUnroll + "SM_alloc(B, Transpose);\nreg_alloc(C);\n";
    EXPECT_EQ(script::text(r.script(text)), text);
  }
}

TEST(Adaptors, ArgumentsTakeThePlaceOfParameters) {
  Reader r;
  const compose::Adapted made = r.adapted(
      "adaptor Cut(X, n): tile(x; n); stage(X, at = xt); {cond(isSmall(X))} | tile(n);", "Cut(A, 32)");
  EXPECT_EQ(script::text(made.rules[0]), "tile(x; 32); stage(A; at = xt); {cond(isSmall(A))}");
}

TEST(Adaptors, ErrorsSayWhatAndWhere) {
  const auto messages = [](const std::string &text) {
    Reader r;
    r.adaptors(text);
    return r.diagnostics.render(false);
  };
  EXPECT_THAT(messages("adaptor T(X): | peel_triangular(X)"), HasSubstr("adaptors:1:35: error: "));
  EXPECT_THAT(messages("adaptor T(X): | {cond(blank(X).full = true)}"),
              HasSubstr("this is no condition of an adaptor"));
  EXPECT_THAT(messages("adaptor T(X): | {cond(small(Y))}"),
              HasSubstr("a condition is about the matrix of its adaptor, `X`"));
  EXPECT_THAT(messages("peel_triangular(X);"), HasSubstr("error: "));
  Reader r; // what follows an error is read
  EXPECT_EQ(r.adaptors("adaptor T(X): | (; adaptor U(X): | reg_alloc(X);").size(), 1U);
}

std::size_t countOf(const std::string &rule) {
  Reader r;
  return compose::mixed(r.script(kBase), compose::split(r.script(rule)).ordered).size();
}

TEST(Mixer, CountsAreTheSpecifications) { // 2: Transpose 3, Symmetry 9, Triangular 9, Solver 11
  EXPECT_EQ(countOf(""), 1U);
  EXPECT_EQ(countOf("GM_map(A, Transpose)") + countOf("SM_alloc(A, Transpose)"), 2U);
  EXPECT_EQ(countOf("GM_map(A, NoChange); peel_triangular(A)") +
                countOf("peel_triangular(A); SM_alloc(A, NoChange)"),
            8U);
  EXPECT_EQ(countOf("peel_triangular(A)") + countOf("padding_triangular(A)"), 8U);
  EXPECT_EQ(countOf("peel_triangular(A); loop_unroll(Li)"), 10U);
}

TEST(Mixer, BothOrdersAreKeptAndMapsComeFirst) { // 2, 4
  Reader r;
  const auto all = compose::mixed(r.script("thread_grouping(Li); loop_tiling(Lj)"),
                                  r.script("GM_map(A, NoChange); peel_triangular(A)"));
  std::vector<std::string> lines;
  for (const script::Script &one : all)
    lines.push_back(script::line(one));
  const std::string g = "GM_map(A, NoChange); ", p = "peel_triangular(A)", t = "thread_grouping(Li)",
                    l = "loop_tiling(Lj)";
  EXPECT_THAT(lines, ElementsAre(g + p + "; " + t + "; " + l, g + t + "; " + p + "; " + l,
                                 g + t + "; " + l + "; " + p));
}

std::string joinedText(const std::string &base, const std::string &added) {
  Reader r;
  const compose::PlacementOutcome made = compose::joined(r.script(base), r.script(added));
  return made.why.empty() ? script::line(made.steps) : made.why;
}

TEST(Placements, AreThoseOfTheSpecification) { // 5
  EXPECT_EQ(joinedText("SM_alloc(B, Transpose); reg_alloc(C)", "SM_alloc(A, Transpose)"),
            "SM_alloc(B, Transpose); reg_alloc(C); SM_alloc(A, Transpose)");
  EXPECT_EQ(joinedText("SM_alloc(B, Transpose)", "SM_alloc(B, Transpose)"), "SM_alloc(B, NoChange)");
  EXPECT_EQ(joinedText("SM_alloc(B, NoChange)", "SM_alloc(B, Transpose)"), "SM_alloc(B, Transpose)");
  EXPECT_EQ(joinedText("stage(B; at = kt)", "SM_alloc(B, Transpose)"),
            "stage(B; at = kt, layout = transposed)");
  EXPECT_EQ(joinedText("reg_alloc(C)", "SM_alloc(C, NoChange)"),
            "`C` would be in the memory of a tile and in registers");
  EXPECT_EQ(joinedText("reg_alloc(C)", "reg_alloc(C)"), "reg_alloc(C)");
}

const char *kTrmm = R"(
kernel Trmm [m, n] may reassociate
  context m >= 0 and n >= 0
  buffer A float 2-d input
  buffer B float 2-d input
  buffer C float 2-d output
  S0[i, j, k]: C[j, i] += A[k, i] * B[j, k]
    { S0[i, j, k] : 0 <= i < m and 0 <= j < n and 0 <= k <= i }
  schedule
    band i
      band j
        band k
)";

/// The steps that a sequence kept, by their initials: T thread_grouping, L loop_tiling, U loop_unroll, p peel, P padding.
std::string initials(const script::Script &script) {
  std::string all;
  for (const script::Step &step : script)
    all += step.transformation == "thread_grouping"   ? 'T'
           : step.transformation == "loop_tiling"     ? 'L'
           : step.transformation == "loop_unroll"     ? 'U'
           : step.transformation == "peel_triangular" ? 'p'
                                                      : 'P';
  return all;
}

TEST(Composer, NineSequencesMakeSevenKernels) { // 3: the table, strictly
  kernel::Texts t;
  Reader r;
  const compose::CompositionOutcome made =
      compose::compose(t.kernel(kTrmm), r.script(kBase), {r.adapted(kTriangular, "Triangular(A)")});
  ASSERT_TRUE(made.composition) << made.why;
  std::vector<std::string> kept;
  std::vector<int> same;
  for (const compose::Variant &variant : made.composition->variants)
    for (const compose::Sequence &sequence : variant.sequences) {
      kept.push_back(initials(sequence.kept));
      same.push_back(sequence.sameAs);
    }
  EXPECT_THAT(kept, ElementsAre("TL", "TL", "TpLU", "TLpU", "TLp", "TL", "TPLU", "TLPU", "TLP"));
  EXPECT_THAT(same, ElementsAre(-1, 0, -1, -1, -1, 0, -1, -1, -1));
  EXPECT_EQ(compose::distinct(*made.composition).size(), 7U);
  EXPECT_EQ(made.composition->variants[2].conditions.size(), 1U);
  const compose::Variant &peeled = made.composition->variants[1];
  ASSERT_EQ(peeled.sequences.front().omitted.size(), 2U);
  EXPECT_EQ(peeled.sequences.front().omitted[0].problem.what, "the triangle of `A` is in no tile");
  EXPECT_THAT(peeled.sequences.front().omitted[1].problem.what, HasSubstr("its loops are no rectangle"));
}

TEST(Composer, CopiesAreMadeWhereTheyApply) {
  kernel::Texts t;
  Reader r;
  const kernel::Scheduled gemm = t.kernel(R"(
kernel Gemm [m, n, q]
  context m >= 0 and n >= 0 and q >= 0
  buffer A float 2-d input
  buffer B float 2-d input
  buffer C float 2-d output
  S0[i, j, k]: C[j, i] += A[k, i] * B[j, k]
    { S0[i, j, k] : 0 <= i < m and 0 <= j < n and 0 <= k < q }
  schedule
    band i
      band j
        band k
)");
  const std::vector<compose::Adapted> transposed{
      r.adapted("adaptor Transpose(X): | GM_map(X, Transpose); | SM_alloc(X, Transpose);", "Transpose(A)")};
  const auto made =
      compose::compose(gemm, r.script(kBase + "SM_alloc(B, Transpose); reg_alloc(C)"), transposed);
  ASSERT_TRUE(made.composition);
  ASSERT_EQ(made.composition->variants.size(), 3U);
  std::vector<std::string> kept;
  for (const auto &[variant, sequence] : compose::distinct(*made.composition))
    kept.push_back(script::line(script::Script(sequence->kept.begin() + 2, sequence->kept.end())));
  EXPECT_THAT(
      kept,
      ElementsAre("SM_alloc(B, Transpose); reg_alloc(C); loop_unroll(Ljjj, Lkkk)",
                  "(Liii, Ljjj, Lkkk) = loop_tiling(Lii, Ljj, Lkk); SM_alloc(B, Transpose); reg_alloc(C); "
                  "loop_unroll(Ljjj, Lkkk)",
                  "SM_alloc(B, Transpose); reg_alloc(C); SM_alloc(A, Transpose); loop_unroll(Ljjj, Lkkk)"));
  EXPECT_EQ(compose::provenance("gemm", made.composition->variants[1], transposed),
            "gemm + Transpose(A) rule 2");
}

/// A product with a symmetric matrix of which one half is stored: its cells, and those that mirror them.
const char *const kSymmetric = R"(
kernel Symm [m, n]
  context m >= 0 and n >= 0
  buffer A float 2-d input
  buffer B float 2-d input
  buffer C float 2-d output
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

TEST(Composer, SymmetricMatricesBecomeWhole) {
  kernel::Texts t;
  Reader r;
  const kernel::Scheduled symm = t.kernel(kSymmetric);
  const std::vector<compose::Adapted> symmetric{
      r.adapted("adaptor Symmetry(X): | GM_map(X, Symmetry); format_iteration(X, Symmetry);", "Symmetry(A)")};
  const auto made = compose::compose(symm, r.script("(Lii, Ljj) = thread_grouping(Li, Lj)"), symmetric);
  ASSERT_TRUE(made.composition);
  const std::vector<compose::Sequence> &whole = made.composition->variants.at(1).sequences;
  ASSERT_EQ(whole.size(), 2U); // format_iteration in front of the tiles, or behind them
  EXPECT_EQ(script::line(whole[0].kept),
            "GM_map(A, Symmetry); format_iteration(A, Symmetry); (Lii, Ljj) = thread_grouping(Li, Lj)");
  const std::string text = kernel::print(*whole[0].kernel);
  EXPECT_THAT(text, HasSubstr("C[j, i] += A_map[k, i] * B[j, k]"));
  EXPECT_THAT(text, HasSubstr("and 0 <= k < m"));
  EXPECT_THAT(text, HasSubstr("A_copy_mirrored[A0, A1] of rule -1: A_map[A0, A1] = A[A1, A0]\n    { "
                              "A_copy_mirrored[A0, A1] : n > 0 and A0 < m and 0 <= A1 < A0 }"));
  EXPECT_THAT(text, Not(HasSubstr("S2")));
}

/// For devices the copy stands in front of `strips`, which completes its strips; the loops are those of the plain product then.
TEST(Composer, GroupsCopyBothHalvesInStrips) {
  kernel::Texts t;
  Reader r;
  std::string text(kSymmetric);
  for (const char *statement : {"S1[i, j, k]:", "S2[i, j, k]:"})
    text.replace(text.find(statement) + 7, 1, ";"); // `k` is a loop of the body
  kernel::Scheduled symm = t.kernel(text);
  symm.schedule.target = kernel::Target::Device;
  const std::vector<compose::Adapted> symmetric{r.adapted(
      "adaptor Symmetry(X): | format_iteration(X, Symmetry); SM_alloc(X, Symmetry);", "Symmetry(A)")};
  const auto made = compose::compose(
      symm, r.script("items(; each = block); strips(; 16, buffers = 2); full_strips()"), symmetric);
  ASSERT_TRUE(made.composition);
  const compose::Sequence &first = made.composition->variants.at(1).sequences.front();
  EXPECT_EQ(script::line(first.kept),
            "items(each = block); SM_alloc(A, Symmetry); strips(; 16, buffers = 2); full_strips()");
  EXPECT_THAT(kernel::print(*first.kernel), HasSubstr("symmetric lower"));
  EXPECT_EQ(compose::distinct(*made.composition).size(), 2U) << "with two loops, and with one";
}

TEST(Composer, TasksMakeCopiesOfTheirOwn) {
  Reader r;
  std::vector<std::string> all;
  for (const script::Script &one : compose::mixed(r.script("tasks(y); tile(y, x; 8, 8)"),
                                                  r.script("GM_map(A, Transpose); peel_triangular(A)")))
    all.push_back(script::line(one));
  EXPECT_THAT(all, ElementsAre("tasks(y); GM_map(A, Transpose); peel_triangular(A); tile(y, x; 8, 8)",
                               "tasks(y); GM_map(A, Transpose); tile(y, x; 8, 8); peel_triangular(A)"));
}

TEST(Composer, KernelsWithTheSameLoopsDifferInTheirTasks) {
  kernel::Texts t;
  const kernel::Scheduled start = kernel::withLabels(t.kernel(kSymmetric));
  const auto small = t.run(start, "tasks(i; 8)"), large = t.run(start, "tasks(i; 64)");
  ASSERT_TRUE(small && large);
  EXPECT_EQ(compose::keyOf(*small), compose::keyOf(*large));
  EXPECT_NE(compose::wholeKeyOf(*small), compose::wholeKeyOf(*large));
  kernel::Scheduled plain = *small;
  plain.schedule.plain = small->schedule.tree;
  EXPECT_EQ(compose::wholeKeyOf(*small), compose::wholeKeyOf(plain)) << "which is used if there is none, too";
  const auto other = t.run(start, "order(j, i)");
  ASSERT_TRUE(other);
  plain.schedule.plain = other->schedule.tree;
  EXPECT_NE(compose::wholeKeyOf(*small), compose::wholeKeyOf(plain));
}

TEST(Composer, LoopsOverHalvesAreNotJoinedWithoutACopy) { // 11
  kernel::Texts t;
  Reader r;
  const auto step = r.script("format_iteration(A, Symmetry)");
  EXPECT_EQ(kernel::run(step.front(), kernel::withLabels(t.kernel(kSymmetric))).problem.what,
            "they access other cells of `A`");
}

} // namespace
