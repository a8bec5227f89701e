// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How the device of CUDA copies: through pinned memory, from locked pages, in pieces, and to other devices.
#include "cuda_fixture.h"
#include "runtime/device/cuda/staging.h"

#include <atomic>
#include <gmock/gmock.h>
#include <numeric>

namespace pb::device::test {
namespace {

TEST(CopyThreads, EveryPartIsDoneOnce) {
  for (const int helpers : {0, 1, 3}) {
    CopyThreads threads(helpers);
    std::vector<int> count(1000);
    for (int round = 0; round < 200; ++round)
      threads.share([&](int part, int parts) {
        EXPECT_EQ(parts, helpers + 1);
        for (std::size_t k = count.size() * part / parts; k < count.size() * (part + 1) / parts; ++k)
          ++count[k];
      });
    EXPECT_THAT(count, testing::Each(200));
  }
}

/// Copies of all shapes: small and large, rows, planes, pieces.
void copyAllShapes(Device *device, bool areLocked) {
  const long n = 5L << 20;
  std::vector<int> host(n), zeros(n);
  std::iota(host.begin(), host.end(), 1);
  for (const Transfer &t :
       {Transfer{.offset = 4, .bytes = 100},
        Transfer{.offset = 8, .bytes = 15UL << 20},                            // several pieces of a row
        Transfer{.offset = 4, .bytes = 4000, .rows = 3000, .rowStride = 4096}, // several pieces of rows
        Transfer{
            .offset = 4, .bytes = 400, .rows = 30, .rowStride = 512, .planes = 500, .planeStride = 16384},
        Transfer{.offset = 4, .bytes = 8, .rows = 10, .rowStride = 16384, .planes = 6, .planeStride = 32},
        Transfer{.offset = 4096, .bytes = 8, .rows = 10, .rowStride = -64},
        Transfer{.offset = 0, .bytes = 5UL << 20, .rows = 2, .rowStride = 6L << 20},
        Transfer{.offset = 4, .bytes = 8, .rows = 0}}) {
    auto buffer = bufferOf(*device, zeros);
    std::vector<int> expected(n), out(n, -1), expectedOut(n, -1);
    for (long plane = 0; plane < t.planes; ++plane)
      for (long row = 0; row < t.rows; ++row)
        for (unsigned long k = 0; k < t.bytes / 4; ++k) {
          const long at = (static_cast<long>(t.offset) + plane * t.planeStride + row * t.rowStride) / 4 + k;
          expected[at] = expectedOut[at] = host[at];
        }
    if (areLocked)
      ASSERT_TRUE(device->lockPages(host.data(), n * 4) && device->lockPages(out.data(), n * 4));
    finish(*device, device->copyIn(*buffer, t, host.data()));
    ASSERT_TRUE(contentsOf<int>(*device, *buffer, n) == expected)
        << t.bytes << " x " << t.rows << " x " << t.planes;
    const EventRef event = device->copyOut(*buffer, t, out.data());
    finish(*device, event);
    if (areLocked)
      device->unlockPages(host.data()), device->unlockPages(out.data());
    ASSERT_TRUE(out == expectedOut) << t.bytes << " x " << t.rows << " x " << t.planes;
  }
}

TEST_F(CudaDevices, CopiesThroughPinnedMemory) {
  const int staged = of<int()>("pb_test_host_functions")();
  copyAllShapes(device.get(), false);
  EXPECT_GT(of<int()>("pb_test_host_functions")(), staged);
}

TEST_F(CudaDevices, CopiesOfLockedPagesAreDirect) {
  std::vector<int> small(16, 5), large(4L << 20);
  copyAllShapes(device.get(), true);
  EXPECT_EQ(of<int()>("pb_test_registered")(), 0);
  // A part of it outside of the locked pages: the whole copy is staged.
  std::iota(large.begin(), large.end(), 1);
  const unsigned long bytes = large.size() * 4;
  auto buffer = device->allocate(bytes);
  device->lockPages(large.data(), bytes - 4096);
  int staged = of<int()>("pb_test_host_functions")();
  finish(*device, device->copyIn(*buffer, {.bytes = bytes - 4096}, large.data()));
  EXPECT_EQ(of<int()>("pb_test_host_functions")(), staged);
  finish(*device, device->copyIn(*buffer, {.bytes = bytes}, large.data()));
  EXPECT_GT(of<int()>("pb_test_host_functions")(), staged);
  staged = of<int()>("pb_test_host_functions")();
  const auto back = contentsOf<int>(*device, *buffer, large.size());
  EXPECT_TRUE(back == large);
  EXPECT_GT(of<int()>("pb_test_host_functions")(), staged);
  of<void(int)>("pb_test_fail_register")(801);
  EXPECT_THROW(device->lockPages(small.data(), 64), DeviceError);
  of<void(int)>("pb_test_fail_register")(0);
  device = nullptr; // unlocks what is left
  EXPECT_EQ(of<int()>("pb_test_registered")(), 0);
}

TEST_F(CudaDevices, SlotsWaitForTheSlowerSide) {
  const Transfer t{.bytes = 40UL << 20}; // ten pieces for four slots
  std::vector<int> host(t.bytes / 4), back(t.bytes / 4);
  std::iota(host.begin(), host.end(), 1);
  for (const auto &[slowHost, slowLink] : {std::pair(15, 0), std::pair(0, 15)}) {
    of<void(int, int)>("pb_test_slow")(slowHost, slowLink);
    auto buffer = device->allocate(t.bytes);
    device->copyIn(*buffer, t, host.data());
    finish(*device, device->copyOut(*buffer, t, back.data()));
    EXPECT_TRUE(back == host);
    std::fill(back.begin(), back.end(), 0);
  }
  of<void(int, int)>("pb_test_slow")(0, 0);
}

TEST_F(CudaDevices, HelpersCopyTheSame) { // whatever this machine has
  auto context = std::make_shared<CudaContext>(0);
  CudaPool pool(context);
  CudaMemory memory = pool.allocate(8UL << 20);
  CuStream stream = nullptr;
  context->cuda.cuStreamCreate(&stream, 1);
  std::vector<int> host(2L << 20), back(host.size(), -1), expected(host.size(), -1);
  std::iota(host.begin(), host.end(), 1);
  const Transfer t{
      .offset = 4, .bytes = 4004, .rows = 400, .rowStride = 4096, .planes = 4, .planeStride = 1700L << 10};
  for (long at = 0; at < 4 * 400 * 1001; ++at) {
    const long cell = 1 + at / 400400 * 435200 + at / 1001 % 400 * 1024 + at % 1001;
    expected[cell] = host[cell];
  }
  {
    Staging in(context, true, 3), out(context, false, 3);
    in.copy(stream, memory.address, t, reinterpret_cast<char *>(host.data()));
    out.copy(stream, memory.address, t, reinterpret_cast<char *>(back.data()));
    context->cuda.cuStreamSynchronize(stream);
    out.finish();
  }
  EXPECT_TRUE(back == expected);
  context->cuda.cuStreamDestroy(stream);
  pool.giveBack(std::move(memory));
}

TEST_F(CudaDevices, CopiesAcrossAreInOrderAndOfAllShapes) {
  NEEDS_NVRTC();
  const std::unique_ptr<Device> other = openCudaDevice(1);
  ASSERT_TRUE(device->reaches(*other));
  EXPECT_FALSE(device->reaches(*device));
  const long n = 1 << 20;
  const auto kernel = device->build({kScale, "scale", {64, 1, 1}});
  std::vector<float> ones(n, 1);
  for (const Transfer &t :
       {Transfer{.bytes = n * 4UL}, Transfer{.offset = 4, .bytes = 4000, .rows = 200, .rowStride = 4096},
        Transfer{.offset = 4, .bytes = 400, .rows = 30, .rowStride = 512, .planes = 50, .planeStride = 16384},
        Transfer{.offset = 4096, .bytes = 8, .rows = 10, .rowStride = -64},
        Transfer{.offset = 4, .bytes = 8, .rows = 0}}) {
    const auto from = bufferOf(*device, ones), to = bufferOf(*other, ones);
    EXPECT_TRUE(other->isIdle(*to));
    scale(*kernel, *from, n, 3);
    const EventRef event = device->copyAcross(*from, t, *other, *to);
    scale(*kernel, *from, n, 2);
    finish(*device, event);
    std::vector<float> expected(n, 1);
    for (long plane = 0; plane < t.planes; ++plane)
      for (long row = 0; row < t.rows; ++row)
        std::fill_n(expected.begin() +
                        (static_cast<long>(t.offset) + plane * t.planeStride + row * t.rowStride) / 4,
                    t.bytes / 4, 3.0f);
    ASSERT_TRUE(contentsOf<float>(*other, *to, n) == expected)
        << t.bytes << " x " << t.rows << " x " << t.planes;
    ASSERT_THAT(contentsOf<float>(*device, *from, n), testing::Each(6.0f));
  }
}

TEST_F(CudaDevices, CallsWhenACopyIsOnTheHost) {
  std::vector<char> host(16 << 20, 7);
  auto buffer = device->allocate(host.size());
  std::atomic<int> over = 0;
  of<void(int, int)>("pb_test_slow")(20, 0); // the host's side
  const EventRef in = device->copyIn(*buffer, {.bytes = host.size()}, host.data()),
                 out = device->copyOut(*buffer, {.bytes = host.size()}, host.data());
  ASSERT_TRUE(device->callWhenOver(*out, [&] { ++over; }));
  EXPECT_EQ(over, 0);
  ASSERT_TRUE(eventually([&] { return over == 1; }));
  EXPECT_TRUE(out->isDone());
  of<void(int, int)>("pb_test_slow")(0, 0);
  EXPECT_TRUE(in->isDone());
  device->callWhenOver(*out, [&] { ++over; });
  device = nullptr; // waits for calls that are still to come
  EXPECT_EQ(over, 2);
}

} // namespace
} // namespace pb::device::test
