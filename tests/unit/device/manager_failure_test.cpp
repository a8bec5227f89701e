// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Devices that are lost or do not answer, and coroutines that wait for them.
#include "manager_support.h"

#include "runtime/device/host_access.h"
#include "runtime/task/scheduler.h"
#include <condition_variable>
#include <gtest/gtest.h>
#include <mutex>

namespace pb::device::test {
namespace {

using namespace std::chrono_literals;

/// A driver whose calls can be made to hang.
class Gate {
public:
  void pass(const char *call) {
    std::unique_lock hold(mutex_);
    if (name_ != call)
      return;
    ++waiting_;
    changed_.notify_all();
    changed_.wait(hold, [&] { return name_ != call; });
    --waiting_;
    changed_.notify_all();
  }
  void close(const std::string &call) {
    std::lock_guard hold(mutex_);
    name_ = call;
  }
  ~Gate() { open(); }
  void open() {
    std::unique_lock hold(mutex_);
    name_.clear();
    changed_.notify_all();
    changed_.wait(hold, [&] { return waiting_ == 0; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string name_;
  int waiting_ = 0;
};

Failure failureOf(const std::function<void()> &f) {
  try {
    f();
  } catch (const DeviceError &e) {
    return e.failure();
  }
  ADD_FAILURE() << "nothing was thrown";
  return Failure::Build;
}

TEST(ManagerFailure, ALostDeviceTellsAllWhoWait) {
  const Bench bench("latency=5ms fail=lost:3");
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0), c = matrix(8, 4, 3);
  bench.manager->submitNow({bench.plus(a, b, 1)});
  bench.manager->submitNow({bench.plus(a, b, 1)}); // the third command: the device is lost, sooner or later
  EXPECT_EQ(failureOf([&] { bench.manager->copyOutNow(all(b)); }), Failure::Lost);
  EXPECT_TRUE(bench.manager->isLost());
  EXPECT_TRUE(bench.table.isLost(all(b)));
  const Submitted s = bench.manager->submitNow({bench.plus(a, c, 1)});
  EXPECT_EQ(s.count, 0);
  ASSERT_TRUE(s.why);
  EXPECT_EQ(s.why->failure(), Failure::Lost);
  EXPECT_NE(std::string(s.why->what()).find("is lost"), std::string::npos);
  // The host goes on with the cells that it has, and knows which ones it lacks.
  task::Scheduler one(1);
  one.run(hostAccess(bench.table, {{all(c), true, true, false}}));
  EXPECT_EQ(failureOf([&] { one.run(hostAccess(bench.table, {{all(b), true, false, false}})); }),
            Failure::Lost);
  one.run(hostAccess(bench.table, {{all(b), false, true, true}}));
  EXPECT_FALSE(bench.table.isLost(all(b)));
}

class HangingCall : public testing::TestWithParam<const char *> {};

TEST_P(HangingCall, CountsAsLost) {
  auto gate = std::make_shared<Gate>();
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0);
  const auto begin = std::chrono::steady_clock::now();
  {
    const Bench bench("", 1, 0, nullptr, [gate](const char *call) { gate->pass(call); }, 60ms);
    gate->close(GetParam());
    Submitted s = bench.manager->submitNow({bench.plus(a, b, 1)});
    if (s.why) {
      EXPECT_EQ(s.why->failure(), Failure::Lost);
    } else {
      EXPECT_EQ(failureOf([&] { bench.manager->copyOutNow(all(b)); }), Failure::Lost);
    }
    EXPECT_TRUE(eventually([&] { return bench.manager->isLost(); }));
    s = bench.manager->submitNow({bench.plus(a, b, 1)});
    EXPECT_EQ(s.count, 0);
    EXPECT_NE(std::string(s.why->what()).find("PB_DEVICE_TIMEOUT"), std::string::npos);
  } // ends although the driver does not
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  gate->open();
}

INSTANTIATE_TEST_SUITE_P(Calls, HangingCall, testing::Values("allocate", "in", "launch", "flush", "out"));

TEST(ManagerFailure, TheLimitIsInTheEnvironment) {
  const auto limitFor = [](const char *text) {
    setenv("PB_DEVICE_TIMEOUT", text, 1);
    const auto limit = timeoutFromEnvironment();
    unsetenv("PB_DEVICE_TIMEOUT");
    return limit;
  };
  EXPECT_EQ(limitFor("2.5"), 2500ms);
  for (const char *nonsense : {"", "x", "3x", "-1", "0", "nan"})
    EXPECT_EQ(limitFor(nonsense), 30s) << nonsense;
}

TEST(ManagerFailure, ACommandThatNeverEndsCountsAsLost) {
  Bench bench("fail=hang:2", 1, 0, nullptr, {}, 10ms); // twenty times that
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0);
  bench.manager->submitNow({bench.plus(a, b, 1)});
  EXPECT_EQ(failureOf([&] { bench.manager->copyOutNow(all(b)); }), Failure::Lost);
}

TEST(ManagerFailure, AHangingEndIsLeftAlone) {
  auto gate = std::make_shared<Gate>();
  gate->close("end");
  const auto begin = std::chrono::steady_clock::now();
  {
    const Bench bench("", 1, 0, nullptr, [gate](const char *call) { gate->pass(call); }, 30ms);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  gate->open();
}

/// b = a + 1 on a device, then a from b on the processor, again and again; each on matrices of its own.
Job pipeline(std::vector<const Bench *> benches, int rounds, int number, std::atomic<int> &right) {
  const auto a = matrix(8, 4, number), b = matrix(8, 4, 0);
  double expected = number;
  for (int k = 0; k < rounds; ++k) {
    const Bench &bench = *benches[static_cast<std::size_t>(k + number) % benches.size()];
    std::vector<Launch> launches{bench.plus(a, b, 1)};
    const Submitted s = co_await bench.manager->submit(std::move(launches));
    if (s.count != 1)
      co_return;
    std::vector<HostUse> uses{{all(b), true, false, false}, {all(a), false, true, true}};
    if (!hostMayAccess(bench.table, uses))
      co_await hostAccess(bench.table, uses);
    for (long i = 0; i < a.count(); ++i)
      a.base()[i] = b.base()[i] * 2 - number;
    expected = (expected + 1) * 2 - number;
  }
  right += valueOf(a) == expected;
}

Job allPipelines(std::vector<const Bench *> benches, int count, std::atomic<int> &right) {
  SpawnScope scope;
  for (int k = 0; k < count; ++k)
    scope.spawn(pipeline(benches, 12, k, right));
  co_await scope.sync();
}

/// Requirements 48, 49, 57: for ThreadSanitizer.
TEST(ManagerTasks, ManyCoroutinesAtOnce) {
  const Bench bench("latency=20us memory=8K");
  task::Scheduler scheduler(4);
  std::atomic<int> right = 0;
  scheduler.run(allPipelines({&bench}, 24, right));
  EXPECT_EQ(right, 24);
}

/// Requirement 101.
TEST(ManagerTasks, ManyCoroutinesOnSeveralDevices) {
  Table table(3);
  const Bench first("latency=20us memory=8K", 3, 0, &table), second("latency=50us", 3, 1, &table),
      third("shares=1 latency=20us", 3, 2, &table);
  task::Scheduler scheduler(4);
  std::atomic<int> right = 0;
  scheduler.run(allPipelines({&first, &second, &third}, 24, right));
  EXPECT_EQ(right, 24);
}

TEST(ManagerTasks, CoroutinesOnOneMatrix) {
  const Bench bench("latency=20us");
  const auto a = matrix(64, 64, 1), b = matrix(64, 64, 0);
  const auto rows = [&](long low) -> Job {
    std::vector<Launch> launches{bench.plus(a, b, 1, low, low + 4)};
    co_await bench.manager->submit(std::move(launches));
    if (low % 8)
      co_return;
    const Place mine = part(b, 0, low, 64, low + 4);
    co_await bench.manager->copyOut(mine);
    for (int x = 0; x < 64; ++x)
      if (b.cell(x, low + 3) != 2)
        throw std::runtime_error("not there yet");
    std::vector<HostUse> uses{{mine, true, true, true}};
    co_await hostAccess(bench.table, uses);
    for (long y = low; y < low + 4; ++y)
      for (int x = 0; x < 64; ++x)
        b.cell(x, y) = 2;
  };
  const auto everything = [&]() -> Job {
    SpawnScope scope;
    for (long low = 0; low < 64; low += 4)
      scope.spawn(rows(low));
    co_await scope.sync();
    co_await bench.manager->copyOut(all(b));
  };
  task::Scheduler scheduler(4);
  for (int k = 0; k < 5; ++k)
    scheduler.run(everything());
  EXPECT_EQ(valueOf(b), 2);
}

TEST(ManagerTasks, ALostDeviceResumesCoroutines) {
  const Bench bench("latency=100us fail=lost:40");
  task::Scheduler scheduler(4);
  std::atomic<int> right = 0;
  try {
    scheduler.run(allPipelines({&bench}, 24, right));
  } catch (const DeviceError &e) {
    EXPECT_EQ(e.failure(), Failure::Lost);
  }
  EXPECT_LT(right, 24);
  EXPECT_TRUE(bench.manager->isLost());
}

} // namespace
} // namespace pb::device::test
