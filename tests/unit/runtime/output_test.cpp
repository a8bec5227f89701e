// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/errors.h"
#include "runtime/matrix/writing.h"
#include "tests/unit/runtime/process.h"
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace pb;
using matrix::Matrix;
using matrix::OutputFile;

namespace {

std::string refusal(const std::string &name, const std::vector<int> &extents,
                    const std::string &declared = "[w, h]") {
  try {
    OutputFile(name, extents, declared);
  } catch (const base::UserError &e) {
    return e.what();
  }
  return "accepted";
}

Matrix one() {
  const Matrix m = Matrix::allocate(ElementKind::F64, {1, 1});
  m.elements<double>()[0] = 5;
  return m;
}

} // namespace

TEST(Output, RefusedBeforeTheRun) {
  Folder f;
  EXPECT_EQ(refusal(f.path("no/x.npy"), {1, 1}), f.path("no/x.npy") + ": cannot be written: the folder " +
                                                     f.path("no") + ": No such file or directory");
  EXPECT_EQ(refusal(f.path(""), {1, 1}), f.path("") + ": is a folder, expected a file to write");
  EXPECT_EQ(refusal("x.png", {1}), "x.png: an image has 2 or 3 dimensions, the matrix has 1 (use .npy)");
  EXPECT_EQ(
      refusal("x.png", {0, 5}),
      "x.png: a matrix [0, 5] is not an image: expected [w, h], [w, h, 3] or [3, w, h], none of them 0");
  EXPECT_EQ(refusal("x.pgm", {5, 5, 3}),
            "x.pgm: a .pgm file holds grey values only, the matrix [5, 5, 3] has colours (use .ppm or .png)");
  EXPECT_TRUE(f.list().empty()); // the check creates no file
}

TEST(Output, ReplacesWholeFilesAndKeepsPermissions) {
  Folder f;
  f.write("x.txt", "old");
  chmod(f.path("x.txt").c_str(), 0640);
  const OutputFile out(f.path("x.txt"), {1, 1}, "");
  EXPECT_EQ(f.read("x.txt"), "old");
  out.write(one());
  EXPECT_EQ(f.read("x.txt"), "SIZE 1 1\n   5 \n\n");
  EXPECT_EQ(f.list(), (std::vector<std::string>{"x.txt"}));
  struct stat s{};
  stat(f.path("x.txt").c_str(), &s);
  EXPECT_EQ(s.st_mode & 07777, 0640u);
}

TEST(Output, FollowsLinksAndWritesPipesAndDevices) {
  Folder f;
  f.write("real.txt", "old");
  ASSERT_EQ(symlink("real.txt", f.path("link.txt").c_str()), 0);
  OutputFile(f.path("link.txt"), {1, 1}, "").write(one());
  EXPECT_EQ(f.read("real.txt"), "SIZE 1 1\n   5 \n\n");
  EXPECT_EQ(f.list(), (std::vector<std::string>{"link.txt", "real.txt"}));
  EXPECT_TRUE(OutputFile("/dev/null", {1, 1}, "").skipped());
  const OutputFile full("/dev/full", {1, 1}, "");
  EXPECT_THROW(full.write(one()), base::UserError);
}
