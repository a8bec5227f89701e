// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device of CUDA without a GPU: order of commands, events, memory, failures.
#include "cuda_fixture.h"

#include <deque>
#include <gmock/gmock.h>

namespace pb::device::test {
namespace {

TEST_F(CudaDevices, SaysWhatItIs) {
  EXPECT_EQ(device->about().api, "cuda");
  EXPECT_EQ(device->about().name, "a test");
  EXPECT_THAT(device->about().driver, testing::StartsWith("driver 13.0, "));
  EXPECT_EQ(device->about().localBytes, 49152u);
}

TEST_F(CudaDevices, CommandsOnOneBufferAreInOrder) {
  NEEDS_NVRTC();
  const long n = 100'000;
  const auto kernel = device->build({kScale, "scale", {64, 1, 1}});
  std::vector<float> a(n, 1), b(n), c(n);
  const Transfer all{.bytes = n * sizeof(float)};
  for (int round = 0; round < 20; ++round) { // buffers come from the pool while their last commands still run
    auto buffer = device->allocate(all.bytes);
    device->copyIn(*buffer, all, a.data());
    scale(*kernel, *buffer, n, 3);
    const EventRef first = device->copyOut(*buffer, all, b.data());
    scale(*kernel, *buffer, n, 2);
    const EventRef second = device->copyOut(*buffer, all, c.data());
    buffer.reset();
    auto next = device->allocate(all.bytes);
    std::vector<float> d(n, 7);
    const EventRef third = device->copyIn(*next, all, d.data());
    finish(*device, third);
    finish(*device, second);
    finish(*device, first);
    ASSERT_THAT(b, testing::Each(3.0f));
    ASSERT_THAT(c, testing::Each(6.0f));
    ASSERT_THAT(contentsOf<float>(*device, *next, n), testing::Each(7.0f));
  }
}

TEST_F(CudaDevices, LaunchesBesideOthersAreInOrderWithAllElse) {
  NEEDS_NVRTC();
  const long n = 100'000;
  const std::unique_ptr<Kernel> kernels[] = {device->build({kScale, "scale", {64, 1, 1}}),
                                             device->build({kScale, "scale", {64, 1, 1}})};
  const auto scalePart = [&](Kernel &kernel, Buffer &buffer, long low, long high, double by) {
    return device->launch(kernel,
                          {Argument::writes(buffer), Argument::of(0L),
                           Argument::of(__builtin_bit_cast(long, by)), Argument::of(low), Argument::of(high)},
                          gridOf((n + 63) / 64 * 64, 64));
  };
  const Transfer all{.bytes = n * sizeof(float)};
  std::vector<float> a(n, 1), b(n);
  for (int round = 0; round < 20; ++round) {
    auto buffer = device->allocate(all.bytes);
    device->copyIn(*buffer, all, a.data());
    scale(*kernels[0], *buffer, n, 3);
    device->fork();
    scalePart(*kernels[0], *buffer, 0, n / 2, 2);
    device->launchBeside(true);
    scalePart(*kernels[1], *buffer, n / 2, n, 5);
    device->launchBeside(false);
    scale(*kernels[0], *buffer, n, 10);
    finish(*device, device->copyOut(*buffer, all, b.data()));
    for (long k = 0; k < n; ++k)
      ASSERT_EQ(b[k], k < n / 2 ? 60.0F : 150.0F) << k;
  }
}

TEST_F(CudaDevices, MemoryIsUsedAgain) { // requirement 63
  const int before = of<int()>("pb_test_allocations")();
  for (int k = 0; k < 100; ++k)
    device->allocate(1'000'000 + k % 3);
  EXPECT_EQ(of<int()>("pb_test_allocations")() - before, 1);
  EXPECT_GE(device->keptBytes(), 1'000'000u);
  EXPECT_LE(device->keptBytes(), 1'200'000u);
  std::vector<std::unique_ptr<Buffer>> buffers; // and does not stand in the way of other sizes
  for (int k = 0; k < 6; ++k)
    buffers.push_back(device->allocate(10UL << 20));
  try {
    device->allocate(10UL << 20);
    FAIL() << "more memory than there is";
  } catch (const DeviceError &error) {
    EXPECT_EQ(error.failure(), Failure::OutOfMemory);
  }
  EXPECT_EQ(device->keptBytes(), 0u); // it has given all of it back
}

TEST_F(CudaDevices, MemoryOfOthersIsUsedWhereItLies) {
  auto allocate = of<CuStatus(float **, std::size_t)>("cuMemAlloc_v2");
  auto free = of<CuStatus(float *)>("cuMemFree_v2");
  const int before = of<int()>("pb_test_allocations")();
  const long n = 1000;
  const Transfer all{.bytes = n * sizeof(float)};
  float *cells = nullptr; // the memory of this driver is the processor's
  ASSERT_EQ(allocate(&cells, all.bytes), 0);
  std::fill_n(cells, n, 1.0F);
  const unsigned long kept = device->keptBytes();
  auto buffer = device->borrow(cells, all.bytes);
  EXPECT_EQ(contentsOf<float>(*device, *buffer, n), std::vector<float>(n, 1));
  const std::vector<float> four(n, 4);
  const EventRef in = device->copyIn(*buffer, all, four.data());
  finish(*device, in);
  EXPECT_TRUE(device->isIdle(*buffer));
  EXPECT_EQ(std::vector<float>(cells, cells + n), four);
  buffer.reset();
  EXPECT_EQ(device->keptBytes(), kept) << "it is not the pool's";
  EXPECT_EQ(free(cells), 0);
  EXPECT_EQ(of<int()>("pb_test_allocations")(), before + 1);
  std::vector<float> host(n);
  try {
    device->borrow(host.data(), all.bytes);
    FAIL() << "memory of the processor was taken";
  } catch (const DeviceError &e) {
    EXPECT_EQ(e.failure(), Failure::Unsuitable);
    EXPECT_STREQ(e.what(), "the memory is not that of a test");
  }
}

TEST_F(CudaDevices, EventsComeFromAPoolAndHaveNoTimes) {
  NEEDS_NVRTC();
  const auto kernel = device->build({kScale, "scale", {64, 1, 1}});
  auto buffer = bufferOf(*device, std::vector<float>(64, 1));
  const int before = of<int()>("pb_test_events")(), timed = of<int()>("pb_test_timed_events")();
  std::deque<EventRef> running;
  for (int k = 0; k < 3'000; ++k) { // at most eight at once, as a management thread bounds them, too
    running.push_back(scale(*kernel, *buffer, 64, 1));
    if (running.size() == 8) {
      finish(*device, running.front());
      EXPECT_EQ(running.front()->span().end, 0u);
      running.pop_front();
    }
  }
  EXPECT_LE(of<int()>("pb_test_events")() - before, 10);
  EXPECT_EQ(of<int()>("pb_test_timed_events")(), timed);
}

TEST_F(CudaDevices, TimesAreThereWhereTheyAreAskedFor) {
  NEEDS_NVRTC();
  device->timeCommands();
  const auto kernel = device->build({kScale, "scale", {64, 1, 1}});
  auto buffer = device->allocate(256);
  std::vector<float> host(64, 1);
  const EventRef in = device->copyIn(*buffer, {.bytes = 256}, host.data()),
                 ran = scale(*kernel, *buffer, 64, 2),
                 out = device->copyOut(*buffer, {.bytes = 256}, host.data());
  for (const EventRef &event : {in, ran, out}) {
    finish(*device, event);
    EXPECT_GE(event->span().end, event->span().begin);
    EXPECT_GT(event->span().begin, 0u);
  }
  EXPECT_GE(out->span().begin, ran->span().begin);
}

// The clock begins behind what the device was doing, and copies have a stream of their own.
TEST_F(CudaDevices, NoTimeIsBeforeTheClockBegan) {
  NEEDS_NVRTC();
  constexpr long kMany = 4'000'000;
  const auto kernel = device->build({kScale, "scale", {64, 1, 1}});
  auto busy = bufferOf(*device, std::vector<float>(kMany, 1)), buffer = device->allocate(256);
  std::vector<float> host(64, 1);
  const EventRef before = scale(*kernel, *busy, kMany, 2);
  device->timeCommands();
  const EventRef in = device->copyIn(*buffer, {.bytes = 256}, host.data());
  finish(*device, in);
  EXPECT_TRUE(before->isDone());
  EXPECT_LT(in->span().begin, 600'000'000'000u); // within minutes, not wrapped around
}

TEST_F(CudaDevices, NoEventIsLeftBehind) {
  {
    std::vector<std::string> complaints;
    const auto other = std::move(openDevices("cuda", complaints).at(0));
    finish(*device, device->copyIn(*device->allocate(8), {.bytes = 8}, "1234567"));
    device = nullptr;
    EXPECT_GT(of<int()>("pb_test_events")(), 0);
  }
  EXPECT_EQ(of<int()>("pb_test_live_events")(), 0);
}

TEST_F(CudaDevices, KernelsAskForMemoryOfGroups) {
  NEEDS_NVRTC();
  EXPECT_EQ(device->about().mostLocalBytes, 232448u);
  auto buffer = bufferOf(*device, std::vector<float>(64, 1));
  for (const long bytes : {0L, 60'000L, 232'448L}) {
    const auto kernel = device->build({kScale, "scale", {64, 1, 1}, false, bytes});
    finish(*device, scale(*kernel, *buffer, 64, 2));
    EXPECT_EQ(of<int()>("pb_test_last_local")(), bytes);
    const ChainLaunch one{{Argument::writes(*buffer), Argument::of(0L),
                           Argument::of(__builtin_bit_cast(long, 1.0)), Argument::of(0L), Argument::of(64L)},
                          gridOf(64, 64)};
    finish(*device, device->launchChain(*kernel, std::vector(64, one)));
    EXPECT_EQ(of<int()>("pb_test_last_local")(), bytes);
  }
  EXPECT_THAT(contentsOf<float>(*device, *buffer, 64), testing::Each(8.0f));
  const auto refused = [&](long bytes) {
    try {
      device->build({kScale, "scale", {64, 1, 1}, false, bytes});
      return std::string("it was built");
    } catch (const DeviceError &error) {
      EXPECT_EQ(error.failure(), Failure::Build);
      return std::string(error.what());
    }
  };
  EXPECT_THAT(refused(232'449),
              testing::HasSubstr("asks for 232449 bytes of a group's memory, and the driver refuses"));
  of<void(int)>("pb_test_fail_local")(801); // not supported
  EXPECT_THAT(refused(60'000), testing::HasSubstr("asks for 60000 bytes of a group's memory"));
  EXPECT_EQ(refused(0), "it was built");
  of<void(int)>("pb_test_fail_local")(0);
}

TEST_F(CudaDevices, AGridWithManyGroupsComesInParts) {
  NEEDS_NVRTC();
  const auto kernel = device->build({R"(
PB_KERNEL(count)(PB_GLOBAL int *A_p)
{
  PB_BEGIN
  A_p[PB_GROUP_ID(2) * 100 + PB_GROUP_ID(1)] += 1;
  PB_END
}
)",
                                     "count",
                                     {1, 2, 1}});
  const int before = of<int()>("pb_test_launches")();
  auto counts =
      bufferOf(*device, std::vector<int>(1000)); // this driver has at most 5 groups along y, 3 along z
  device->launch(*kernel, {Argument::writes(*counts)}, {{1, 24, 7}, {1, 2, 1}});
  finish(*device, device->launch(*kernel, {Argument::writes(*counts)}, {{1, 2, 1}, {1, 2, 1}}));
  const auto result = contentsOf<int>(*device, *counts, 1000);
  for (int k = 0; k < 1000; ++k)
    ASSERT_EQ(result[k], (k % 100 < 12 && k / 100 < 7 ? 1 : 0) + (k == 0 ? 1 : 0)) << k;
  EXPECT_EQ(of<int()>("pb_test_launches")() - before, 3 * 3 + 1);
}

TEST_F(CudaDevices, FailuresAreToldApart) {
  NEEDS_NVRTC();
  const auto kernel = device->build({kScale, "scale", {64, 1, 1}});
  auto buffer = bufferOf(*device, std::vector<float>(64, 1));
  const auto failure = [&](int status) {
    of<void(int)>("pb_test_fail_launch")(status);
    try {
      scale(*kernel, *buffer, 64, 2);
    } catch (const DeviceError &error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("CUDA_ERROR_OF_TESTS"));
      return error.failure();
    }
    throw std::runtime_error("nothing failed");
  };
  EXPECT_EQ(failure(701), Failure::Launch); // too many resources
  EXPECT_EQ(failure(719), Failure::Lost);
  EXPECT_EQ(failure(2), Failure::OutOfMemory);
  finish(*device, scale(*kernel, *buffer, 64, 2));
  EXPECT_THAT(contentsOf<float>(*device, *buffer, 64), testing::Each(2.0f));
}

TEST_F(CudaDevices, WhatALibraryBeganBeforeItRefusedIsInOrderToo) {
  setenv("PB_CUDA_LIBRARIES", PB_TEST_LIBRARIES, 1);
  std::vector<std::string> complaints;
  device = std::move(openDevices("cuda", complaints).at(0)); // its libraries are the tests'
  const auto kernel = device->build({"cublas.trsm_lower double", "", {1, 1, 1}, true});
  const long n = 4;
  auto x = bufferOf(*device, std::vector<double>(n * n)),
       l = bufferOf(*device, std::vector<double>(n * n, 1)),
       b = bufferOf(*device, std::vector<double>(n * n, 3));
  std::vector<Argument> arguments;
  for (Buffer *buffer : {x.get(), l.get(), b.get()}) {
    arguments.push_back(buffer == x.get() ? Argument::writes(*buffer) : Argument::reads(*buffer));
    for (const long value : {0L, 1L, n}) // first element, strides
      arguments.push_back(Argument::of(value));
  }
  for (int extent = 0; extent < 6; ++extent)
    arguments.push_back(Argument::of(n));
  setenv("PB_TEST_REFUSE", "trsm", 1); // after b was copied to x
  of<void(int, int)>("pb_test_slow")(50, 0);
  EXPECT_THROW(device->launch(*kernel, arguments, {}), DeviceError);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  of<void(int, int)>("pb_test_slow")(0, 0);
  unsetenv("PB_TEST_REFUSE");
  const std::vector<double> right(n * n, 5);
  finish(*device, device->copyIn(*x, {.bytes = n * n * sizeof(double)}, right.data()));
  std::this_thread::sleep_for(std::chrono::milliseconds(100)); // what comes too late comes now
  EXPECT_EQ(contentsOf<double>(*device, *x, n * n), right);
}

TEST_F(CudaDevices, BuffersKernelsAndEventsMayOutliveTheDevice) {
  std::vector<char> host(1 << 20);
  auto buffer = device->allocate(host.size());
  const EventRef event = device->copyOut(*buffer, {.bytes = host.size()}, host.data());
  device.reset();
  EXPECT_TRUE(event->isDone());
  buffer.reset();
}

} // namespace
} // namespace pb::device::test
