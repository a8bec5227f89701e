// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bytes that a kernel's own accesses load and store for each point.
#include "compiler/emit/kernel/nest.h"
#include "compiler/kernel/policy/device.h"
#include "compiler/kernel/run_rows.h"
#include "compiler/loop/lower/lower.h"
#include "compiler/loop/traffic.h"
#include "tests/unit/transform/textual.h"
#include <algorithm>
#include <gmock/gmock.h>

using namespace pbc::loop;

namespace {

const Matrix kMatrix{"A", Scalar::F32, 1};

Expr cell(const Expr &at) { return make(Expression{Element{0, {at}}}); }

NodePtr store(const Expr &at) { return make(Node{Assign{cell(at), {}, integer(0)}}); }

NodePtr load(const Expr &at, long together = 1) {
  Assign made{make(Expression{Local{"s", Scalar::F32, {}}}), {}, cell(at)};
  made.together = together;
  return make(Node{made});
}

NodePtr times(const Expr &count, NodePtr body, Hint::Unrolling unrolling) {
  For loop{"k", integer(0), less(index("k"), count), nullptr, std::move(body)};
  loop.hint.unrolling = unrolling;
  return make(Node{loop});
}

/// Of a body for each item, where `lane` is the item; groups have 32 items of 4 points.
std::optional<Traffic> of(NodePtr body) {
  const LaunchShape shape{{32, 1, 1}, {4, 1, 1}, 1};
  body = block({std::move(body), store(index("lane"))});
  return trafficOf(
      {kMatrix}, make(Node{Parallel{Parallel::Over::Items, 0, "lane", integer(0), nullptr, std::move(body)}}),
      shape);
}

TEST(Traffic, CountsBytesOfAllLanes) {
  EXPECT_EQ(of(load(multiply(index("lane"), integer(4)), 4))->loaded, 4); // 16 bytes for 4 points
  EXPECT_EQ(of(load(index("lane")))->loaded, 1);
  const NodePtr edge = make(Node{If{less(index("lane"), integer(1)), load(integer(-1)), nullptr}});
  EXPECT_EQ(of(edge)->loaded, 1.0 / 32);
  EXPECT_EQ(of(edge)->stored, 1);
}

TEST(Traffic, WhatWrittenOutLoopsLoadAgainIsInARegister) {
  EXPECT_EQ(of(times(integer(3), load(index("lane")), Hint::Unrolling::Fully))->loaded, 1);
  EXPECT_EQ(of(times(integer(3), load(index("lane")), Hint::Unrolling::Never))->loaded, 3);
}

TEST(Traffic, IsNotKnownForLoopsAsLongAsSizesSay) {
  EXPECT_FALSE(of(times(index("n"), load(index("lane")), Hint::Unrolling::AsItLikes)));
}

/// What the version in registers of a stencil in three dimensions loads for each point, in its default shape; 0: there is none.
double loadedInPlanes(const std::string &element, const std::string &value, const std::string &more = "",
                      int planes = 16) {
  namespace kernel = pbc::kernel;
  kernel::Texts t;
  const kernel::Scheduled start =
      t.kernel("kernel Planes [n]\n  context n >= 9\n  buffer A " + element + " 3-d input\n" + more +
               "  buffer B " + element + " 3-d output\n  S[x, y, z]: B[x, y, z] = " + value +
               "\n    { S[x, y, z] : 2 <= x, y, z < n - 2 }\n  schedule\n    band z, y, x\n");
  const std::vector<kernel::DeviceVersion> versions = kernel::deviceVersions(start);
  const auto at = std::find_if(versions.begin(), versions.end(),
                               [](const kernel::DeviceVersion &v) { return v.name == "registers"; });
  if (at == versions.end() || !at->exists())
    return 0;
  const Nest nest = pbc::emit::kernelNest(at->kernel, true).nest;
  const int rows = 16;
  const LaunchShape shape{{32, rows / at->cells[1], 1}, {at->cells[0], at->cells[1], planes}, at->cells[1]};
  const auto traffic = trafficOf(nest.buffers, lower(nest, {true, false, true}).body, shape);
  return traffic ? traffic->loaded : 0;
}

/// (1 + halo / rows) * (1 + halo / planes) * (1 + halo / points of a row), of 16 rows.
double halo(double along, double points, double planes = 16) {
  return (1 + along / 16) * (1 + along / planes) * (1 + along / points);
}

TEST(Traffic, PlanesAreLoadedOnceButForTheHaloOfAGroup) {
  const std::string seven =
      "A[x, y, z] + A[x - 1, y, z] + A[x + 1, y, z] + A[x, y - 1, z] + A[x, y + 1, z] + "
      "A[x, y, z - 1] + A[x, y, z + 1]";
  const std::string all =
      seven + " + A[x - 1, y - 1, z - 1] + A[x + 1, y + 1, z + 1] + A[x - 1, y + 1, z + 1]";
  EXPECT_NEAR(loadedInPlanes("float", seven), 4 * halo(2, 128), 0.01);
  EXPECT_NEAR(loadedInPlanes("float", all), 4 * halo(2, 128), 0.01);
  EXPECT_NEAR(loadedInPlanes("double", seven), 8 * halo(2, 64), 0.01);
  EXPECT_NEAR(
      loadedInPlanes("float", "A[x, y, z - 2] + A[x, y - 2, z] + A[x + 2, y, z] + A[x - 2, y + 2, z + 2]"),
      4 * halo(4, 128), 0.01);
  EXPECT_NEAR(loadedInPlanes("float", "C[x, y, z] * (" + seven + ")", "  buffer C float 3-d input\n"),
              4 + 4 * halo(2, 128), 0.01);
}

/// In the default shape, and with the bytes that are stored.
TEST(Traffic, PlanesCostATenthMoreThanTheyMust) {
  const double loaded = loadedInPlanes("double",
                                       "A[x - 1, y, z] + A[x + 1, y, z] + A[x, y - 1, z] + A[x, y + 1, z] + "
                                       "A[x, y, z - 1] + A[x, y, z + 1]",
                                       "", 128);
  EXPECT_NEAR(loaded, 8 * halo(2, 64, 128), 0.01);
  EXPECT_LT((loaded + 8) / 16, 1.1);
}

/// Planes beside each other, without rows that items share, need no memory of the group.
TEST(Traffic, PlanesThatAreReadAloneAreLoadedOnce) {
  EXPECT_NEAR(loadedInPlanes("float", "A[x, y, z - 1] + A[x, y, z + 1]"), 4 * (1 + 2.0 / 16), 0.01);
}

/// A kernel over points with two coordinates.
std::string rowsOf(const std::string &element, const std::string &value) {
  return "kernel Rows [n]\n  context n >= 99\n  buffer A " + element + " 2-d input\n  buffer B " + element +
         " 2-d output\n  S[x, y]: B[x, y] = " + value +
         "\n    { S[x, y] : 20 <= x, y < n - 20 }\n  schedule\n    band y, x\n";
}

/// The sum of the cells around a point, up to this distance: of a box, or of a star.
std::string around(int radius, bool isStar) {
  std::string sum;
  for (int y = -radius; y <= radius; ++y)
    for (int x = -radius; x <= radius; ++x)
      if (!isStar || x == 0 || y == 0)
        sum +=
            (sum.empty() ? "A[x + " : " + A[x + ") + std::to_string(x) + ", y + " + std::to_string(y) + "]";
  return sum;
}

/// The bytes that a point loads in a version of this name, in its default shape; or why there is none.
struct Loaded {
  double bytes = 0;
  std::string why;
};
Loaded loadedInRows(const std::string &version, const std::string &element, const std::string &value) {
  namespace kernel = pbc::kernel;
  kernel::Texts t;
  for (const kernel::DeviceVersion &v : kernel::deviceVersions(t.kernel(rowsOf(element, value)))) {
    if (v.name != version)
      continue;
    if (!v.exists())
      return {0, v.why};
    const Nest nest = pbc::emit::kernelNest(v.kernel, true).nest;
    LaunchShape shape{{32, 8, 1}, {1, 1, 1}, 1};
    if (v.cells[0])
      shape = {{32, 8, 1},
               {v.cells[0], v.cells[1], 1},
               std::min(v.cells[1], static_cast<int>(kernel::rowsAtOnce(v.kernel)))};
    const auto traffic = trafficOf(nest.buffers, lower(nest, {true, false, true}).body, shape);
    return {traffic ? traffic->loaded : -1, ""};
  }
  return {0, "there is no such version"};
}

/// Whatever the radius, an item has so many rows that it loads less than a group that shares its cells, or the version says why there
/// is none.
TEST(Traffic, RowsOfWideStencilsAreLoadedOnceOrThereIsNoVersion) {
  for (const std::string element : {"float", "double"})
    for (const bool isStar : {false, true})
      for (int radius = 1; radius <= 6; ++radius) {
        const std::string value = around(radius, isStar);
        const Loaded rows = loadedInRows("registers", element, value);
        const std::string what = element + (isStar ? ", star of " : ", box of ") + std::to_string(radius);
        if (!rows.why.empty()) {
          EXPECT_THAT(rows.why, testing::HasSubstr("and 128 is the most")) << what;
          EXPECT_GT(radius, isStar || element == "float" ? 4 : 3) << what;
          continue;
        }
        EXPECT_GT(rows.bytes, 0) << what;
        EXPECT_LT(rows.bytes, element == "float" ? 5.3 : 12) << what;
        EXPECT_LT(rows.bytes, loadedInRows("local", element, value).bytes) << what;
      }
}

TEST(Traffic, AVersionThatWouldKeepTooMuchSaysHowMuch) {
  EXPECT_EQ(loadedInRows("registers", "double", around(4, false)).why,
            "its items would keep 90 cells, which need 180 registers of 4 bytes, and 128 is the most");
  EXPECT_EQ(loadedInRows("registers", "float", around(5, false)).why,
            "its items would keep 154 cells, which need 154 registers of 4 bytes, and 128 is the most");
}

/// Rows of which the next row of points reads other ones are not kept from turn to turn, so that fewer of them at a time load more.
TEST(Traffic, TurnsAreNotShorterWhereTheyWouldLoadMore) {
  std::string value = "A[x, 2 * y]";
  for (int y = 1; y < 25; ++y)
    value += " + A[x, 2 * y + " + std::to_string(y) + "]";
  EXPECT_THAT(loadedInRows("registers", "float", value).why, testing::HasSubstr("and 128 is the most"));
}

/// The last lanes of a warp load what lies beside their runs, which is more than what a group copies if rows are read far ahead.
TEST(Traffic, RowsThatAreReadFarAheadAreSharedByGroups) {
  std::string value = "A[x, y]";
  for (int x = 1; x < 20; ++x)
    value += " + A[x + " + std::to_string(x) + ", y]";
  EXPECT_LT(loadedInRows("registers", "float", value).bytes, loadedInRows("local", "float", value).bytes);
  EXPECT_EQ(loadedInRows("registers", "double", value).why,
            "a point would load 21.8 bytes, and 12.8 where groups share what it reads");
}

} // namespace
