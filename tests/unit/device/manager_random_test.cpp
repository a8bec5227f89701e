// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares random programs over two devices with the same on the processor alone: with little memory, refused
// launches and copies, and shared memory.
#include "manager_support.h"

#include "runtime/device/host_access.h"
#include "runtime/device/record.h"
#include "runtime/task/scheduler.h"
#include <gtest/gtest.h>
#include <random>

namespace pb::device::test {
namespace {

class Program {
public:
  Program(unsigned seed, const std::string &first, const std::string &second)
      : random_(seed), table_(2), scheduler_(1), first_(first, 2, 0, &table_),
        second_(second, 2, 1, &table_) {
    for (int k = 0; k < 4; ++k)
      renew(k);
  }

  void step() {
    const int from = below(4), to = (from + 1 + below(3)) % 4;
    const long low = below(8), high = low + 1 + below(static_cast<int>(8 - low));
    switch (below(8)) {
    case 0:
      return renew(to);
    case 1:
      return readAll(to);
    case 2:
      return writeBox(to);
    default:
      launch(below(2) ? first_ : second_, from, to, low, high);
    }
  }

  void readAll(int k) {
    access({{all(real_[k]), true, false, false}});
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 8; ++x)
        ASSERT_EQ(real_[k].cell(x, y), model_[k].cell(x, y)) << "matrix " << k << ", cell " << x << ", " << y;
  }
  int refused() const { return refused_; }

private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  /// A new matrix instead; sometimes with rows that are apart.
  void renew(int k) {
    const double value = below(100);
    real_[k] = below(2) ? matrix(8, 8, value) : matrix(11, 8, value).region(1, 0, 9, 8);
    if (below(3) == 0)
      real_[k] = real_[k].transposed();
    model_[k] = matrix(8, 8, value);
  }

  void access(const std::vector<HostUse> &uses) {
    if (!hostMayAccess(table_, uses))
      scheduler_.run(hostAccess(table_, uses));
  }

  void writeBox(int k) {
    const long x0 = below(8), y0 = below(8), x1 = x0 + 1 + below(static_cast<int>(8 - x0)),
               y1 = y0 + 1 + below(static_cast<int>(8 - y0));
    const bool covers = below(2) != 0;
    access({{part(real_[k], x0, y0, x1, y1), false, true, covers}});
    const double value = below(100);
    for (long y = y0; y < y1; ++y)
      for (long x = x0; x < x1; ++x)
        if (covers || (x + y) % 2)
          real_[k].cell(x, y) = model_[k].cell(x, y) = value;
  }

  void launch(const Bench &bench, int from, int to, long low, long high) {
    Launch l = bench.plus(real_[from], real_[to], 1, low, high);
    l.matrices[1].covers = below(3) != 0; // says less than is so
    l.matrices[1].copiesOut = below(3) == 0;
    std::vector<Launch> launches{l};
    if (below(3) == 0)
      launches.push_back(bench.plus(real_[to], real_[from], 2, low, high));
    const Submitted s = bench.manager->submitNow(launches);
    refused_ += s.count < static_cast<int>(launches.size());
    EXPECT_EQ(s.count < static_cast<int>(launches.size()), s.why.has_value());
    for (int n = 0; n < s.count; ++n)
      for (long y = low; y < high; ++y)
        for (int x = 0; x < 8; ++x)
          if (n == 0)
            model_[to].cell(x, y) = model_[from].cell(x, y) + 1;
          else
            model_[from].cell(x, y) = model_[to].cell(x, y) + 2;
  }

  std::mt19937 random_;
  Matrix2 real_[4], model_[4]; // must outlive the managers
  Table table_;
  task::Scheduler scheduler_;
  const Bench first_, second_;
  int refused_ = 0;
};

int run(const std::string &first, const std::string &second) {
  int refused = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Program program(seed, first, second);
    for (int k = 0; k < 60 && !testing::Test::HasFatalFailure(); ++k)
      program.step();
    for (int k = 0; k < 4 && !testing::Test::HasFatalFailure(); ++k)
      program.readAll(k);
    refused += program.refused();
    if (testing::Test::HasFailure())
      break;
  }
  return refused;
}

TEST(ManagerRandom, TwoDevices) { EXPECT_EQ(run("", "latency=30us"), 0); }
TEST(ManagerRandom, LittleMemory) { EXPECT_EQ(run("memory=1500", "memory=2K latency=20us"), 0); }
TEST(ManagerRandom, TooLittleMemory) { EXPECT_GT(run("memory=1100", "memory=1K"), 0); }
TEST(ManagerRandom, SharedMemory) { EXPECT_EQ(run("shares=1 latency=20us", "latency=20us"), 0); }
TEST(ManagerRandom, BothShareMemory) { EXPECT_EQ(run("shares=1 latency=20us", "shares=1"), 0); }
TEST(ManagerRandom, RefusedLaunches) {
  EXPECT_GT(run("fail=launch:3,launch:4,launch:9", "latency=20us fail=launch:1,launch:7"), 0);
}
TEST(ManagerRandom, DevicesThatDoNotReachEachOther) { EXPECT_EQ(run("peers=0", "latency=30us"), 0); }
TEST(ManagerRandom, RefusedCopiesAcross) {
  EXPECT_EQ(run("fail=across:1,across:3,across:4", "latency=20us fail=across:2"), 0);
}
TEST(ManagerRandom, RefusedCopiesIn) { run("fail=copy:1", "latency=20us fail=copy:1"); }

} // namespace
} // namespace pb::device::test
