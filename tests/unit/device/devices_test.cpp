// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Requirements for every kind of device.
#include "support.h"

#include <atomic>
#include <gmock/gmock.h>
#include <numeric>
#include <thread>

namespace pb::device::test {
namespace {

class Devices : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    std::filesystem::remove_all(scratchFolder() / "kernels");
    device = openFor(GetParam());
    if (!device)
      GTEST_SKIP() << "this machine has no device of " << GetParam();
  }
  std::unique_ptr<Device> device;
};
INSTANTIATE_TEST_SUITE_P(All, Devices, testing::Values("fake", "opencl", "cuda"),
                         [](const auto &info) { return info.param; });

Argument argumentOf(double value) { return Argument::of(__builtin_bit_cast(long, value)); }

TEST_P(Devices, SaysWhatItIs) {
  const Description &about = device->about();
  EXPECT_EQ(about.api, GetParam());
  EXPECT_FALSE(about.name.empty());
  EXPECT_FALSE(about.driver.empty());
  EXPECT_GT(about.bytes, 1u << 20);
  EXPECT_GT(about.largest, 1u << 20);
  EXPECT_GT(about.localBytes, 1u << 10);
  EXPECT_GE(about.largestGroup, 64);
  EXPECT_GE(about.groupExtent[1], 1);
  EXPECT_GE(about.units, 1);
}

TEST_P(Devices, KernelsRunInOrderAndMaskTheLastGroup) { // requirement 20
  const auto kernel = device->build({kScale, "scale", {64, 1, 1}});
  std::vector<float> values(1000, 1.0f);
  auto buffer = bufferOf(*device, values);
  EventRef last;
  for (int k = 0; k < 5; ++k)
    last = device->launch(*kernel,
                          {Argument::writes(*buffer), Argument::of(2L), argumentOf(k == 0 ? 3.0 : 2.0),
                           Argument::of(10L), Argument::of(990L)},
                          gridOf(1024, 64));
  finish(*device, last);
  const auto result = contentsOf<float>(*device, *buffer, 1000);
  for (int k = 0; k < 1000; ++k)
    ASSERT_EQ(result[k], k >= 12 && k < 992 ? 48.0f : 1.0f) << k;
  EXPECT_EQ(last->span().end, 0u); // nobody asked for times
}

TEST_P(Devices, TimesAreThereWhereTheyAreAskedFor) {
  device->timeCommands();
  const auto kernel = device->build({kScale, "scale", {64, 1, 1}});
  std::vector<float> values(1024, 1.0f);
  auto buffer = device->allocate(4096);
  const EventRef in = device->copyIn(*buffer, {.bytes = 4096}, values.data());
  const EventRef ran = device->launch(
      *kernel,
      {Argument::writes(*buffer), Argument::of(0L), argumentOf(2.0), Argument::of(0L), Argument::of(1024L)},
      gridOf(1024, 64));
  finish(*device, ran);
  EXPECT_GT(ran->span().end, ran->span().begin);
  EXPECT_GE(ran->span().begin, in->span().end);
}

double factorOf(int k) { return k % 2 ? 0.5 : k == 98 ? 3 : 2; }

TEST_P(Devices, AChainIsItsLaunchesInTheirOrder) {
  if (device->longestChain() == 0)
    GTEST_SKIP() << "it takes launches one by one";
  const auto kernel = device->build({kScale, "scale", {64, 1, 1}});
  std::vector<float> values(1000, 1.0f);
  auto buffer = device->allocate(4000);
  std::vector<ChainLaunch> chain;
  for (int k = 0; k < 100; ++k)
    chain.push_back({{Argument::writes(*buffer), Argument::of(0L), argumentOf(factorOf(k)),
                      Argument::of(k % 10L), Argument::of(1000L)},
                     gridOf(1024, 64)});
  std::vector<float> right(1000, 1.0f);
  for (int time = 0; time < 3; ++time)
    for (int k = 0; k < 100; ++k)
      for (int i = k % 10; i < 1000; ++i)
        right[i] *= static_cast<float>(factorOf(k));
  device->copyIn(*buffer, {.bytes = 4000}, values.data()); // the chain comes after it
  for (int time = 0; time < 3; ++time)
    ASSERT_TRUE(device->launchChain(*kernel, chain));
  EXPECT_EQ(contentsOf<float>(*device, *buffer, 1000), right);
  EXPECT_EQ(device->chains().made, 1);
  EXPECT_EQ(device->chains().given, 3);
}

TEST_P(Devices, CallWhenACommandIsOver) {
  const auto kernel = device->build({kScale, "scale", {64, 1, 1}});
  auto buffer = bufferOf(*device, std::vector<float>(1000, 1.0f));
  std::vector<float> back(1000);
  const EventRef ran = device->launch(
      *kernel,
      {Argument::writes(*buffer), Argument::of(2L), argumentOf(2.0), Argument::of(10L), Argument::of(990L)},
      gridOf(1024, 64));
  const EventRef out = device->copyOut(*buffer, {.bytes = 4000}, back.data());
  device->flush();
  for (const EventRef &event : {ran, out, out}) { // the last time it is over
    auto over = std::make_shared<std::atomic<int>>(0);
    ASSERT_TRUE(device->callWhenOver(*event, [over] { ++*over; }));
    EXPECT_TRUE(eventually([&] { return *over == 1; }));
    EXPECT_TRUE(event->isDone());
  }
}

TEST_P(Devices, SayWhenTheyAreDone) {
  auto calls = std::make_shared<std::atomic<int>>(0);
  if (!device->callAtEnd([calls] { ++*calls; }))
    GTEST_SKIP() << "it does not say when commands end";
  const auto kernel = device->build({kScale, "scale", {64, 1, 1}});
  auto buffer = bufferOf(*device, std::vector<float>(1000, 1.0f));
  calls->store(0);
  const EventRef last = device->launch(
      *kernel,
      {Argument::writes(*buffer), Argument::of(2L), argumentOf(2.0), Argument::of(10L), Argument::of(990L)},
      gridOf(1024, 64));
  device->flush();
  for (int k = 0; k < 5000 && !calls->load(); ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GE(calls->load(), 1); // although the event was not queried
  EXPECT_TRUE(last->isDone());
}

TEST_P(Devices, RowsAndPlanes) {
  const long n = 8 * 6 * 5;
  std::vector<int> host(n), zeros(n), back(n, -1);
  std::iota(host.begin(), host.end(), 1);
  // Rows that form a rectangle, planes that overlap as ranges, and a negative stride.
  for (const Transfer &t :
       {Transfer{.offset = 4 * 10, .bytes = 12, .rows = 4, .rowStride = 32, .planes = 5, .planeStride = 192},
        Transfer{.offset = 0, .bytes = 4, .rows = 5, .rowStride = 192, .planes = 6, .planeStride = 32},
        Transfer{.offset = 4 * 100, .bytes = 8, .rows = 3, .rowStride = -64},
        Transfer{.offset = 8, .bytes = 32, .rows = 6, .rowStride = 32},
        Transfer{.offset = 8, .bytes = 4, .rows = 1, .rowStride = 7, .planes = 3, .planeStride = 36},
        Transfer{.offset = 8, .bytes = 4, .rows = 0}}) {
    auto buffer = bufferOf(*device, zeros);
    finish(*device, device->copyIn(*buffer, t, host.data()));
    std::vector<int> expected(n), received = contentsOf<int>(*device, *buffer, n), out(n, -1),
                                  expectedOut(n, -1);
    for (long plane = 0; plane < t.planes; ++plane)
      for (long row = 0; row < t.rows; ++row)
        for (unsigned long k = 0; k < t.bytes / 4; ++k) {
          const long at = (static_cast<long>(t.offset) + plane * t.planeStride + row * t.rowStride) / 4 + k;
          expected[at] = host[at];
          expectedOut[at] = host[at];
        }
    ASSERT_EQ(received, expected);
    finish(*device, device->copyOut(*buffer, t, out.data()));
    ASSERT_EQ(out, expectedOut);
  }
}

TEST_P(Devices, CopiesAndKernelsOnOneBufferNeedNoWaitingBetween) {
  const auto kernel = device->build({kScale, "scale", {64, 1, 1}});
  const long n = 1 << 16;
  std::vector<float> a(n, 1.0f), b(n), c(n);
  auto buffer = device->allocate(n * 4), other = device->allocate(n * 4);
  const auto scale = [&](Buffer &which) {
    device->launch(
        *kernel,
        {Argument::writes(which), Argument::of(0L), argumentOf(2), Argument::of(0L), Argument::of(n)},
        gridOf(n, 64));
  };
  for (int round = 0; round < 10; ++round) { // all of it is given before any of it is awaited
    device->copyIn(*buffer, {.bytes = static_cast<unsigned long>(n) * 4}, a.data());
    scale(*buffer);
    device->copyIn(*other, {.bytes = static_cast<unsigned long>(n) * 4}, a.data());
    device->copyOut(*buffer, {.bytes = static_cast<unsigned long>(n) * 4}, b.data());
    scale(*buffer);
    scale(*other);
  }
  const EventRef first = device->copyOut(*buffer, {.bytes = static_cast<unsigned long>(n) * 4}, c.data());
  buffer.reset();
  other.reset();
  finish(*device, first);
  EXPECT_THAT(b, testing::Each(2.0f));
  EXPECT_THAT(c, testing::Each(4.0f));
}

TEST_P(Devices, GroupsShareMemoryBetweenBarriers) { // requirements 18, 19, also with barriers in a loop
  const auto kernel = device->build({R"(
PB_KERNEL(sums)(PB_GLOBAL const double *A_p, PB_GLOBAL double *B_p, long n)
{
  PB_LOCAL_ARRAY(double, part, PB_G0 * PB_G1);
  PB_LOCAL_ARRAY(int, count, 1);
  PB_BEGIN
  const long l = PB_LOCAL_ID(1) * PB_G0 + PB_LOCAL_ID(0);
  const long i = PB_GROUP_ID(0) * PB_G0 * PB_G1 + l;
  part[l] = i < n ? A_p[i] : 0;
  if (l == 0) count[0] = 0;
  for (int half = PB_G0 * PB_G1 / 2; half > 0; half /= 2) { // no name in OpenCL C
    PB_BARRIER();
    if (l < half) part[l] = part[l] + part[l + half];
    if (l == 0) count[0] += 1;
  }
  PB_BARRIER();
  if (l == 7) B_p[PB_GROUP_ID(0)] = part[0] + 1000000 * count[0];
  PB_END
}
)",
                                     "sums",
                                     {16, 4, 1}});
  const long n = 1000, groups = 16;
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1);
  auto in = bufferOf(*device, values);
  auto out = device->allocate(groups * 8);
  finish(*device, device->launch(*kernel, {Argument::reads(*in), Argument::writes(*out), Argument::of(n)},
                                 {{16 * groups, 4, 1}, {16, 4, 1}}));
  const auto sums = contentsOf<double>(*device, *out, groups);
  for (long g = 0; g < groups; ++g) {
    double expected = 6e6;
    for (long k = g * 64; k < std::min(n, g * 64 + 64); ++k)
      expected += values[k];
    EXPECT_EQ(sums[g], expected) << g;
  }
}

TEST_P(Devices, ThreeDimensions) {
  const auto kernel = device->build({R"(
PB_KERNEL(where)(PB_GLOBAL long *A_p)
{
  PB_BEGIN
  const long at = (PB_ID(2) * 6 + PB_ID(1)) * 8 + PB_ID(0);
  A_p[at] = PB_LOCAL_ID(0) + 10 * PB_LOCAL_ID(1) + 100 * PB_LOCAL_ID(2) + 1000 * PB_GROUP_ID(0) +
            10000 * PB_GROUP_ID(1) + 100000 * PB_GROUP_ID(2);
  PB_END
}
)",
                                     "where",
                                     {4, 3, 2}});
  const long n = 8 * 6 * 4;
  auto buffer = device->allocate(n * 8);
  finish(*device, device->launch(*kernel, {Argument::writes(*buffer)}, {{8, 6, 4}, {4, 3, 2}}));
  const auto result = contentsOf<long>(*device, *buffer, n);
  EXPECT_EQ(result[0], 0);
  EXPECT_EQ(result[n - 1], 111123);
  EXPECT_EQ(result[(3 * 6 + 2) * 8 + 5], 101121);
}

TEST_P(Devices, WhatDoesNotCompileSaysWhy) { // requirement 16
  try {
    device->build({"PB_KERNEL(wrong)(PB_GLOBAL float *A_p)\n{\n  PB_BEGIN\n  A_p[0] = nobody;\n  PB_END\n}\n",
                   "wrong"});
    FAIL() << "it compiled";
  } catch (const DeviceError &error) {
    EXPECT_EQ(error.failure(), Failure::Build);
    EXPECT_THAT(error.what(), testing::HasSubstr("nobody"));
  }
  const auto kernel = device->build({kScale, "scale"}); // and the device goes on
  EXPECT_TRUE(kernel);
}

TEST_P(Devices, TooMuchLocalMemoryIsRefusedByBuildOrLaunch) { // requirement 21
  const long bytes = static_cast<long>(device->about().localBytes) + 4096;
  const std::string text =
      "PB_KERNEL(much)(PB_GLOBAL int *A_p)\n{\n  PB_LOCAL_ARRAY(int, t, " + std::to_string(bytes / 4) +
      ");\n  PB_BEGIN\n  t[PB_LOCAL_ID(0)] = A_p[0];\n  PB_BARRIER();\n  A_p[0] = t[0];\n  PB_END\n}\n";
  auto buffer = bufferOf(*device, std::vector<int>{1});
  EXPECT_THROW(
      {
        const auto kernel = device->build({text, "much"});
        device->launch(*kernel, {Argument::writes(*buffer)}, {});
      },
      DeviceError);
  EXPECT_EQ(contentsOf<int>(*device, *buffer, 1)[0], 1);
}

TEST_P(Devices, TooMuchMemoryIsRefusedAndOthersGoOn) { // requirement 64
  try {
    device->allocate(device->about().bytes * 4);
    FAIL() << "it was allocated";
  } catch (const DeviceError &error) {
    EXPECT_EQ(error.failure(), Failure::OutOfMemory);
  }
  auto small = bufferOf(*device, std::vector<int>{1, 2, 3});
  EXPECT_EQ(contentsOf<int>(*device, *small, 3), (std::vector<int>{1, 2, 3}));
}

TEST_P(Devices, CopiesPastTheEndAreAMistake) {
  auto buffer = device->allocate(16);
  char host[32] = {};
  EXPECT_THROW(device->copyIn(*buffer, {.offset = 1, .bytes = 16}, host), std::logic_error);
  EXPECT_THROW(device->copyOut(*buffer, {.bytes = 17}, host), std::logic_error);
}

TEST_P(Devices, TheSecondBuildCompilesNothing) { // requirement 83
  device->build({kScale, "scale", {32, 1, 1}});
  EXPECT_EQ(device->builds().compiled, 1);
  const auto again = openFor(GetParam()); // as in a second process
  const auto kernel = again->build({kScale, "scale", {32, 1, 1}});
  EXPECT_EQ(again->builds().compiled, 0);
  EXPECT_EQ(again->builds().cached, 1);
  // Other groups: another kernel, but on the fake device only if the text depends on their size.
  const auto smaller = again->build({kScale, "scale", {16, 1, 1}});
  EXPECT_EQ(again->builds().compiled, again->about().api == "fake" ? 0 : 1);
  const long before = again->builds().compiled;
  again->build({std::string(kScale) + "// PB_G0\n", "scale", {32, 1, 1}});
  again->build({std::string(kScale) + "// PB_G0\n", "scale", {16, 1, 1}});
  EXPECT_EQ(again->builds().compiled, before + 2);

  std::vector<float> values(32, 1);
  auto buffer = bufferOf(*again, values);
  for (const auto &[one, group] : {std::pair(kernel.get(), 32), std::pair(smaller.get(), 16)})
    finish(*again, again->launch(*one,
                                 {Argument::writes(*buffer), Argument::of(0L), argumentOf(5),
                                  Argument::of(0L), Argument::of(32L)},
                                 gridOf(32, group)));
  EXPECT_THAT(contentsOf<float>(*again, *buffer, 32), testing::Each(25.0f));
}

TEST_P(Devices, DamagedCacheEntriesAreBuiltAgain) { // requirement 83
  device->build({kScale, "scale"});
  long entries = 0;
  for (const auto &entry : std::filesystem::directory_iterator(scratchFolder() / "kernels")) {
    if (entry.path().filename() == "lock")
      continue;
    std::filesystem::resize_file(entry, entry.file_size() - 1);
    ++entries;
  }
  EXPECT_EQ(entries, 1);
  EXPECT_TRUE(device->build({kScale, "scale"}));
  EXPECT_EQ(device->builds().compiled, 2);
  EXPECT_TRUE(device->build({kScale, "scale"}));
  EXPECT_EQ(device->builds().cached, 1);
}

TEST_P(Devices, SharedMemory) { // requirement 104
  std::vector<float> values(64, 1.0f);
  auto buffer = device->wrap(values.data(), values.size() * 4);
  if (!buffer)
    GTEST_SKIP() << "this device's memory is its own";
  const auto kernel = device->build({kScale, "scale", {32, 1, 1}});
  device->copyIn(*buffer, {.bytes = 256}, values.data());
  device->launch(
      *kernel,
      {Argument::writes(*buffer), Argument::of(0L), argumentOf(5), Argument::of(0L), Argument::of(64L)},
      gridOf(64, 32));
  finish(*device, device->copyOut(*buffer, {.bytes = 256}, values.data()));
  EXPECT_THAT(values, testing::Each(5.0f));
  for (float &v : values)
    v = 2;
  device->copyIn(*buffer, {.bytes = 256}, values.data());
  device->launch(
      *kernel,
      {Argument::writes(*buffer), Argument::of(0L), argumentOf(5), Argument::of(0L), Argument::of(32L)},
      gridOf(64, 32));
  finish(*device, device->copyOut(*buffer, {.bytes = 256}, values.data()));
  EXPECT_EQ(values[31], 10);
  EXPECT_EQ(values[32], 2);
}

TEST_P(Devices, BuffersKernelsAndEventsMayOutliveTheDevice) {
  auto buffer = device->allocate(64);
  auto kernel = device->build({kScale, "scale"});
  std::vector<char> host(64);
  const EventRef done = device->copyIn(*buffer, {.bytes = 64}, host.data());
  finish(*device, done);
  device.reset();
  EXPECT_TRUE(done->isDone());
}

} // namespace
} // namespace pb::device::test
