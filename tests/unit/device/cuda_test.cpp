// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CUDA without a GPU: what NVRTC makes of the dialect, and the device on the project's own driver for tests
// (cuda_driver.cpp).
#include "runtime/device/cuda/staging.h"
#include "runtime/device/dialect.h"
#include "runtime/device/list.h"
#include "support.h"

#include <atomic>
#include <deque>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <numeric>

namespace pb::device::test {
namespace {

#define NEEDS_NVRTC()                                                                                        \
  if (nvrtcVersion().empty())                                                                                \
  GTEST_SKIP() << "this machine has no NVRTC"

TEST(CompileCuda, TheWholeDialectForSeveralArchitectures) {
  NEEDS_NVRTC();
  const std::string text = kernelText(kCudaPrelude, {everythingInTheDialect(), "everything", {4, 1, 1}});
  for (const char *architecture : {"sm_80", "sm_90"}) {
    const std::string cubin = compileCuda(text, architecture);
    EXPECT_EQ(cubin.substr(0, 4), "\177ELF") << architecture;
    EXPECT_THAT(cubin, testing::HasSubstr("everything")) << architecture; // by its own name
  }
  EXPECT_THAT(compileCuda(text, "sm_999"),
              testing::HasSubstr(".visible .entry everything")); // PTX, for the driver
}

TEST(CompileCuda, SaysWhatIsWrong) {
  NEEDS_NVRTC();
  try {
    compileCuda(
        kernelText(
            kCudaPrelude,
            {"PB_KERNEL(k)(PB_GLOBAL int *A_p)\n{\n  PB_BEGIN\n  A_p[0] = nobody;\n  PB_END\n}\n", "k"}),
        "sm_90");
    FAIL() << "it compiled";
  } catch (const DeviceError &error) {
    EXPECT_EQ(error.failure(), Failure::Build);
    EXPECT_THAT(error.what(), testing::HasSubstr("k(4): error: identifier \"nobody\" is undefined"));
  }
  EXPECT_THROW(compileCuda("", "sm_10"), DeviceError);
}

TEST(CompileCuda, TooMuchLocalMemoryDoesNotCompile) { // requirement 21
  NEEDS_NVRTC();
  const KernelSource source{
      "PB_KERNEL(k)(PB_GLOBAL int *A_p)\n{\n  PB_LOCAL_ARRAY(int, t, 20000);\n  PB_BEGIN\n"
      "  t[PB_LOCAL_ID(0)] = A_p[0];\n  PB_BARRIER();\n  A_p[1] = t[A_p[0]];\n  PB_END\n}\n",
      "k"};
  EXPECT_THROW(compileCuda(kernelText(kCudaPrelude, source), "sm_90"), DeviceError);
}

TEST(CompileCuda, LooksForTheCompilerThatTheDriverCanLoad) {
  setenv("CUDA_HOME", "/home", 1);
  const auto first = [](int driver) { return nvrtcNames(driver).front(); };
  EXPECT_EQ(first(13000), "/home/lib64/libnvrtc.so.13");
  EXPECT_EQ(first(12040), "/home/lib64/libnvrtc.so.12");
  EXPECT_EQ(first(14010), "/home/lib64/libnvrtc.so.14");
  EXPECT_EQ(first(11080), "/home/lib64/libnvrtc.so.12"); // the oldest that there may be
  EXPECT_EQ(first(0), "/home/lib64/libnvrtc.so.13");
  const std::vector<std::string> all = nvrtcNames(12040);
  EXPECT_LT(std::find(all.begin(), all.end(), "libnvrtc.so.12"),
            std::find(all.begin(), all.end(), "libnvrtc.so.13"));
  EXPECT_EQ(all.back(), "/usr/local/cuda/lib64/libnvrtc.so");
  unsetenv("CUDA_HOME");
}

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

class CudaDevices : public testing::Test {
protected:
  void SetUp() override {
    setenv("PB_CUDA_DRIVER", PB_TEST_CUDA_DRIVER, 1);
    std::vector<std::string> complaints;
    auto devices = openDevices("cuda", complaints);
    if (devices.empty() || devices[0]->about().name != "a test")
      GTEST_SKIP()
          << "an earlier test of this process looked for the real driver: run this one alone, as ctest does";
    device = std::move(devices[0]);
    driver = dlopen(PB_TEST_CUDA_DRIVER, RTLD_NOW);
    ASSERT_TRUE(driver) << dlerror();
    mistakes = of<int()>("pb_test_mistakes")();
  }
  void TearDown() override {
    if (!driver)
      return;
    device.reset();
    EXPECT_EQ(of<int()>("pb_test_mistakes")(), mistakes);
  }
  template <class F>
  F *of(const char *name) {
    return reinterpret_cast<F *>(dlsym(driver, name));
  }
  EventRef scale(Kernel &kernel, Buffer &buffer, long n, double by) {
    return device->launch(kernel,
                          {Argument::writes(buffer), Argument::of(0L),
                           Argument::of(__builtin_bit_cast(long, by)), Argument::of(0L), Argument::of(n)},
                          gridOf((n + 63) / 64 * 64, 64));
  }
  std::unique_ptr<Device> device;
  void *driver = nullptr;
  int mistakes = 0;
};

TEST_F(CudaDevices, SaysWhatItIs) {
  EXPECT_EQ(device->about().api, "cuda");
  EXPECT_EQ(device->about().name, "a test");
  EXPECT_THAT(device->about().driver, testing::StartsWith("driver 13.0, "));
  EXPECT_EQ(device->about().localBytes, 49152u);
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

TEST_F(CudaDevices, ChainsAreGraphs) {
  NEEDS_NVRTC();
  const auto kernel = device->build({kScale, "scale", {64, 1, 1}});
  const auto chain = [&](Buffer &buffer, double by) {
    std::vector<ChainLaunch> all;
    for (int k = 0; k < 64; ++k)
      all.push_back(
          {{Argument::writes(buffer), Argument::of(0L),
            Argument::of(__builtin_bit_cast(long, k == 7 ? by : 1.0)), Argument::of(0L), Argument::of(64L)},
           gridOf(64, 64)});
    return all;
  };
  const auto contents = [&](Buffer &buffer) { return contentsOf<float>(*device, buffer, 64); };
  const int edges = of<int()>("pb_test_edges")();
  const int launches = of<int()>("pb_test_launches")(), events = of<int()>("pb_test_live_events")();
  {
    auto buffer = bufferOf(*device, std::vector<float>(64, 1));
    for (int k = 0; k < 10; ++k)
      ASSERT_TRUE(device->launchChain(*kernel, chain(*buffer, 2)));
    EXPECT_THAT(contents(*buffer), testing::Each(1024.0f));
    EXPECT_EQ(of<int()>("pb_test_graphs")(), 1);
    EXPECT_EQ(of<int()>("pb_test_edges")() - edges, 63) << "each waits for the one before it";
    auto some = chain(*buffer, 2); // 0; 1 and 2; 3, 4 and 5; and so on up to 63 in a chain
    for (const int k : {2, 4, 5})
      some[static_cast<std::size_t>(k)].waits = false;
    ASSERT_TRUE(device->launchChain(*kernel, some));
    EXPECT_EQ(of<int()>("pb_test_edges")() - edges, 63 + 2 + 3 * 2 + 3 + 57);
    EXPECT_EQ(of<int()>("pb_test_graphs")(), 2) << "it is another chain";
  }
  // A buffer at the same address: the graph holds addresses.
  auto buffer = bufferOf(*device, std::vector<float>(64, 1));
  ASSERT_TRUE(device->launchChain(*kernel, chain(*buffer, 2)));
  EXPECT_THAT(contents(*buffer), testing::Each(2.0f));
  EXPECT_EQ(of<int()>("pb_test_graphs")(), 2);
  // Graphs that give way to others may still be running.
  std::deque<EventRef> running;
  for (int k = 0; k < 200; ++k) {
    running.push_back(device->launchChain(*kernel, chain(*buffer, k % 2 ? k : 1.0 / (k + 1))));
    ASSERT_TRUE(running.back());
    if (running.size() == 80) { // more than are kept
      finish(*device, running.front());
      running.pop_front();
    }
  }
  EXPECT_THAT(contents(*buffer), testing::Each(testing::FloatNear(2, 1e-3)));
  EXPECT_EQ(of<int()>("pb_test_launches")(), launches); // none one by one
  EXPECT_LE(of<int()>("pb_test_live_graphs")(), 64 + 80);
  EXPECT_LE(of<int()>("pb_test_live_events")() - events, 300);
  device = nullptr;
  EXPECT_EQ(of<int()>("pb_test_live_graphs")(), 0);
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

TEST_F(CudaDevices, AGraphThatTheDriverRefusesIsNotALostDevice) {
  NEEDS_NVRTC();
  const auto kernel = device->build({kScale, "scale", {64, 1, 1}});
  auto buffer = bufferOf(*device, std::vector<float>(64, 1));
  const ChainLaunch one{{Argument::writes(*buffer), Argument::of(0L),
                         Argument::of(__builtin_bit_cast(long, 2.0)), Argument::of(0L), Argument::of(64L)},
                        gridOf(64, 64)};
  for (const auto &[status, failure] :
       {std::pair(801, Failure::Chain), {2, Failure::Chain}, {719, Failure::Lost}}) {
    of<void(int)>("pb_test_fail_graphs")(status); // not supported; no memory; lost
    try {
      device->launchChain(*kernel, std::vector(64, one));
      FAIL() << "it was made";
    } catch (const DeviceError &error) {
      EXPECT_EQ(error.failure(), failure) << error.what();
    }
  }
  of<void(int)>("pb_test_fail_graphs")(0);
  EXPECT_THAT(contentsOf<float>(*device, *buffer, 64), testing::Each(1.0f));
  // A launch that comes in parts, or has no groups, is in no graph.
  EXPECT_FALSE(
      device->launchChain(*kernel, std::vector(64, ChainLaunch{one.arguments, {{64, 6, 1}, {64, 1, 1}}})));
  EXPECT_FALSE(
      device->launchChain(*kernel, std::vector(64, ChainLaunch{one.arguments, {{0, 1, 1}, {64, 1, 1}}})));
}

/// What freed buffers leave in the pool does not stand in the way of the driver's own needs.
TEST_F(CudaDevices, ThePoolGivesWayToAGraph) {
  NEEDS_NVRTC();
  const auto kernel = device->build({kScale, "scale", {64, 1, 1}});
  auto buffer = bufferOf(*device, std::vector<float>(64, 1));
  const ChainLaunch one{{Argument::writes(*buffer), Argument::of(0L),
                         Argument::of(__builtin_bit_cast(long, 1.5)), Argument::of(0L), Argument::of(64L)},
                        gridOf(64, 64)};
  device->allocate(48UL << 20); // freed at once
  EXPECT_GE(device->keptBytes(), 48UL << 20);
  of<void(int)>("pb_test_graph_memory")(32 << 20); // of 64
  EXPECT_TRUE(device->launchChain(*kernel, std::vector(64, one)));
  EXPECT_EQ(device->keptBytes(), 0u);
  const auto large = device->allocate(48UL << 20);
  std::vector<ChainLaunch> other(65, one);
  EXPECT_THROW(device->launchChain(*kernel, other), DeviceError); // this memory is in use
  of<void(int)>("pb_test_graph_memory")(0);
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

TEST_F(CudaDevices, TheSecondBuildCompilesNothing) { // requirements 83, 95
  NEEDS_NVRTC();
  std::filesystem::remove_all(scratchFolder() / "kernels");
  device->build({kScale, "scale", {64, 1, 1}});
  device->build({kScale, "scale", {64, 1, 1}});
  EXPECT_EQ(device->builds().compiled, 1);
  EXPECT_EQ(device->builds().cached, 1);
}

/// With two compilers installed, an older driver gets code that it can load, and code that only the newer
/// compiler understands is refused, not the device.
TEST_F(CudaDevices, AnOlderDriverGetsTheOlderCompiler) {
  setenv("CUDA_HOME", PB_TEST_CUDA_HOME, 1);
  for (const int version : {12, 14}) {
    of<void(int)>("pb_test_version")(version * 1000 + 40);
    std::vector<std::string> complaints;
    device = std::move(openDevices("cuda", complaints).at(0));
    const int compiler = std::min(version, 13); // 14 is not there
    EXPECT_EQ(device->about().driver,
              "driver " + std::to_string(version) + ".4, NVRTC " + std::to_string(compiler) + ".4");
    EXPECT_TRUE(device->build({"// since 12", "scale", {64, 1, 1}}));
    try {
      device->build({"// since 13", "scale", {64, 1, 1}});
      EXPECT_EQ(version, 14);
    } catch (const DeviceError &error) {
      EXPECT_EQ(version, 12);
      EXPECT_EQ(error.failure(), Failure::Build);
      EXPECT_STREQ(error.what(), "the kernel does not compile for sm_90 by NVRTC 12.4:\n"
                                 "error: this compiler is too old");
    }
    auto buffer = bufferOf(*device, std::vector<float>(64, 1));
    const auto kernel = device->build({"// since 12", "scale", {64, 1, 1}});
    finish(*device, scale(*kernel, *buffer, 64, 2));
    EXPECT_THAT(contentsOf<float>(*device, *buffer, 64), testing::Each(2.0f));
  }
  unsetenv("CUDA_HOME");
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
