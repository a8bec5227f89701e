// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// stage() on devices: what the items of a group copy into memory that they share, the loops that result, and what is refused. Results
// are compared by the tests of devices, which run every program's kernels.
#include "compiler/emit/kernel/nest.h"
#include "compiler/kernel/policy/device.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/transform/run.h"
#include "compiler/kernel/verify.h"
#include "compiler/loop/print.h"
#include "tests/unit/transform/textual.h"
#include <algorithm>
#include <gmock/gmock.h>
#include <sstream>

using namespace pbc::kernel;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

constexpr const char *kThree = R"(kernel Three [n]
  context n >= 3
  buffer A double 1-d input
  buffer B double 1-d output
  S[x]: B[x] = A[x - 1] + A[x + 1]
    { S[x] : 1 <= x < n - 1 }
  schedule
    band x
)";

constexpr const char *kStrips = R"(kernel Product [k, h, w]
  context k >= 0 and h >= 0 and w >= 0
  buffer s float 2-d local
  buffer A float 2-d input
  buffer B float 2-d input
  buffer C float 2-d output
  S0[x, y]: s[x, y] = 0.0f
    { S0[x, y] : 0 <= x < w and 0 <= y < h }
  S1[x, y; i]: s[x, y] += A[i, y] * B[x, i]
    { S1[x, y, i] : 0 <= x < w and 0 <= y < h and 0 <= i < k }
  S2[x, y]: C[x, y] = s[x, y]
    { S2[x, y] : 0 <= x < w and 0 <= y < h }
  schedule
    band y
      band x
        alloc:s
          sequence
            S0
            S1
              band i
            S2
)";

TEST(GroupCopies, NeighboursShareWhatTheyRead) {
  Texts t;
  const std::optional<Scheduled> k = t.run(t.kernel(kThree), "items(); stage(A)");
  ASSERT_TRUE(k);
  EXPECT_THAT(verify(*k), IsEmpty());
  EXPECT_EQ(scheduledLoops(*k), R"(    points item0 from low0 to high0
      fill A_group from A[first0 - 1]
      B[item0] = A_group[place0] + A_group[place0 + 2]
)");
  const std::string again =
      print(t.kernel(print(*k))); // isl orders the parameters of dependences by their first use
  EXPECT_EQ(print(t.kernel(again)), again);
  EXPECT_EQ(treeOf(t.kernel(again)), treeOf(*k));
}

/// An item with a run of points keeps what they read. At the ends of its box are cells that its points read, so that it lies in the matrix.
TEST(GroupCopies, ItemsKeepWhatTheyRead) {
  Texts t;
  const std::optional<Scheduled> k = t.run(t.kernel(kThree), "items(; each = run); keep(A)");
  ASSERT_TRUE(k);
  EXPECT_THAT(verify(*k), IsEmpty());
  const std::string text = print(*k);
  EXPECT_THAT(text, HasSubstr("buffer A_item double 1-d item of 0: (1 * (block 0 - 1) + 3)"));
  EXPECT_THAT(text, HasSubstr("fill A_item from A[-1 + pb__begin0], within"));
  EXPECT_EQ(scheduledLoops(*k), R"(    points item0 from low0 to high0 in runs
      array double A_item[PB_C0 + 2]
      fill A_item from A[begin0 - 1]
      B[item0] = A_item[r0] + A_item[r0 + 2]
)");
  const std::string again = print(t.kernel(print(*k)));
  EXPECT_EQ(print(t.kernel(again)), again);
  EXPECT_EQ(treeOf(t.kernel(again)), treeOf(*k));
}

/// A kernel that reads versions of V, which has the last ones only.
std::string lastOf(const std::string &value) {
  return "kernel Last [n, t]\n  context n >= 3 and t >= 0\n  buffer V double 2-d input\n  buffer B double "
         "1-d output\n"
         "  S[x]: B[x] = " +
         value + "\n    { S[x] : 1 <= x < n - 1 }\n  schedule\n    band x\n";
}

/// Which version a rule reads is known only when it runs, but it is one.
TEST(GroupCopies, ItemsKeepTheOneVersionThatTheyRead) {
  Texts t;
  const std::optional<Scheduled> k =
      t.run(t.kernel(lastOf("V[x - 1, (t) mod 2] + V[x + 1, (t) mod 2]")), "items(; each = run); keep(V)");
  ASSERT_TRUE(k);
  EXPECT_THAT(verify(*k), IsEmpty());
  EXPECT_EQ(scheduledLoops(*k), R"(    points item0 from low0 to high0 in runs
      array double V_item[1, PB_C0 + 2]
      fill V_item from V[begin0 - 1, t - 2 * floor_div(t, 2)]
      B[item0] = V_item[0, r0] + V_item[0, r0 + 2]
)");
  const std::string again = print(t.kernel(print(*k)));
  EXPECT_EQ(print(t.kernel(again)), again);
  const std::vector<DeviceVersion> versions = deviceVersions(t.kernel(lastOf("V[x, (t) mod 2]")));
  EXPECT_EQ(versions.back().name, "registers");
  EXPECT_EQ(versions.back().why, "");
}

/// Two versions lie in an order that is known only when it runs.
TEST(GroupCopies, WhatIsFoundAtRunTimeIsNotInRegisters) {
  Texts t;
  const auto why = [&](const std::string &value) {
    return t.after(t.kernel(lastOf(value)), "items(; each = run); keep(V)");
  };
  const std::string refused =
      "refused: which cells of its box of `V` an item reads is known only when it runs, so that "
      "they would not be in registers";
  EXPECT_EQ(why("V[x, (t) mod 3] + V[x, (t + 2) mod 3]"), refused);
  EXPECT_EQ(why("V[x, 0] + V[x + (n) mod 2, 0]"), refused);
  EXPECT_THAT(why("V[x, t] + V[x, t + 2]"), Not(HasSubstr("refused")));
}

/// Loops that take isl too long are made in a simpler way, in which an item still has its own points only.
TEST(GroupCopies, ItemsHaveTheirPointsInSimplerLoops) {
  Texts t;
  for (const char *steps : {"items()", "items(); stage(A)", "items(; each = run); keep(A)"}) {
    const std::optional<Scheduled> k = t.run(t.kernel(kThree), steps);
    ASSERT_TRUE(k);
    const pbc::emit::KernelNest usual = pbc::emit::kernelNest(*k, true),
                                simple = pbc::emit::kernelNest(*k, true, 1);
    EXPECT_EQ(usual.note, "");
    EXPECT_NE(simple.note, "");
    EXPECT_EQ(pbc::loop::text(simple.nest), pbc::loop::text(usual.nest));
  }
}

/// Cells of which only some points read one may be outside: the box is larger than what is read.
TEST(GroupCopies, WhatSomeItemsDoNotReadMayBeOutside) {
  Texts t;
  const std::optional<Scheduled> k = t.run(t.kernel(R"(kernel Some [n]
  context n >= 3
  buffer A double 1-d input
  buffer B double 1-d output
  S[x]: B[x] = A[x]
    { S[x] : 0 <= x < n }
  T[x]: B[x] += A[x + 1]
    { T[x] : 0 <= x < n - 1 }
  schedule
    sequence
      S
        band x
      T
        band x
)"),
                                           "fuse(x, x2); items(; each = run); keep(A)");
  ASSERT_TRUE(k);
  EXPECT_THAT(print(*k), HasSubstr("fill A_item from A[pb__begin0]\n"));
}

/// The loop over rounds lies around the copy, too, and has one value in each launch.
TEST(GroupCopies, InRounds) {
  Texts t;
  const std::optional<Scheduled> k = t.run(t.kernel(R"(kernel Rounds [m, n]
  context m >= 3 and n >= 3
  buffer E double 1-d input
  buffer C double 2-d output
  S[x, y]: C[x, y] = C[x - 1, y] + C[x, y - 1] + E[x - 1] + E[x + 1]
    { S[x, y] : 1 <= x < n - 1 and 1 <= y < m }
  schedule
    band y
      band x
)"),
                                           "items(); stage(E)");
  ASSERT_TRUE(k);
  EXPECT_THAT(verify(*k), IsEmpty());
  EXPECT_THAT(scheduledLoops(*k),
              HasSubstr("    points item0 from low1 to high1\n      fill E_group from E["));
}

TEST(GroupCopies, StripsOfAProduct) {
  Texts t;
  const std::optional<Scheduled> k =
      t.run(t.kernel(kStrips), "items(; each = block); (it, i) = tile(i; 16); "
                               "stage(A; at = it, layout = transposed, pad = 4); stage(B; at = it)");
  ASSERT_TRUE(k);
  EXPECT_THAT(verify(*k), IsEmpty());
  EXPECT_THAT(print(*k),
              HasSubstr("buffer A_group float 2-d group of 1: (1 * (block 1 - 1) + 1) x 0: 16, pad 4"));
  const std::string loops = scheduledLoops(*k);
  EXPECT_THAT(loops,
              HasSubstr("points item0 from low0 to high0 in blocks, item1 from low1 to high1 in blocks"));
  EXPECT_THAT(loops, HasSubstr("fill A_group from A[first1, c0]"));
  EXPECT_THAT(loops, HasSubstr("s += A_group[place1, c1 - c0] * B_group[place0, c1 - c0]"));
}

/// The strip that is shorter has a copy of its own, for which items that still read the strip before it must be waited for. In a full strip
/// all cells are read, and so inside of the matrix; along the items' axis they need not be.
TEST(GroupCopies, TwoLoopsOfStrips) {
  Texts t;
  const std::optional<Scheduled> k =
      t.run(t.kernel(kStrips), "items(; each = block); (it, i) = tile(i; 16); stage(A; at = it); "
                               "separate(i; at = it, apart = loops)");
  ASSERT_TRUE(k);
  EXPECT_THAT(verify(*k), IsEmpty());
  const std::string loops = pbc::emit::loopsText(*k), lowered = loops.substr(loops.find("lowered"));
  EXPECT_EQ(countOf(lowered, "barrier"), 4U) << lowered;
  EXPECT_THAT(lowered, HasSubstr("A[(from0 + column) + (q0 * width), min(from1 + at1, A_n1 - 1)]"));
  EXPECT_THAT(lowered, HasSubstr("A[min(from0 + at0, A_n0 - 1), min(from1 + at1, A_n1 - 1)]"));
}

/// With two buffers the copy of the next strip is made behind the only barrier of a step, into the buffer that nobody reads then.
TEST(GroupCopies, TwoBuffersInTurns) {
  Texts t;
  const std::string strips = "items(; each = block); (it, i) = tile(i; 16); ";
  const std::optional<Scheduled> k =
      t.run(t.kernel(kStrips), strips + "stage(A; at = it, buffers = 2); stage(B; at = it, buffers = 2)");
  ASSERT_TRUE(k);
  EXPECT_THAT(verify(*k), IsEmpty());
  EXPECT_THAT(print(*k), HasSubstr("(1 * (block 1 - 1) + 1), buffers 2"));
  EXPECT_THAT(print(t.kernel(print(*k))), HasSubstr("(1 * (block 1 - 1) + 1), buffers 2"))
      << "the text is read back";
  const std::string loops = pbc::emit::loopsText(*k), lowered = loops.substr(loops.find("lowered"));
  EXPECT_EQ(countOf(lowered, "barrier"), 1U) << lowered;
  const std::size_t barrier = lowered.find("barrier"), next = lowered.find("if (c0 + 16) < k"),
                    sum = lowered.find("A_group[", lowered.find("s[", barrier));
  EXPECT_LT(lowered.find("if 0 < k"), barrier) << lowered;
  EXPECT_LT(barrier, next) << lowered;
  EXPECT_LT(next, sum) << lowered;
  EXPECT_THAT(lowered, HasSubstr("1 - turn_c0"));
  EXPECT_THAT(lowered.substr(sum), HasSubstr(", turn_c0]"));
  // One of two copies has one buffer: both wait as before.
  const std::optional<Scheduled> mixed =
      t.run(t.kernel(kStrips), strips + "stage(A; at = it, buffers = 2); stage(B; at = it)");
  ASSERT_TRUE(mixed);
  EXPECT_EQ(countOf(pbc::emit::loopsText(*mixed), "barrier"), 2U);
  EXPECT_THAT(t.after(t.kernel(kThree), "items(); stage(A; buffers = 2)"), HasSubstr("it needs `at`"));
}

/// Rows in two parts: the cells with even places, then the odd ones, so that items which read every second cell read neighbours.
TEST(GroupCopies, RowsInParts) {
  constexpr const char *kEverySecond = R"(kernel Half [n]
  context n >= 0
  buffer A double 1-d input
  buffer B double 1-d output
  S[x]: B[x] = A[2x] + A[2x + 1] + A[2x + 2]
    { S[x] : 0 <= x < n }
  schedule
    band x
)";
  Texts t;
  const std::optional<Scheduled> k = t.run(t.kernel(kEverySecond), "items(); stage(A; parts = 2, gap = 7)");
  ASSERT_TRUE(k);
  EXPECT_THAT(verify(*k), IsEmpty());
  const std::string whole = "(2 * (item 0 - 1) + 4), parts 2 gap 7";
  EXPECT_THAT(print(*k), HasSubstr(whole))
      << "a row of four cells more, so that both parts are as long as each other";
  EXPECT_THAT(print(t.kernel(print(*k))), HasSubstr(whole)) << "the text is read back";
  EXPECT_THAT(
      pbc::emit::loopsText(*k),
      HasSubstr(
          "B[(first0 + place0)] = A_group[place0] + A_group[place0 + (PB_G0 + 8)] + A_group[place0 + 1]"));
  EXPECT_THAT(t.after(t.kernel(kThree), "items(); stage(A; parts = 2)"), HasSubstr("lie 1 apart"));
  EXPECT_THAT(t.after(t.kernel(kEverySecond), "items(); stage(A; gap = 7)"), HasSubstr("it has none"));
}

/// The version with two buffers is not made by running its script, but is what that makes.
TEST(GroupCopies, TheVersionWithTwoBuffersIsItsScripts) {
  Texts t;
  Scheduled start = withLabels(t.kernel(kStrips));
  const std::vector<DeviceVersion> all = deviceVersions(start);
  const auto version = [&](const char *name) {
    return *std::find_if(all.begin(), all.end(), [&](const DeviceVersion &v) { return v.name == name; });
  };
  ASSERT_TRUE(version("buffers").exists()) << version("buffers").why;
  EXPECT_EQ(version("buffers").loopsOf, "blocks");
  EXPECT_THAT(verify(version("buffers").kernel), IsEmpty());
  EXPECT_NE(print(version("buffers").kernel), print(version("blocks").kernel));
  start.schedule.target = Target::Device;
  start = withLabels(start);
  for (const pbc::script::Step &step : version("buffers").script) {
    StepOutcome made = run(step, start);
    ASSERT_TRUE(made.kernel) << made.problem.what;
    start = std::move(*made.kernel);
  }
  EXPECT_EQ(print(version("buffers").kernel), print(start));
}

/// The loop over strips that are not full has buffers of its own turns, and waits for items that still read those of full strips.
TEST(GroupCopies, TwoBuffersInTwoLoops) {
  Texts t;
  const std::optional<Scheduled> k = t.run(
      t.kernel(kStrips), "items(; each = block); (it, i) = tile(i; 16); stage(A; at = it, buffers = 2); "
                         "separate(i; at = it, apart = loops)");
  ASSERT_TRUE(k);
  EXPECT_THAT(verify(*k), IsEmpty());
  const std::string loops = pbc::emit::loopsText(*k), lowered = loops.substr(loops.find("lowered"));
  EXPECT_EQ(countOf(lowered, "barrier"), 3U) << lowered;
}

/// A third dimension may move with items that have one point each; the points of a block come first in transposed memory.
TEST(GroupCopies, StripsOfManyProducts) {
  Texts t;
  const std::optional<Scheduled> k = t.run(t.kernel(R"(kernel Products [k, h, w, n]
  context k >= 0 and h >= 0 and w >= 0 and n >= 0
  buffer s float 3-d local
  buffer A float 3-d input
  buffer B float 3-d input
  buffer C float 3-d output
  S0[x, y, z]: s[x, y, z] = 0.0f
    { S0[x, y, z] : 0 <= x < w and 0 <= y < h and 0 <= z < n }
  S1[x, y, z; i]: s[x, y, z] += A[i, y, z] * B[x, i, z]
    { S1[x, y, z, i] : 0 <= x < w and 0 <= y < h and 0 <= z < n and 0 <= i < k }
  S2[x, y, z]: C[x, y, z] = s[x, y, z]
    { S2[x, y, z] : 0 <= x < w and 0 <= y < h and 0 <= z < n }
  schedule
    band z
      band y
        band x
          alloc:s
            sequence
              S0
              S1
                band i
              S2
)"),
                                           "items(; each = block); (it, i) = tile(i; 16); "
                                           "stage(A; at = it, layout = transposed, pad = 4)");
  ASSERT_TRUE(k);
  EXPECT_THAT(verify(*k), IsEmpty());
  EXPECT_THAT(scheduledLoops(*k), HasSubstr("A_group[place1, c1 - c0, place2]"));
}

constexpr const char *kWindow = R"(kernel Window [k, n]
  context k >= 1 and n >= k
  buffer s double 1-d local
  buffer A double 1-d input
  buffer W double 1-d input
  buffer B double 1-d output
  S0[x]: s[x] = 0
    { S0[x] : 0 <= x <= n - k }
  S1[x; i]: s[x] += A[x + i] * W[i]
    { S1[x, i] : 0 <= x <= n - k and 0 <= i < k }
  S2[x]: B[x] = s[x]
    { S2[x] : 0 <= x <= n - k }
  schedule
    band x
      alloc:s
        sequence
          S0
          S1
            band i
          S2
)";

/// The extents of the copies are sums of sizes, for which the kernel is built.
TEST(GroupCopies, WindowsMayHaveSizesOfTheProgram) {
  Texts t;
  const std::optional<Scheduled> k = t.run(t.kernel(kWindow), "items(); stage(A); stage(W)");
  ASSERT_TRUE(k);
  EXPECT_THAT(verify(*k), IsEmpty());
  const std::string text = print(*k);
  EXPECT_THAT(text, HasSubstr("A_group double 1-d group of 0: (1 * (item 0 - 1) + 0 + 1 * k)"));
  EXPECT_THAT(text, HasSubstr("W_group double 1-d group of 0: 0 + 1 * k"));
  EXPECT_THAT(scheduledLoops(*k), HasSubstr("s += A_group[c0 + place0] * W_group[c0]"));
  const std::vector<SizeOfBuild> sizes{{"k", 1}};
  EXPECT_EQ(sizesOfBuild(*k), sizes);
  const std::string again = print(t.kernel(text));
  EXPECT_EQ(print(t.kernel(again)), again);
  EXPECT_EQ(sizesOfBuild(t.kernel(again)), sizes);
}

/// The compiler stages windows, and not whole rows.
TEST(GroupCopies, OnlyWindowsAreStagedBySize) {
  Texts t;
  const auto local = [&](const char *kernel) {
    const std::vector<DeviceVersion> all = deviceVersions(t.kernel(kernel));
    return std::find_if(all.begin(), all.end(), [](const DeviceVersion &v) { return v.name == "local"; })
        ->why;
  };
  EXPECT_EQ(local(kWindow), "");
  EXPECT_THAT(local(kStrips), HasSubstr("how many cells an item reads depends on sizes"));
}

/// What grows with the item, backwards with a size, or with a part of one, has no such extent.
TEST(GroupCopies, ExtentsAreSumsOfSizes) {
  Texts t;
  for (const char *end : {"i < k + x", "i < n - k", "i <= floor(k/2)"}) {
    std::string kernel(kWindow);
    const std::string domain = "S1[x, i] : 0 <= x <= n - k and 0 <= i < k";
    kernel.replace(kernel.find(domain), domain.size(),
                   std::string("S1[x, i] : 0 <= x <= n - k and 0 <= i and ") + end);
    EXPECT_THAT(t.after(t.kernel(kernel), "items(); stage(A)"), HasSubstr("no extent that is a sum of sizes"))
        << end;
  }
}

/// A matrix times its transpose: the rows that belong to x and those that belong to y have a copy each. Reads beside each other share one.
TEST(GroupCopies, EachWayToReadAMatrixHasItsCopy) {
  Texts t;
  std::string itself(kStrips);
  itself.replace(itself.find("B[x, i]"), 7, "A[i, x] + A[i + 1, y]");
  const Scheduled start = t.kernel(itself);
  const std::string before = "items(; each = block); (it, i) = tile(i; 16); ";
  EXPECT_THAT(t.after(start, before + "stage(A; at = it)"), HasSubstr("have no constant extent"));
  EXPECT_THAT(t.after(start, before + "stage(A; at = it, access = 3)"),
              HasSubstr("move in 2 ways, so that there is no access 3"));
  const std::optional<Scheduled> k =
      t.run(start, before + "stage(A; at = it, access = 2); stage(A; at = it, access = 1)");
  ASSERT_TRUE(k);
  EXPECT_THAT(verify(*k), IsEmpty());
  const std::string loops = scheduledLoops(*k);
  EXPECT_THAT(loops, HasSubstr("fill A_group from A[c0, first0]"));
  EXPECT_THAT(loops, HasSubstr("fill A_group2 from A[c0, first1]"));
  EXPECT_THAT(loops, HasSubstr("s += A_group2[c1 - c0, place1] * A_group[c1 - c0, place0] + "
                               "A_group2[c1 - c0 + 1, place1]"));
  EXPECT_THAT(t.after(*k, "stage(A; at = it)"), HasSubstr("does not read `A`"));
}

TEST(GroupCopies, AreRefusedWithAReason) {
  Texts t;
  const auto why = [&](const char *kernel, const char *steps) { return t.after(t.kernel(kernel), steps); };
  EXPECT_THAT(why(kStrips, "items(); keep(A)"), HasSubstr("have no constant extent"));
  EXPECT_THAT(why(kThree, "items(); stage(B)"), HasSubstr("`B` is no input with cells"));
  EXPECT_THAT(why(kStrips, "items(x); stage(A; at = y)"), HasSubstr("have no constant extent"));
  EXPECT_THAT(
      why("kernel Back [n]\n  context n >= 1\n  buffer A double 1-d input\n  buffer B double 1-d output\n"
          "  S[x]: B[x] = A[n - x] + A[n - x - 1]\n    { S[x] : 0 <= x < n }\n  schedule\n    band x\n",
          "items(); stage(A)"),
      HasSubstr("move backwards with the item"));
}

/// A triangle: the steps of a loop are others for other items.
std::string triangle(const std::string &steps) {
  std::string text(kStrips);
  return text.replace(text.find("0 <= i < k }"), 12, steps + " }");
}

std::string loopsOf(Texts &t, const std::string &kernel, const std::string &steps) {
  std::string why;
  const std::optional<Scheduled> made = t.run(t.kernel(kernel), steps, &why);
  if (!made)
    return "refused: " + why;
  EXPECT_THAT(verify(*made), IsEmpty());
  return scheduledLoops(*made);
}

/// A line with a loop or condition around copies whose limits differ between items; "" without one.
std::string limitsWithItems(const std::string &loops) {
  std::vector<std::string> around; // lines by depth
  std::istringstream lines(loops);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t depth = line.find_first_not_of(' ');
    if (depth == std::string::npos)
      continue;
    around.resize(depth + 1);
    around[depth] = line;
    if (line.find("fill ") != std::string::npos)
      for (const std::string &outer : around)
        if (outer.find("fill ") == std::string::npos && outer.find("points") == std::string::npos &&
            outer.find("item") != std::string::npos)
          return outer;
  }
  return "";
}

/// Items with a point each do not copy together.
TEST(GroupCopies, NotWhereItemsHaveOtherSteps) {
  Texts t;
  EXPECT_THAT(t.after(t.kernel(triangle("0 <= i < k and i <= x")),
                      "items(); (it, i) = tile(i; 16); stage(A; at = it)"),
              HasSubstr("not all items come to all steps of the loop over `it`"));
}

/// With blocks of points, a group copies in all steps to which one of its items comes: one loop for each of the script's, whose limits are
/// those of the group, because all items come to its barriers. Only what computes something asks for the item.
TEST(GroupCopies, InAllStepsOfTheGroupWhereItemsHaveBlocks) {
  Texts t;
  const std::string strips =
      "items(; each = block); (it, i) = tile(i; 16); stage(A; at = it); stage(B; at = it)";
  const std::string below = loopsOf(t, triangle("0 <= i < k and i < x"), strips);
  EXPECT_THAT(below, HasSubstr("for c0 = 0; c0 < min(last0, k); step 16"));
  EXPECT_EQ(countOf(below, "fill A_group"), 1U);
  const std::string apart =
      loopsOf(t, triangle("0 <= i < k and i < x"), strips + "; separate(i; at = it, apart = loops)");
  EXPECT_EQ(countOf(apart, "fill A_group"), 2U);
  EXPECT_THAT(apart, HasSubstr("first0 - 15")); // strips that all points of the group have in full
  const std::string behind =
      loopsOf(t, triangle("x <= i < k"), strips + "; separate(i; at = it, apart = loops)");
  EXPECT_GE(countOf(behind, "fill A_group"), 3U); // those in front of the full ones, and the last ones
  for (const std::string &text : {below, apart, behind})
    EXPECT_EQ(limitsWithItems(text), "") << text;
}

} // namespace
