// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Nothing that a schedule asks for is dropped in silence: what a loop is to be realised as is in the lowered tree, or in the
// list of what was left, with a reason.
#include "compiler/kernel/loops.h"
#include "compiler/kernel/policy/processor.h"
#include "compiler/loop/build.h"
#include "compiler/loop/lower/lower.h"
#include "compiler/loop/print.h"
#include "compiler/loop/verify.h"
#include "compiler/loop/walk.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/support.h"
#include <gmock/gmock.h>

namespace pbc::loop {
namespace {

namespace as = kernel::as;
namespace programs = kernel::programs;

constexpr const char *kBand = R"(
transform Band from A[n, n] to B[n, n] {
  B.cell(x, y) from(A.cell(x, y) a) where x <= y { return 2 * a; }
  secondary B.cell(x, y) from() { return 0; }
}
)";
constexpr const char *kPrograms[] = {programs::kAdd,           programs::kConvolve3,
                                     programs::kConvolve7,     programs::kConvolveRuntime,
                                     programs::kMatrixProduct, kBand};

/// How often the tree shows that a realisation was carried out.
struct Evidence : Visitor {
  kernel::Realisation how;
  int found = 0;
  explicit Evidence(kernel::Realisation how) : how(how) {}

  void node(const NodePtr &n) override {
    found += std::visit([&](const auto &kind) { return shows(kind, n); }, how);
    Visitor::node(n);
  }

  static bool shows(const as::Scalar &, const NodePtr &n) { return hint(n).vectors == Hint::Vectors::Never; }
  static bool shows(const as::Rolled &, const NodePtr &n) {
    return hint(n).vectors == Hint::Vectors::Never && hint(n).unrolling == Hint::Unrolling::Never;
  }
  static bool shows(const as::Vector &v, const NodePtr &n) {
    return hint(n).vectors == Hint::Vectors::Always && hint(n).interleave == v.interleave;
  }
  static bool shows(const as::Unroll &, const NodePtr &n) {
    return hint(n).unrolling == Hint::Unrolling::Fully;
  }
  static bool shows(const as::Jam &j, const NodePtr &n) {
    const Let *row = loop::as<Let>(n);
    return row && row->variables.front().name == "row" + std::to_string(j.rows - 1);
  }
  static bool shows(const as::Lanes &, const NodePtr &n) {
    const For *lanes = loop::as<For>(n);
    return lanes && lanes->iterator == "pb__l";
  }
  static bool shows(const as::Registers &, const NodePtr &n) { return loop::as<BlockOfPoints>(n); }
  static bool shows(const as::Item &i, const NodePtr &n) {
    const Parallel *items = loop::as<Parallel>(n);
    return items && items->over == Parallel::Over::Launch && items->axis == i.axis;
  }
  static bool shows(const as::Rounds &, const NodePtr &n) {
    const For *rounds = loop::as<For>(n);
    return rounds && rounds->iterator == "round";
  }
  static bool shows(const as::Team &, const NodePtr &n) {
    const For *half = loop::as<For>(n);
    return half && half->iterator == "width";
  }
  static Hint hint(const NodePtr &n) {
    const For *loop = loop::as<For>(n);
    return loop ? loop->hint : Hint{};
  }
};

int count(const Lowered &lowered, const kernel::Realisation &how) {
  Evidence evidence(how);
  evidence.node(lowered.body);
  return evidence.found;
}

Nest nestOf(const kernel::Scheduled &kernel) { return build(kernel, generate(kernel)); }

std::string textOf(const Left &l) { return kernel::text(l.how) + ": " + words(l.why); }

struct LoopRealisation : testing::TestWithParam<const char *> {
  kernel::Lifted lifted{GetParam()};
  kernel::Scheduled labelled() {
    kernel::Scheduled kernel = lifted.kernel();
    kernel.schedule.tree = kernel::labelled(kernel, kernel.schedule.tree);
    return kernel;
  }
};
INSTANTIATE_TEST_SUITE_P(All, LoopRealisation, testing::ValuesIn(kPrograms));

// Whatever loop gets whatever realisation, legal or not: it is carried out or left, and never both.
TEST_P(LoopRealisation, IsCarriedOutOrLeft) {
  const kernel::Scheduled kernel = labelled();
  const std::vector<kernel::Realisation> all = {as::Scalar{}, as::Rolled{}, as::Vector{},  as::Vector{2},
                                                as::Jam{2},   as::Unroll{}, as::Lanes{16}, as::Registers{}};
  for (const std::string &label : kernel::labelsOf(kernel.schedule.tree))
    for (const kernel::Realisation &how : all)
      for (const bool unitStride : {true, false}) {
        kernel::Scheduled asked = kernel;
        asked.schedule.tree = kernel::realised(kernel.schedule.tree, label, how);
        const Nest nest = nestOf(asked);
        EXPECT_EQ(problem(nest.body, Stage::Built), std::nullopt) << text(nest);
        const Lowered lowered = lower(nest, {.unitStride = unitStride});
        EXPECT_EQ(problem(lowered.body, Stage::Lowered), std::nullopt) << text(nest, lowered.body);
        std::string left;
        for (const Left &l : lowered.left)
          left += textOf(l) + "\n";
        EXPECT_NE(count(lowered, how) > 0, !left.empty()) << label << " as " << kernel::text(how) << "\n"
                                                          << left << text(nest, lowered.body);
      }
}

// Two realisations, one inside the other: the inner one discards nothing of the outer one in silence.
TEST_P(LoopRealisation, InsideAnotherOne) {
  const kernel::Scheduled kernel = labelled();
  const std::vector<kernel::LoopNode> loops = kernel::loopsOf(kernel.schedule.tree);
  const std::vector<kernel::Realisation> all = {as::Scalar{}, as::Vector{2}, as::Jam{2}, as::Lanes{16},
                                                as::Registers{}};
  for (std::size_t outer = 0; outer < loops.size(); ++outer)
    for (std::size_t inner = outer + 1; inner < loops.size(); ++inner)
      for (const kernel::Realisation &one : all)
        for (const kernel::Realisation &other : all) {
          if (one == other)
            continue;
          kernel::Scheduled asked = kernel;
          asked.schedule.tree = kernel::realised(kernel.schedule.tree, loops[outer].label, one);
          asked.schedule.tree = kernel::realised(asked.schedule.tree, loops[inner].label, other);
          const Lowered lowered = lower(nestOf(asked), {});
          for (const kernel::Realisation &how : {one, other}) {
            const bool isLeft = std::any_of(lowered.left.begin(), lowered.left.end(),
                                            [&](const Left &l) { return l.how == how; });
            EXPECT_TRUE(isLeft || count(lowered, how) > 0)
                << kernel::text(one) << " around " << kernel::text(other) << ": " << kernel::text(how);
          }
        }
}

// The default asks only for what its loops can have.
TEST_P(LoopRealisation, OfTheDefaultIsCarriedOut) {
  const kernel::Planned made = kernel::defaultSchedule(lifted.kernel());
  const Lowered lowered = lower(nestOf(made.kernel), {});
  for (const Left &l : lowered.left)
    EXPECT_TRUE(isExpected(l.why)) << textOf(l);
  EXPECT_EQ(problem(lowered.body, Stage::Lowered), std::nullopt);
}

TEST(LoopRealisationOfBlocks, OfAProduct) {
  kernel::Lifted lifted(programs::kMatrixProduct);
  const kernel::Scheduled kernel = kernel::defaultSchedule(lifted.kernel()).kernel;
  EXPECT_EQ(count(lower(nestOf(kernel), {}), as::Registers{}), 1);
  const Lowered general = lower(nestOf(kernel), {.unitStride = false});
  EXPECT_EQ(count(general, as::Registers{}), 0);
  ASSERT_EQ(general.left.size(), 1u);
  EXPECT_EQ(general.left.front().why, Left::Why::GeneralStrides);
}

// Rows of a transposed view lie side by side: groups of them share lines of memory.
TEST(LoopRealisationOfLanes, RowsInGeneralStrides) {
  kernel::Lifted lifted(R"(
transform TimesVector from A[w, h], X[w] to Y[h] {
  Y.cell(i) from(A.row(i) a, X x) { double s = 0; for (int k = 0; k < w; ++k) s += a.cell(k) * x.cell(k); return s; }
}
)");
  const kernel::Scheduled kernel = kernel::defaultSchedule(lifted.kernel()).kernel;
  const kernel::Realisation rows = as::Lanes{8};
  EXPECT_GT(count(lower(nestOf(kernel), {}), rows), 0);
  const Lowered general = lower(nestOf(kernel), {.unitStride = false});
  EXPECT_GT(count(general, rows), 0);
  EXPECT_TRUE(general.left.empty());
  EXPECT_EQ(count(lower(nestOf(kernel), {.unitStride = false, .isDevice = true}), rows), 0);
}

} // namespace
} // namespace pbc::loop
