// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The management thread over every kind of device that this machine has.
#include "manager_support.h"
#include "support.h"

#include "runtime/device/host_access.h"
#include "runtime/task/scheduler.h"
#include <gtest/gtest.h>

namespace pb::device::test {
namespace {

constexpr const char *kPlus = R"(
PB_KERNEL(plus)(PB_GLOBAL const float *A_p, long A_o, long A_s0, long A_s1, PB_GLOBAL float *B_p, long B_o, long B_s0,
                long B_s1, long value, long low0, long high0, long low1, long high1)
{
  PB_BEGIN
  const long i0 = low0 + PB_ID(0), i1 = low1 + PB_ID(1);
  if (i0 < high0 && i1 < high1)
    B_p[B_o + i0 * B_s0 + i1 * B_s1] = A_p[A_o + i0 * A_s0 + i1 * A_s1] + (float)value;
  PB_END
}
)";
constexpr const char *kRound = R"(
PB_KERNEL(twice)(PB_GLOBAL float *A_p, long A_o, long A_s0, long A_s1, long low0, long high0, long low1, long high1)
{
  PB_BEGIN
  const long i1 = low1 + PB_ID(0);
  if (i1 < high1)
    A_p[A_o + i1 * A_s0] = A_p[A_o + i1 * A_s0] * 2.0f + (float)low0;
  PB_END
}
)";

using Floats = Region<float, 2>;

Place allOf(const Floats &m) {
  AnyRegion a;
  a.base = m.base(), a.owner = m.owner();
  for (int d = 0; d < 2; ++d)
    a.stride[d] = m.strides()[d], a.extent[d] = m.extents()[d];
  return placeOf(a, 2, 4);
}

Floats filled(int width, int height, float value) {
  Floats m = Floats::allocate(width, height);
  std::fill_n(m.base(), m.count(), value);
  return m;
}

void expectAll(const Floats &m, float value) {
  for (int y = 0; y < m.height(); ++y)
    for (int x = 0; x < m.width(); ++x)
      ASSERT_EQ(m.cell(x, y), value) << x << ", " << y;
}

class ManagerOver : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    auto device = openFor(GetParam());
    if (!device)
      GTEST_SKIP() << "this machine has no device of " << GetParam();
    Options options;
    options.trace = &trace;
    manager = std::make_unique<Manager>(std::move(device), table, options);
    plusKernel = manager->build({kPlus, "plus", {16, 4, 1}});
    roundKernel = manager->build({kRound, "twice", {16, 1, 1}});
  }
  Launch plus(const Floats &a, const Floats &b, long value) const {
    const Cells cells{{0, 0}, {b.width(), b.height()}};
    Launch l;
    l.name = "plus";
    l.kernel = plusKernel;
    l.matrices = {{allOf(a), cells, {}, true}, {allOf(b), {}, cells, false, true, true}};
    l.values = {value};
    l.box = Box{2, {0, 0}, {b.width(), b.height()}};
    l.group[0] = 16, l.group[1] = 4;
    return l;
  }
  void expect(const Floats &m, float value) const {
    manager->copyOutNow(allOf(m));
    expectAll(m, value);
  }

  Trace trace;
  Table table{1};
  std::unique_ptr<Manager> manager;
  std::shared_ptr<Kernel> plusKernel, roundKernel;
};
INSTANTIATE_TEST_SUITE_P(All, ManagerOver, testing::Values("fake", "opencl", "cuda"),
                         [](const auto &info) { return info.param; });

TEST_P(ManagerOver, AChainOfViews) { // requirements 27, 30 to 32
  const auto in = filled(300, 200, 1), buffer = filled(300, 200, 0), out = filled(300, 200, 0);
  const auto transposed = in.transposed();
  const auto left = buffer.region(0, 0, 150, 200), right = buffer.region(150, 0, 300, 200);
  for (int k = 0; k < 3; ++k) {
    const Submitted s =
        manager->submitNow({plus(in.region(0, 0, 150, 200), left, 1),
                            plus(in.region(150, 0, 300, 200), right, 1), plus(buffer, out, k)});
    ASSERT_EQ(s.count, 3) << s.why->what();
    expect(out, 2.0f + static_cast<float>(k));
  }
  const auto across = filled(200, 300, 0);
  manager->submitNow({plus(transposed, across, 5)});
  expect(across, 6);
  if (!manager->about().sharesMemory) {
    EXPECT_EQ(manager->counters().bytesIn, 300u * 200 * 4);
    EXPECT_EQ(manager->counters().bytesOut, 300u * 200 * 4 * 4);
  }
  task::Scheduler one(1);
  one.run(hostAccess(table, {{allOf(in), false, true, true}}));
  std::fill_n(in.base(), in.count(), 7.0f);
  manager->submitNow({plus(in, out, 1)});
  expect(out, 8);
}

TEST_P(ManagerOver, ManyLaunchesInRounds) { // requirement 63
  const auto a = filled(100, 2, 0);
  const Cells row{{0, 0}, {100, 1}};
  Launch l;
  l.name = "rounds";
  l.kernel = roundKernel;
  l.matrices = {{allOf(a), row, row, true, true, true}};
  l.box = Box{2, {0, 0}, {20, 100}};
  l.inRounds = true;
  l.group[0] = 16;
  for (int k = 0; k < 20; ++k) {
    const auto b = filled(50, 50, 1), c = filled(50, 50, 0);
    ASSERT_EQ(manager->submitNow({l, plus(b, c, k)}).count, 2);
    expect(c, 1.0f + static_cast<float>(k));
    task::Scheduler one(1);
    one.run(hostAccess(table, {{allOf(a), true, true, true}}));
    float expected = 0;
    for (int r = 0; r < 20; ++r)
      expected = expected * 2 + static_cast<float>(r);
    for (int x = 0; x < 100; ++x) {
      ASSERT_EQ(a.cell(x, 0), expected);
      ASSERT_EQ(a.cell(x, 1), 0);
      a.cell(x, 0) = 0;
    }
  }
  EXPECT_LE(manager->counters().buffers, 6u);
}

TEST_P(ManagerOver, KernelsAndCopiesAreInTheTrace) {
  const auto a = filled(300, 200, 1), b = filled(300, 200, 0);
  manager->submitNow({plus(a, b, 1)});
  expect(b, 2);
  const bool shares = manager->about().sharesMemory;
  manager.reset();
  int kernels = 0, copies = 0;
  for (const Trace::Lane &lane : trace.lanes())
    for (const Trace::Event &e : lane.events)
      if (e.device == 0)
        ++(std::string("kernel") == e.category ? kernels : copies);
  EXPECT_EQ(kernels, 1);
  if (!shares) {
    EXPECT_EQ(copies, 2);
  }
}

} // namespace
} // namespace pb::device::test
