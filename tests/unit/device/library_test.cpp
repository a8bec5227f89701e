// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions of CUDA's libraries: how views are passed to the libraries, tested with the project's own
// libraries (library/).
#include "runtime/device/library/cuda_libraries.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <random>
#include <thread>
#include <vector>

namespace pb::device::test {
namespace {

/// A matrix of doubles in memory with space around it, contiguous along x or y.
struct Held {
  Held(long width, long height, bool isTransposed, long room, std::mt19937 &random) {
    const long lines = isTransposed ? width : height, step = (isTransposed ? height : width) + room;
    cells.resize(static_cast<std::size_t>(lines * step + 8));
    for (double &c : cells)
      c = static_cast<double>(static_cast<int>(random() % 11)) - 5;
    matrix = {.address = reinterpret_cast<unsigned long>(cells.data()), .elementBytes = 8};
    matrix.extent[0] = width, matrix.extent[1] = height;
    matrix.stride[0] = isTransposed ? step : 1, matrix.stride[1] = isTransposed ? 1 : step;
  }
  double &at(long x, long y) {
    return cells[static_cast<std::size_t>(x * matrix.stride[0] + y * matrix.stride[1])];
  }
  std::vector<double> cells;
  LibraryMatrix matrix;
};

std::string whyNot(const LibraryMatrix &m) {
  try {
    columnsOf(m, "a");
    return "";
  } catch (const DeviceError &e) {
    EXPECT_EQ(e.failure(), Failure::Unsuitable);
    return e.what();
  }
}

LibraryMatrix view(long width, long height, long x, long y) {
  return {.stride = {x, y, 0}, .extent = {width, height, 0}};
}

TEST(LibraryCall, RowsAndColumns) {
  Columns rows = columnsOf(view(5, 3, 1, 7), "a");
  EXPECT_EQ(rows.step, 7);
  EXPECT_FALSE(rows.isTransposed);
  Columns columns = columnsOf(view(5, 3, 4, 1), "a");
  EXPECT_EQ(columns.step, 4);
  EXPECT_TRUE(columns.isTransposed);
  // A single row or column can be seen in both ways, so its other stride does not matter.
  EXPECT_EQ(columnsOf(view(5, 1, 1, 2), "a").step, 5);
  EXPECT_EQ(columnsOf(view(1, 5, 9, 3), "a").step, 3);
  EXPECT_TRUE(columnsOf(view(5, 1, 9, 1), "a").isTransposed);
}

TEST(LibraryCall, RefusesWhatALibraryCannotTake) {
  EXPECT_EQ(whyNot(view(5, 3, 3, 15)),
            "`a` is a view with strides of 3 and 15 numbers: the library needs one of them to be 1");
  EXPECT_NE(whyNot(view(5, 3, 1, 4)), "");  // rows that overlap
  EXPECT_NE(whyNot(view(5, 3, -1, 8)), ""); // backwards
  EXPECT_THAT(whyNot(view(3L << 31, 1, 1, 1)), testing::HasSubstr("too large for the library"));
  EXPECT_THROW(LibraryCall("cublas.nothing double"), DeviceError);
}

TEST(CudaLibraries, SaysWhatIsNotHere) {
  CudaLibraries libraries("/nowhere");
  try {
    libraries.open(Entry::Fft);
    FAIL() << "it was found";
  } catch (const DeviceError &e) {
    EXPECT_EQ(e.failure(), Failure::Build);
    EXPECT_STREQ(e.what(), "cuFFT is not on this machine: no libcufft.so.12 or older was found in /nowhere/");
  }
}

TEST(CudaLibraries, ProductsOfViewsThatLieInAnyWay) {
  CudaLibraries libraries(PB_TEST_LIBRARIES);
  libraries.open(Entry::Gemm);
  const LibraryCall call("cublas.gemm double");
  std::mt19937 random(7);
  for (int how = 0; how < 200; ++how) {
    const long w = 1 + random() % 5, h = 1 + random() % 5, k = 1 + random() % 5, room = random() % 3;
    Held c(w, h, how & 1, room, random), a(k, h, how & 2, room, random), b(w, k, how & 4, 0, random);
    Held like = c; // what lies around stays
    for (long y = 0; y < h; ++y)
      for (long x = 0; x < w; ++x) {
        like.at(x, y) = 0;
        for (long i = 0; i < k; ++i)
          like.at(x, y) += a.at(i, y) * b.at(x, i);
      }
    libraries.prepare(call, {c.matrix, a.matrix, b.matrix}, {})(nullptr);
    ASSERT_EQ(c.cells, like.cells) << how;
  }
}

TEST(CudaLibraries, TrianglesThatLieInAnyWay) {
  CudaLibraries libraries(PB_TEST_LIBRARIES);
  libraries.open(Entry::SolveLower);
  std::mt19937 random(9);
  for (int how = 0; how < 64; ++how) {
    const bool isLower = how & 8;
    const LibraryCall call(isLower ? "cublas.trsm_lower double" : "cublas.trsm_upper double");
    const long n = 1 + random() % 5, w = 1 + random() % 4;
    Held x(w, n, how & 1, 1, random), t(n, n, how & 2, 2, random), b(w, n, how & 4, 0, random);
    for (long i = 0; i < n; ++i)
      t.at(i, i) = 2;
    libraries.prepare(call, {x.matrix, t.matrix, b.matrix}, {})(nullptr);
    for (long y = 0; y < n; ++y)
      for (long i = 0; i < w; ++i) {
        double sum = 0;
        for (long j = isLower ? 0 : y; j <= (isLower ? y : n - 1); ++j)
          sum += t.at(j, y) * x.at(i, j);
        ASSERT_NEAR(sum, b.at(i, y), 1e-9) << how;
      }
  }
}

/// The call, with the memory that it asks for.
void carryOut(CudaLibraries &libraries, const LibraryCall &call, const std::vector<LibraryMatrix> &matrices) {
  std::vector<std::vector<char>> memory;
  libraries.prepare(call, matrices, [&](unsigned long bytes) {
    memory.emplace_back(bytes);
    return reinterpret_cast<unsigned long>(memory.back().data());
  })(nullptr);
}

TEST(CudaLibraries, CholeskyFactorsHaveZerosAboveTheDiagonal) {
  CudaLibraries libraries(PB_TEST_LIBRARIES);
  libraries.open(Entry::Cholesky);
  const LibraryCall call("cusolver.potrf double");
  std::mt19937 random(11);
  for (int how = 0; how < 32; ++how) {
    const long n = 1 + random() % 6;
    Held l(n, n, how & 1, 2, random), a(n, n, how & 2, 1, random);
    for (long i = 0; i < n; ++i)
      a.at(i, i) = 40;
    carryOut(libraries, call, {l.matrix, a.matrix});
    for (long y = 0; y < n; ++y)
      for (long x = 0; x < n; ++x) {
        double sum = 0;
        for (long j = 0; j < n; ++j)
          sum += l.at(j, y) * l.at(j, x);
        ASSERT_NEAR(sum, x <= y ? a.at(x, y) : a.at(y, x), 1e-9) << how;
        if (x > y) {
          ASSERT_EQ(l.at(x, y), 0);
        }
      }
  }
}

TEST(CudaLibraries, LuFactorsHaveOnesOnTheDiagonalOfTheLowerOne) {
  CudaLibraries libraries(PB_TEST_LIBRARIES);
  libraries.open(Entry::Lu);
  const LibraryCall call("cusolver.getrf double");
  std::mt19937 random(13);
  for (int how = 0; how < 32; ++how) { // each order in memory of both
    const long n = 1 + random() % 6;
    Held f(n, n, how & 1, 2, random), a(n, n, how & 2, 1, random);
    for (long i = 0; i < n; ++i)
      a.at(i, i) = 40;
    carryOut(libraries, call, {f.matrix, a.matrix});
    for (long y = 0; y < n; ++y)
      for (long x = 0; x < n; ++x) {
        double sum = 0;
        for (long j = 0; j <= std::min(x, y); ++j)
          sum += (j == y ? 1 : f.at(j, y)) * f.at(x, j);
        ASSERT_NEAR(sum, a.at(x, y), 1e-9) << how;
      }
  }
}

TEST(CudaLibraries, EmptyMatrices) {
  CudaLibraries libraries(PB_TEST_LIBRARIES);
  libraries.open(Entry::Gemm);
  const LibraryCall call("cublas.gemm double");
  libraries.prepare(call, {view(0, 3, 1, 1), view(2, 3, 1, 2), view(0, 2, 1, 1)}, {})(nullptr); // nothing
  EXPECT_THROW(libraries.prepare(call, {view(4, 3, 1, 4), view(0, 3, 1, 1), view(4, 0, 1, 4)}, {}),
               DeviceError);
}

/// Whoever is first: the management thread need not be it.
TEST(CudaLibraries, AnFftIsPlannedOnceByAnyThread) {
  CudaLibraries libraries(PB_TEST_LIBRARIES);
  libraries.open(Entry::Fft);
  void *library = dlopen(PB_TEST_LIBRARIES "/libcufft.so", RTLD_NOW);
  ASSERT_TRUE(library) << dlerror();
  const auto plans = reinterpret_cast<int (*)()>(dlsym(library, "pb_test_plans"));
  const LibraryCall call("cufft.forward double");
  const auto lies = [](long n) { // pairs along dimension 0
    LibraryMatrix m;
    m.extent[0] = 2, m.extent[1] = n, m.stride[0] = 1, m.stride[1] = 2;
    return std::vector<LibraryMatrix>{m, m};
  };
  const int before = plans();
  std::vector<std::thread> threads;
  for (int k = 0; k < 8; ++k)
    threads.emplace_back([&, k] { libraries.plan(call, lies(16 + k % 2)); });
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(plans() - before, 2);
  std::vector<double> in(32, 1), out(32);
  auto matrices = lies(16);
  matrices[0].address = reinterpret_cast<unsigned long>(out.data());
  matrices[1].address = reinterpret_cast<unsigned long>(in.data());
  libraries.prepare(call, matrices, {})(nullptr);
  EXPECT_NEAR(out[0], 16, 1e-9);
  EXPECT_EQ(plans() - before, 2);
  // Plans that are no longer kept are still there for whoever has them.
  const auto run = libraries.prepare(call, matrices, {});
  for (long n = 100; n < 200; ++n)
    libraries.plan(call, lies(n));
  out.assign(32, 0);
  run(nullptr);
  EXPECT_NEAR(out[0], 16, 1e-9);
}

} // namespace
} // namespace pb::device::test
