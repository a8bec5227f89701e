// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies with both halves of a symmetric matrix in the memory of groups: the loops that result, and what is refused. Results are compared by
// tests/stdlib/blas3_variants.py.
#include "compiler/emit/kernel/nest.h"
#include "compiler/kernel/mirrored.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/verify.h"
#include "compiler/loop/print.h"
#include "tests/unit/transform/textual.h"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <isl/set.h>

using namespace pbc::kernel;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// A product with a symmetric matrix: a loop for the cells up to the diagonal, and one for those behind it.
std::string symmetricProduct(const std::string &first, const std::string &second, const std::string &other) {
  return fmt::format(R"(kernel Symmetric [m, n]
  context m >= 0 and n >= 0
  buffer s float 2-d local
  buffer A float 2-d input
  buffer B float 2-d input
  buffer C float 2-d output
  S0[x, y]: s[x, y] = 0.0f
    {{ S0[x, y] : 0 <= x < m and 0 <= y < n }}
  S1[x, y; k]: s[x, y] += {0} * {2}
    {{ S1[x, y, k] : 0 <= x < m and 0 <= y < n and 0 <= k <= y }}
  S2[x, y; k]: s[x, y] += {1} * {2}
    {{ S2[x, y, k] : 0 <= x < m and 0 <= y < n and y < k < n }}
  S3[x, y]: C[x, y] = s[x, y]
    {{ S3[x, y] : 0 <= x < m and 0 <= y < n }}
  schedule
    band y
      band x
        alloc:s
          sequence
            S0
            S1
              band k
            S2
              band k
            S3
)",
                     first, second, other);
}
const std::string kLower = symmetricProduct("A[k, y]", "A[y, k]", "B[x, k]"),
                  kUpper = symmetricProduct("A[y, k]", "A[k, y]", "B[x, k]");

constexpr const char *kBlocks = "items(; each = block); ";

std::string loweredLoops(const Scheduled &kernel) {
  const std::string loops = pbc::emit::loopsText(kernel);
  return loops.substr(loops.find("lowered"));
}

} // namespace

/// Both loops become one, as that of the plain product, and the copy knows which half is stored.
TEST(SymmetricCopies, HaveBothHalves) {
  Texts t;
  for (const auto &[kernel, half] : {std::pair(kLower, "lower"), std::pair(kUpper, "upper")}) {
    const std::optional<Scheduled> k =
        t.run(t.kernel(kernel), std::string(kBlocks) + "SM_alloc(A, Symmetry); strips(; 16, buffers = 2)");
    ASSERT_TRUE(k);
    EXPECT_THAT(verify(*k), IsEmpty());
    EXPECT_EQ(countOf(print(*k), "fill A_group from A["), 1U);
    const std::string copy = fmt::format("fill A_group from A[kt, pb__first1], symmetric {}\n", half);
    EXPECT_THAT(print(*k), HasSubstr(copy));
    EXPECT_THAT(print(t.kernel(print(*k))), HasSubstr(copy)) << "the text is read back";
    const std::string loops = scheduledLoops(*k);
    EXPECT_THAT(loops, HasSubstr(fmt::format("fill A_group from A[first1, c0], symmetric {}", half)));
    EXPECT_EQ(countOf(loops, "for c0 = 0; c0 < n; step 16"), 1U) << loops;
    EXPECT_EQ(countOf(loops, "s +="), 1U) << loops;
  }
}

/// Neighbours copy along rows of the matrix on either side of the diagonal, those across it 16 bytes at once, as they lie in the memory. On
/// the diagonal, where few boxes are, each cell asks on which side it is.
TEST(SymmetricCopies, ReadBothSidesAlongRows) {
  Texts t;
  const struct {
    std::string kernel, inside, outside, isStored, isAcross;
  } all[] = {{kLower, "if c0 + 16 - 1 <= first1\n", "if first1 + (PB_G1 * PB_C1) - 1 < c0\n",
              "if from0 + at0 <= from1 + at1\n", "if from0 + at0 < from1 + at1\n"},
             {kUpper, "if first1 + (PB_G1 * PB_C1) - 1 <= c0\n", "if c0 + 16 - 1 < first1\n",
              "if from1 + at1 <= from0 + at0\n", "if from1 + at1 < from0 + at0\n"}};
  for (const auto &half : all) {
    const std::optional<Scheduled> k =
        t.run(t.kernel(half.kernel), std::string(kBlocks) + "SM_alloc(A, Symmetry)");
    ASSERT_TRUE(k);
    const std::string lowered = loweredLoops(*k);
    EXPECT_THAT(lowered, HasSubstr(half.inside));
    EXPECT_THAT(lowered, HasSubstr(half.outside));
    EXPECT_EQ(countOf(lowered, half.isStored), 1U) << lowered;
    EXPECT_EQ(countOf(lowered, half.isAcross), 1U) << lowered;
    EXPECT_EQ(countOf(lowered, "A_group[row + (q1 * rows), column + (q0 * width)] = A["), 2U) << lowered;
    EXPECT_EQ(countOf(lowered, "A_group[column + (q0 * width), row + (q1 * rows)] = A["), 2U) << lowered;
    EXPECT_EQ(countOf(lowered, "A_group[column * 4 + (q0 * width * 4), row + (q1 * rows)] = A["), 1U);
  }
}

/// What groups copy of other matrices goes into the strips that are there, with as many buffers.
TEST(SymmetricCopies, OthersAreCopiedInTheSameStrips) {
  Texts t;
  const Scheduled start = t.kernel(kLower);
  const std::string both = std::string(kBlocks) + "SM_alloc(A, Symmetry)";
  for (const char *strips : {"strips(; 8, buffers = 2)", "strips(k; 16, buffers = 2)"}) {
    const std::optional<Scheduled> k = t.run(start, both + "; " + strips);
    ASSERT_TRUE(k) << strips;
    EXPECT_THAT(verify(*k), IsEmpty());
    EXPECT_EQ(countOf(print(*k), "buffers 2"), 2U) << print(*k);
    EXPECT_EQ(countOf(loweredLoops(*k), "barrier"), 1U);
    EXPECT_THAT(scheduledLoops(*k), HasSubstr("fill B_group from B[first0, c0]"));
  }
  EXPECT_THAT(t.after(start, both + "; strips(); strips()"), HasSubstr("refused"))
      << "nothing is left to copy";
  EXPECT_THAT(t.after(start, both + "; strips(x)"), HasSubstr("refused")) << "no other strips are asked for";
}

/// What the kernel read before says which half is stored. Where that is a part of each, there is no copy.
TEST(SymmetricCopies, NeedOneHalfThatIsStored) {
  Texts t;
  const auto set = [&](const char *text) { return isl::set(t.context().get(), text); };
  const isl::set square = set("[n] -> { [x, y] : 0 <= x < n and 0 <= y < n }");
  EXPECT_EQ(storedHalf(square, set("[n] -> { [x, y] : 0 <= x <= y < n }")), Half::Lower);
  EXPECT_EQ(storedHalf(square, set("[n] -> { [x, y] : 0 <= y <= x < n }")), Half::Upper);
  EXPECT_EQ(storedHalf(square, set("[n] -> { [x, y] : 0 <= x < y < n }")), std::nullopt) << "no diagonal";
  EXPECT_EQ(
      storedHalf(square,
                 set("[n] -> { [x, y] : (0 <= x <= y < n and y < 5) or (x >= 5 and 0 <= y <= x < n) }")),
      std::nullopt);
  EXPECT_EQ(storedHalf(set("[n] -> { [x, y] : 0 <= x < n and 0 <= y < n and x != y }"),
                       set("[n] -> { [x, y] : 0 <= x < y < n }")),
            Half::Lower);
}

TEST(SymmetricCopies, AreRefusedWithAReason) {
  Texts t;
  const auto why = [&](const std::string &kernel, const std::string &steps) {
    return t.after(t.kernel(kernel), steps);
  };
  const std::string copy = "SM_alloc(A, Symmetry)", both = kBlocks + copy;
  EXPECT_THAT(why(kLower, "items(); " + copy), HasSubstr("`items(; each = block)` comes first"));
  EXPECT_THAT(why(kLower, std::string(kBlocks) + "strips(); " + copy), HasSubstr("copy `A` already"));
  EXPECT_THAT(why(kLower, both + "; " + copy), HasSubstr("copy `A` already"));
  // Both loops read the same half, or they use other cells of another matrix.
  EXPECT_THAT(why(symmetricProduct("A[k, y]", "A[k, y]", "B[x, k]"), both),
              HasSubstr("no reads of `A` mirror each other"));
  std::string others(kLower);
  others.replace(others.rfind("B[x, k]"), 7, "B[x, y]");
  EXPECT_THAT(why(others, both), HasSubstr("they access other cells of `B`"));
}
