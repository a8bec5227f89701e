// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The fake device with kernels that are functions of this program: order, overlap, failures
// (petabricks-hetero requirements 53 to 56, 64, and what the tests of the management thread rely on).
#include "runtime/device/fake/fake_device.h"
#include "support.h"

#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

namespace pb::device::test {
namespace {

using namespace std::chrono_literals;

/// Adds the second argument to so many floats of the first as the third says.
void add(const HostLaunch &l) {
  for (long k = 0; k < l.value(2); ++k)
    l.pointer<float>(0)[k] += static_cast<float>(l.value(1));
}

FakeOptions with(const std::string &text) {
  FakeOptions options = parseFakeOptions(text);
  options.kernels["add"] = add;
  return options;
}

Failure failureOf(const std::function<void()> &call) {
  try {
    call();
  } catch (const DeviceError &error) {
    return error.failure();
  }
  throw std::runtime_error("nothing failed");
}

struct Adder {
  explicit Adder(const std::string &text) : Adder(with(text)) {}
  explicit Adder(const FakeOptions &options)
      : device(options), buffer(device.allocate(4 * sizeof(float))), host(4), n(4) {}
  EventRef in() { return device.copyIn(*buffer, all(), host.data()); }
  EventRef out() { return device.copyOut(*buffer, all(), host.data()); }
  EventRef add(long value) {
    return device.launch(*kernel, {Argument::writes(*buffer), Argument::of(value), Argument::of(n)}, {});
  }
  Transfer all() const { return {.bytes = n * sizeof(float)}; }
  FakeDevice device;
  std::unique_ptr<Kernel> kernel = device.build({"", "add"});
  std::unique_ptr<Buffer> buffer;
  std::vector<float> host;
  long n;
};

TEST(FakeDevice, CommandsOnOneBufferAreInOrderWhateverTheyTake) {
  Adder a("latency=300us");
  a.host = {1, 2, 3, 4};
  a.in();
  for (int k = 0; k < 5; ++k)
    a.add(10);
  finish(a.device, a.out());
  EXPECT_EQ(a.host, (std::vector<float>{51, 52, 53, 54}));
}

TEST(FakeDevice, NothingBeginsBeforeFlush) {
  Adder a("");
  const EventRef in = a.in();
  std::this_thread::sleep_for(5ms);
  EXPECT_FALSE(in->isDone());
  finish(a.device, in);
}

TEST(FakeDevice, CopiesTakeEffectLater) {
  Adder a("latency=200ms");
  a.host = {1, 1, 1, 1};
  a.in();
  const auto begin = std::chrono::steady_clock::now();
  a.device.flush();
  const EventRef out = a.out();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 180ms); // requirement 54: the call does not wait
  finish(a.device, out);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 400ms);
}

TEST(FakeDevice, BandwidthAndSpeedSayHowLongThingsTake) {
  FakeOptions options = with("bandwidth=1M speed=0.25");
  options.kernels["rest"] = [](const HostLaunch &) { std::this_thread::sleep_for(2ms); };
  FakeDevice device(options);
  device.timeCommands();
  auto buffer = device.allocate(20 << 10);
  const std::vector<char> host(20 << 10);
  const EventRef in = device.copyIn(*buffer, {.bytes = host.size()}, host.data());
  const EventRef ran = device.launch(*device.build({"", "rest"}), {}, {});
  finish(device, in);
  finish(device, ran);
  EXPECT_GE(in->span().end - in->span().begin, 19'000'000u);
  EXPECT_GE(ran->span().end - ran->span().begin, 8'000'000u);
}

TEST(FakeDevice, CopiesOverlapKernelsOfOtherBuffers) { // requirement 56
  Adder a("latency=150ms");                            // longer than a busy machine takes to begin both
  a.device.timeCommands();
  auto other = a.device.allocate(16);
  const EventRef ran = a.add(1), in = a.device.copyIn(*other, {.bytes = 16}, a.host.data());
  finish(a.device, ran);
  finish(a.device, in);
  EXPECT_LT(std::max(ran->span().begin, in->span().begin), std::min(ran->span().end, in->span().end));
}

TEST(FakeDevice, ABufferIsCopiedWhileAKernelOnlyReadsIt) {
  FakeOptions options = with("latency=20ms");
  options.kernels["add"] = [](const HostLaunch &) { std::this_thread::sleep_for(20ms); };
  Adder a(options);
  a.device.timeCommands();
  const EventRef ran = a.device.launch(*a.kernel, {Argument::reads(*a.buffer)}, {});
  const EventRef out = a.out(), in = a.in();
  finish(a.device, ran);
  finish(a.device, in);
  EXPECT_LT(out->span().begin, ran->span().end);
  EXPECT_GE(in->span().begin, ran->span().end); // but not written
}

TEST(FakeDevice, FreedBuffersLastAsLongAsTheirCommands) {
  Adder a("latency=5ms");
  a.host = {1, 2, 3, 4};
  a.in();
  a.add(1);
  const EventRef out = a.out();
  a.buffer.reset();
  EXPECT_EQ(a.device.counters().buffers, 1);
  finish(a.device, out);
  EXPECT_EQ(a.host, (std::vector<float>{2, 3, 4, 5}));
  for (int k = 0; k < 1000 && a.device.counters().buffers;
       ++k) // the thread lets go of it just after the event
    std::this_thread::sleep_for(1ms);
  EXPECT_EQ(a.device.counters().bytes, 0u);
}

TEST(FakeDevice, Counts) {
  Adder a("");
  a.in();
  a.add(1);
  finish(a.device, a.out());
  auto large = a.device.allocate(1000);
  large.reset();
  const FakeCounters c = a.device.counters();
  EXPECT_EQ(c.allocations, 2);
  EXPECT_EQ(c.copiesIn, 1);
  EXPECT_EQ(c.copiesOut, 1);
  EXPECT_EQ(c.launches, 1);
  EXPECT_EQ(c.builds, 1);
  EXPECT_EQ(c.bytesIn, 16u);
  EXPECT_EQ(c.bytesOut, 16u);
  EXPECT_EQ(c.buffers, 1);
  EXPECT_EQ(c.bytes, 16u);
  EXPECT_EQ(c.mostBytes, 1016u);
}

TEST(FakeDevice, ManyLaunchesLeaveNothingBehind) {
  Adder a("");
  finish(a.device, a.in());
  EventRef last;
  for (int k = 0; k < 10'000; ++k)
    last = a.add(1);
  finish(a.device, last);
  EXPECT_EQ(last->span().end, 0u); // nobody asked for times
  last.reset();
  EXPECT_TRUE(eventually([&] { return a.device.counters().events <= 1; })) // the last use of the buffer
      << a.device.counters().events;
  EXPECT_EQ(a.device.counters().allocations, 1);
}

TEST(FakeDevice, MemoryEnds) { // requirement 64
  FakeDevice device(with("memory=1K largest=512"));
  EXPECT_EQ(failureOf([&] { device.allocate(513); }), Failure::OutOfMemory);
  auto a = device.allocate(512), b = device.allocate(512);
  EXPECT_EQ(failureOf([&] { device.allocate(1); }), Failure::OutOfMemory);
  a.reset();
  EXPECT_NO_THROW(a = device.allocate(512));
}

TEST(FakeDevice, TheKthAllocationLaunchOrCopyFailsAndNoOther) {
  Adder a("fail=launch:2,copy:3,memory:2");
  EXPECT_EQ(failureOf([&] { a.device.allocate(4); }), Failure::OutOfMemory);
  EXPECT_NO_THROW(a.device.allocate(4));
  a.host = {1, 1, 1, 1};
  a.in();
  a.add(1);
  EXPECT_EQ(failureOf([&] { a.add(100); }), Failure::Launch);
  a.add(1);
  finish(a.device, a.out());
  EXPECT_EQ(a.host[0], 3);
  a.host[0] = 77;
  EXPECT_EQ(failureOf([&] { a.in(); }), Failure::OutOfMemory);
  finish(a.device, a.out());
  EXPECT_EQ(a.host[0], 3);
}

TEST(FakeDevice, BuildsFailByName) {
  FakeOptions options = with("fail=build:add");
  options.kernels["other"] = add;
  FakeDevice device(options);
  EXPECT_EQ(failureOf([&] { device.build({"", "add"}); }), Failure::Build);
  EXPECT_NO_THROW(device.build({"", "other"}));
}

TEST(FakeDevice, LostAtTheKthCommand) {
  Adder a("fail=lost:3");
  auto other = a.device.allocate(16);
  a.host = {1, 2, 3, 4};
  const EventRef in = a.in(), ran = a.add(1), lost = a.add(100);
  std::vector<float> result(4);
  const EventRef behind = a.device.copyIn(*other, {.bytes = 16}, result.data());
  EXPECT_EQ(failureOf([&] { finish(a.device, lost); }), Failure::Lost);
  EXPECT_NO_THROW(finish(a.device, in));
  EXPECT_NO_THROW(finish(a.device, ran));
  EXPECT_EQ(failureOf([&] { finish(a.device, behind); }), Failure::Lost);
  EXPECT_EQ(failureOf([&] { a.out(); }), Failure::Lost);
  EXPECT_EQ(failureOf([&] { a.device.allocate(4); }), Failure::Lost);
}

TEST(FakeDevice, ACommandHangsUntilItIsReleased) {
  Adder a("fail=hang:2");
  auto other = a.device.allocate(16);
  a.host = {1, 2, 3, 4};
  a.in();
  const EventRef hangs = a.add(1), beside = a.device.copyIn(*other, {.bytes = 16}, a.host.data());
  finish(a.device, beside); // others go on
  std::this_thread::sleep_for(5ms);
  EXPECT_FALSE(hangs->isDone());
  a.device.release();
  finish(a.device, hangs);
  finish(a.device, a.out());
  EXPECT_EQ(a.host[0], 2);
}

TEST(FakeDevice, TheEndOfTheDeviceEndsWhatHangs) {
  EventRef hangs, behind;
  std::unique_ptr<Buffer> buffer;
  {
    Adder a("fail=hang:1");
    hangs = a.add(1), behind = a.out();
    a.device.flush();
    buffer = std::move(a.buffer);
  }
  EXPECT_EQ(failureOf([&] { hangs->isDone(); }), Failure::Lost);
  EXPECT_EQ(failureOf([&] { behind->isDone(); }), Failure::Lost);
}

TEST(FakeDevice, SharedMemoryIsNotCopied) { // requirement 104
  Adder a("shares=1");
  std::vector<float> mine{1, 2, 3, 4};
  auto wrapped = a.device.wrap(mine.data(), 16);
  ASSERT_TRUE(wrapped);
  a.device.copyIn(*wrapped, {.bytes = 16}, mine.data());
  a.device.launch(*a.kernel, {Argument::writes(*wrapped), Argument::of(5L), Argument::of(4L)}, {});
  finish(a.device, a.device.copyOut(*wrapped, {.bytes = 16}, mine.data()));
  EXPECT_EQ(mine, (std::vector<float>{6, 7, 8, 9}));
  EXPECT_EQ(a.device.counters().bytesIn + a.device.counters().bytesOut, 0u);
  EXPECT_FALSE(Adder("").device.wrap(mine.data(), 16));
}

TEST(FakeDevice, MistakesOfTheCallerAreNoFailures) {
  Adder a("");
  FakeDevice stranger(with(""));
  auto foreign = stranger.allocate(16);
  auto released = a.device.allocate(16);
  Buffer *freed = released.get();
  released.reset();
  EXPECT_THROW(a.device.copyIn(*foreign, {.bytes = 16}, a.host.data()), std::logic_error);
  EXPECT_THROW(a.device.copyIn(*freed, {.bytes = 16}, a.host.data()), std::logic_error);
  EXPECT_THROW(a.device.copyIn(*a.buffer, {.offset = 1, .bytes = 16}, a.host.data()), std::logic_error);
  EXPECT_THROW(a.device.copyIn(*a.buffer, {.bytes = 4, .rows = 3, .rowStride = -4}, a.host.data()),
               std::logic_error);
  EXPECT_THROW(a.device.copyIn(*a.buffer,
                               {.bytes = 4, .rows = 2, .rowStride = 4, .planes = 2, .planeStride = 9},
                               a.host.data()),
               std::logic_error);
  EXPECT_THROW(a.device.launch(*a.kernel, {}, {{3, 1, 1}, {2, 1, 1}}), std::logic_error);
  const EventRef outside =
      a.device.launch(*a.kernel, {Argument::writes(*a.buffer), Argument::of(1L), Argument::of(5L)}, {});
  EXPECT_THROW(finish(a.device, outside), std::logic_error);
}

TEST(FakeDevice, KernelsAreWatched) { // texts, compiled
  const std::string text = R"(
PB_KERNEL(some)(PB_GLOBAL int *A_p, PB_GLOBAL const int *B_p, long n)
{
  PB_LOCAL_ARRAY(int, t, 4);
  PB_BEGIN
  if (PB_LOCAL_ID(0) < n) {
    PB_BARRIER();
  }
  A_p[PB_LOCAL_ID(0)] = t[PB_LOCAL_ID(0)];
  PB_END
}
)";
  FakeDevice device;
  const auto kernel = device.build({text, "some", {4, 1, 1}});
  auto a = bufferOf(device, std::vector<int>(4)), b = bufferOf(device, std::vector<int>(4));
  const auto launch = [&](Argument first, Argument second, long n) {
    return device.launch(*kernel, {first, second, Argument::of(n)}, gridOf(4, 4));
  };
  finish(device, launch(Argument::writes(*a), Argument::reads(*b), 4));
  EXPECT_EQ(contentsOf<unsigned>(device, *a, 4), std::vector<unsigned>(4, 0xcbcbcbcb)); // still unwritten
  EXPECT_THROW(finish(device, launch(Argument::writes(*a), Argument::reads(*b), 2)), std::logic_error);
  EXPECT_THROW(launch(Argument::reads(*a), Argument::reads(*b), 4), std::logic_error); // it writes the first
  EXPECT_THROW(launch(Argument::writes(*a), Argument::of(0L), 4), std::logic_error);
  EXPECT_THROW(device.launch(*kernel, {Argument::writes(*a), Argument::reads(*b)}, gridOf(4, 4)),
               std::logic_error);
  EXPECT_THROW(
      device.launch(*kernel, {Argument::writes(*a), Argument::reads(*b), Argument::of(0L)}, gridOf(6, 4)),
      std::logic_error);
}

TEST(FakeDevice, WithoutDoublesAKernelThatHasSomeDoesNotCompile) {
  const auto textOf = [](const std::string &type) {
    return "PB_KERNEL(k)(PB_GLOBAL " + type + " *A_p)\n{\n  PB_BEGIN\n  A_p[PB_LOCAL_ID(0)] = (" + type +
           ")3;\n  PB_END\n}\n";
  };
  FakeDevice device(parseFakeOptions("double=0"));
  EXPECT_FALSE(device.about().hasDouble);
  try {
    device.build({textOf("double"), "k"});
    ADD_FAILURE() << "it was built";
  } catch (const DeviceError &error) {
    EXPECT_EQ(error.failure(), Failure::Build);
    EXPECT_THAT(error.what(), testing::HasSubstr("this_device_has_no_doubles"));
  }
  const auto kernel = device.build({textOf("float"), "k"});
  auto a = bufferOf(device, std::vector<float>(1));
  finish(device, device.launch(*kernel, {Argument::writes(*a)}, gridOf(1, 1)));
  EXPECT_EQ(contentsOf<float>(device, *a, 1), std::vector<float>{3});
}

TEST(FakeDevice, TwoDevicesRunOneKernelAtOnce) {
  const std::string text =
      "PB_KERNEL(k)(PB_GLOBAL int *A_p)\n{\n  PB_LOCAL_ARRAY(int, t, PB_G0);\n  PB_BEGIN\n"
      "  for (int n = 0; n < 50; ++n) {\n    t[PB_LOCAL_ID(0)] = (int)PB_ID(0) + n;\n    PB_BARRIER();\n"
      "    A_p[PB_ID(0)] += t[PB_G0 - 1 - PB_LOCAL_ID(0)];\n    PB_BARRIER();\n  }\n  PB_END\n}\n";
  FakeDevice one, two;
  FakeDevice *devices[] = {&one, &two};
  std::unique_ptr<Kernel> kernels[2];
  std::unique_ptr<Buffer> buffers[2];
  EventRef events[2];
  for (int d = 0; d < 2; ++d) {
    kernels[d] = devices[d]->build({text, "k", {32, 1, 1}});
    buffers[d] = bufferOf(*devices[d], std::vector<int>(640));
  }
  for (int d = 0; d < 2; ++d) {
    events[d] = devices[d]->launch(*kernels[d], {Argument::writes(*buffers[d])}, gridOf(640, 32));
    devices[d]->flush();
  }
  for (int d = 0; d < 2; ++d) {
    finish(*devices[d], events[d]);
    const auto result = contentsOf<int>(*devices[d], *buffers[d], 640);
    for (int i = 0; i < 640; ++i)
      ASSERT_EQ(result[i], 50 * (i / 32 * 32 + 31 - i % 32) + 49 * 25) << i;
  }
}

TEST(FakeDevice, ManyCommandsFromOneThreadWhileAnotherWaits) { // for ThreadSanitizer
  Adder a("");
  a.host = {0, 0, 0, 0};
  a.in();
  std::vector<EventRef> events;
  for (int k = 0; k < 500; ++k) {
    events.push_back(a.add(1));
    if (k % 7 == 0) {
      a.out();
      a.device.flush();
    }
  }
  std::thread waits([&] { finish(a.device, events.back()); });
  waits.join();
  finish(a.device, a.out());
  EXPECT_EQ(a.host[3], 500);
}

} // namespace
} // namespace pb::device::test
