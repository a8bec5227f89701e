// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Items that go through planes of points: what they keep from one plane to the next, and what of it is in registers.
#include "compiler/kernel/kept_cells.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/verify.h"
#include "tests/unit/transform/textual.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// A kernel over points with three coordinates.
std::string planesOf(const std::string &value, const std::string &loops = "band z, y, x") {
  return "kernel Planes [n]\n  context n >= 9\n  buffer A float 3-d input\n  buffer B float 3-d output\n"
         "  S[x, y, z]: B[x, y, z] = " +
         value + "\n    { S[x, y, z] : 2 <= x, y, z < n - 2 }\n  schedule\n    " + loops + "\n";
}
const std::string kSeven = "A[x, y, z] + A[x - 1, y, z] + A[x + 1, y, z] + A[x, y - 1, z] + A[x, y + 1, z] + "
                           "A[x, y, z - 1] + A[x, y, z + 1]";

TEST(Planes, AreReadThroughMemoryOfTheGroup) {
  Texts t;
  const std::optional<Scheduled> k =
      t.run(t.kernel(planesOf(kSeven)), "items(; each = planes); keep(A, through = group)");
  ASSERT_TRUE(k);
  EXPECT_THAT(verify(*k), IsEmpty());
  const std::string text = print(*k);
  EXPECT_THAT(
      text, HasSubstr("buffer A_item float 3-d item of 0: (1 * (block 0 - 1) + 3) x 1: (1 * (block 1 - 1) + "
                      "3) x 2: (1 * (item 2 - 1) + 3)\n"));
  // Room for cells in front of a multiple of 16 bytes, and rows that begin in different banks.
  EXPECT_THAT(
      text,
      HasSubstr("buffer A_plane float 3-d group of 0: (1 * (block 0 - 1) + 3) x 1: (1 * (block 1 - 1) + "
                "3) x 2: (1 * (item 2 - 1) + 1), pad 10, buffers 2\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "fill A_item from A[-1 + pb__begin0, -1 + pb__begin1, -1 + pb__begin2] through A_plane, within"));
  EXPECT_THAT(treeOf(*k), HasSubstr("turn:2"));
  const std::string again = print(t.kernel(text));
  EXPECT_EQ(print(t.kernel(again)), again);
  EXPECT_EQ(treeOf(t.kernel(again)), treeOf(*k));
}

TEST(Planes, SayWhyTheyDoNotApply) {
  Texts t;
  EXPECT_EQ(
      t.after(
          t.kernel(
              "kernel Map [n]\n  context n >= 9\n  buffer A float 2-d input\n  buffer B float 2-d output\n"
              "  S[x, y]: B[x, y] = A[x, y]\n    { S[x, y] : 0 <= x, y < n }\n  schedule\n    band y, x\n"),
          "items(; each = planes)"),
      "refused: its points have 2 coordinates, which make no planes");
  const auto why = [&](const std::string &value, const std::string &steps) {
    return t.after(t.kernel(planesOf(value)), steps);
  };
  EXPECT_EQ(why(kSeven, "items(; each = planes); stage(A)"),
            "refused: its items go through planes of points, each of which reads other cells");
  EXPECT_EQ(why(kSeven, "items(; each = run); keep(A, through = group)"),
            "refused: its items have no planes of points, whose turns could share memory of the group");
  EXPECT_EQ(why("A[x, y, 2 * z] + A[x, y, 2 * z + 1]", "items(; each = planes); keep(A)"),
            "refused: the cells of the next plane of points are not those behind the last ones");
  EXPECT_EQ(why("A[z - 1, y, x] + A[z, y, x]", "items(; each = planes); keep(A)"),
            "refused: neighbouring planes of points read neighbours in a row of the matrix");
  EXPECT_EQ(why("A[x, y - 1, 0] + A[x, y + 1, 0]", "items(; each = planes); keep(A, through = group)"),
            "refused: all planes of points read the same cells, which are copied once");
}

/// The group's memory may keep planes for the items, which then read them there again.
TEST(Planes, MayBeReadInTheGroupsMemoryAgain) {
  Texts t;
  const auto steps = [](int planes) {
    return "items(; each = planes); keep(A; through = group, planes = " + std::to_string(planes) + ")";
  };
  const std::optional<Scheduled> k = t.run(t.kernel(planesOf(kSeven)), steps(2));
  ASSERT_TRUE(k);
  EXPECT_THAT(print(*k), HasSubstr(", pad 10, buffers 3\n"));
  EXPECT_EQ(planesOfGroup(*k, 2), 2);
  const std::string again = print(t.kernel(print(*k)));
  EXPECT_EQ(print(t.kernel(again)), again);
  EXPECT_EQ(t.after(t.kernel(planesOf(kSeven)), steps(4)),
            "refused: an item reads 3 planes of cells for a plane of points, and `planes` are 4");
  EXPECT_EQ(t.after(t.kernel(planesOf(kSeven)), "items(; each = planes); keep(A; planes = 2)"),
            "refused: `planes` are of copies through the memory of a group (`through = group`)");
}

/// With two planes of the group, a star keeps its column of points alone, and reads what lies beside it in the turn of its plane.
TEST(Planes, KeepLessWhereTheGroupHasMorePlanes) {
  Texts t;
  const auto kept = [&](const std::string &value, long planes) {
    const std::optional<Scheduled> k = t.run(t.kernel(planesOf(value)), "items(; each = planes); keep(A)");
    EXPECT_TRUE(k);
    return k ? keptCells(*k, 2, {4, 2}, Turns::OfPlanes, planes) : 0;
  };
  const std::string kAll =
      "A[x - 1, y - 1, z - 1] + A[x + 1, y + 1, z - 1] + A[x - 1, y - 1, z] + A[x + 1, y + 1, z] + "
      "A[x - 1, y - 1, z + 1] + A[x + 1, y + 1, z + 1]";
  EXPECT_EQ(kept(kSeven, 1), 48);
  EXPECT_EQ(kept(kSeven, 2), 8 + (8 + 12) + 8);
  EXPECT_EQ(kept(kSeven, 3), 8 + (8 + 12) + 8) << "all of them are read in one turn";
  EXPECT_EQ(kept("A[x, y, z - 1] + A[x, y, z + 1]", 2), 3 * 8) << "what moves on is read, too";
  EXPECT_EQ(kept(kAll, 1), kept(kAll, 2)) << "what all planes read is as well kept";
}

/// Only cells that a later plane of points reads stay.
TEST(Planes, KeepInRegistersWhatIsRead) {
  Texts t;
  const auto kept = [&](const std::string &value, std::array<int, 2> points) {
    const std::optional<Scheduled> k = t.run(t.kernel(planesOf(value)), "items(; each = planes); keep(A)");
    EXPECT_TRUE(k);
    return k ? keptCells(*k, 2, points, Turns::OfPlanes) : 0;
  };
  EXPECT_EQ(kept("A[x, y, z]", {4, 1}), 4);
  EXPECT_EQ(kept("A[x, y, z - 1] + A[x, y, z + 1]", {4, 1}), 12);
  EXPECT_EQ(kept("A[x, y, z - 1] + A[x, y, z + 1] + A[x - 1, y, z] + A[x + 1, y, z]", {4, 1}), 12 + 2 * 2);
  EXPECT_EQ(kept(kSeven, {4, 1}), 3 * 4 + 2 * (2 + 8));
  EXPECT_EQ(kept(kSeven, {4, 2}), 3 * 8 + 2 * (4 + 8));
  EXPECT_EQ(kept("A[x - 1, y - 1, z - 1] + A[x + 1, y + 1, z + 1]", {1, 1}), 3 + 1) << "two cells";
}

} // namespace
