// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// When kernels are built: several at a time, and each once.
#include "runtime/abi/device.h"
#include "runtime/device/fake/fake_device.h"
#include "runtime/device/kernel_shelf.h"
#include "support.h"

#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <thread>

namespace pb::device::test {
namespace {

/// Each build takes until so many are under way at once, or half a second.
class Together : public FakeDevice {
public:
  explicit Together(int count) : FakeDevice(options()), count_(count) {}
  std::unique_ptr<Kernel> build(const KernelSource &source) override {
    {
      std::lock_guard hold(mutex_);
      most = std::max(most.load(), ++running_);
      ++builds;
    }
    for (int k = 0; k < 500 && most < count_; ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::lock_guard hold(mutex_);
    --running_;
    return FakeDevice::build(source);
  }
  std::atomic<int> most = 0, builds = 0;

private:
  static FakeOptions options() {
    FakeOptions all;
    for (const char *name : {"a", "b", "c", "d", "e"})
      all.kernels[name] = [](const HostLaunch &) {};
    return all;
  }
  const int count_;
  std::mutex mutex_;
  int running_ = 0;
};

const int kGroup[3] = {64, 1, 1}, kCells[3] = {1, 1, 1};
DeviceKernel kernelOf(const char *entry) { return {"global", "", entry, nullptr}; }

/// Remembers what kernels asked for.
class Asked : public FakeDevice {
public:
  explicit Asked(unsigned long local) : FakeDevice(options(local)) {}
  std::unique_ptr<Kernel> build(const KernelSource &source) override {
    bytes = source.dynamicBytes;
    return FakeDevice::build(source);
  }
  std::atomic<long> bytes = -1;

private:
  static FakeOptions options(unsigned long local) {
    FakeOptions all;
    all.local = local;
    all.kernels["a"] = [](const HostLaunch &) {};
    return all;
  }
};

TEST(KernelShelf, KernelsAskForMemoryThatNotAllMayHave) {
  DeviceKernel kernel = kernelOf("a");
  kernel.localBytes = [](const int *group, const int *cells, const long *) {
    return 100L * group[0] * cells[0];
  };
  for (const auto &[local, expected] : {std::pair(6400UL, 0L), std::pair(6399UL, 6400L)}) {
    Asked device(local);
    KernelShelf shelf(device, 30);
    const KernelShelf::Awaiter built = shelf.get(kernel, kGroup, kCells, {});
    while (!built.await_ready())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(built.await_resume().kernel);
    EXPECT_EQ(device.bytes, expected) << local;
  }
}

TEST(KernelShelf, AsManyBuildsAtATimeAsAreAllowed) {
  const DeviceKernel kernels[] = {kernelOf("a"), kernelOf("b"), kernelOf("c"), kernelOf("d"), kernelOf("e")};
  for (const int allowed : {1, 3}) {
    Together device(allowed);
    std::multiset<std::string> open;
    std::atomic<int> inside = 0, overlaps = 0;
    {
      KernelShelf shelf(
          device, 30,
          [&](const std::string &entry, bool begins) {
            overlaps += ++inside > 1;
            if (begins)
              open.insert(entry);
            else
              open.erase(open.find(entry));
            --inside;
          },
          allowed);
      std::vector<KernelShelf::Awaiter> all;
      for (const DeviceKernel &k : kernels)
        all.push_back(shelf.get(k, kGroup, kCells, {}));
      for (const auto &each : all) {
        ASSERT_TRUE(eventually([&] { return each.await_ready(); }));
        EXPECT_TRUE(each.await_resume().kernel);
      }
    }
    EXPECT_EQ(device.most, allowed);
    EXPECT_TRUE(open.empty()); // each that began has ended
    EXPECT_EQ(overlaps, 0);
  }
}

/// Does not end before it is told to.
class Slow : public FakeDevice {
public:
  Slow() : FakeDevice(options()) {}
  std::unique_ptr<Kernel> build(const KernelSource &source) override {
    while (!mayEnd)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return FakeDevice::build(source);
  }
  std::atomic<bool> mayEnd = false;

private:
  static FakeOptions options() {
    FakeOptions all;
    all.kernels["a"] = [](const HostLaunch &) {};
    return all;
  }
};

TEST(KernelShelf, ABuildThatLastsIsSaidAndThenGivenUp) {
  static Slow device; // a build that was given up goes on with it
  device.mayEnd = false;
  std::mutex mutex;
  std::vector<std::string> said;
  const DeviceKernel kernel = kernelOf("a");
  KernelShelf shelf(device, 0.5, {}, 1, [&](const std::string &text) {
    std::lock_guard hold(mutex);
    said.push_back(text);
  });
  const KernelShelf::Awaiter built = shelf.get(kernel, kGroup, kCells, {});
  ASSERT_TRUE(eventually([&] { return built.await_ready(); }));
  device.mayEnd = true;
  EXPECT_EQ(built.await_resume().kernel, nullptr);
  EXPECT_THAT(built.await_resume().why, testing::StartsWith("the driver's compiler takes too long"));
  std::lock_guard hold(mutex);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said.front(), testing::AllOf(testing::HasSubstr("is still compiling the kernel a;"),
                                           testing::HasSubstr("after 0.5 seconds")));
}

/// Counts builds, and remembers the text of the last one.
class Counting : public FakeDevice {
public:
  Counting() : FakeDevice(options()) {}
  std::unique_ptr<Kernel> build(const KernelSource &source) override {
    last = source.text;
    ++builds;
    return FakeDevice::build(source);
  }
  std::atomic<int> builds = 0;
  std::string last;

private:
  static FakeOptions options() {
    FakeOptions all;
    all.kernels["a"] = [](const HostLaunch &) {};
    return all;
  }
};

TEST(KernelShelf, KernelsForTheSizesOfTheLastLaunchesAreKept) {
  constexpr long kMost = KernelShelf::kMostSizes;
  const DeviceSize size{"k", 3, 1};
  DeviceKernel kernel = kernelOf("a");
  kernel.sizes = &size;
  kernel.sizeCount = 1;
  Counting device;
  KernelShelf shelf(device, 30);
  const auto builds = [&](long value) {
    const int before = device.builds;
    const KernelShelf::Awaiter built = shelf.get(kernel, kGroup, kCells, {}, {value});
    EXPECT_TRUE(eventually([&] { return built.await_ready(); }));
    EXPECT_TRUE(built.await_resume().kernel);
    return device.builds - before;
  };
  for (long value = 1; value <= kMost; ++value)
    EXPECT_EQ(builds(value), 1);
  EXPECT_NE(device.last.find("#define PB_V3 16\n"), std::string::npos) << device.last;
  EXPECT_EQ(builds(1), 0);
  EXPECT_EQ(builds(kMost + 1), 1); // takes the place of 2
  EXPECT_EQ(builds(1), 0);
  EXPECT_EQ(builds(3), 0);
  EXPECT_EQ(builds(2), 1);
}

TEST(KernelShelf, WhatIsWantedTwiceIsBuiltOnce) {
  const DeviceKernel one = kernelOf("a"), same = kernelOf("a");
  Together device(2); // waits for another build, which must not come
  KernelShelf shelf(device, 30, {}, 4);
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::vector<KernelShelf::Awaiter> all;
  for (int k = 0; k < 8; ++k)
    threads.emplace_back([&, k] {
      const auto wanted = shelf.get(k % 2 ? one : same, kGroup, kCells, {});
      std::lock_guard hold(mutex);
      all.push_back(wanted);
    });
  for (std::thread &t : threads)
    t.join();
  std::set<Kernel *> kernels;
  for (const auto &each : all) {
    ASSERT_TRUE(eventually([&] { return each.await_ready(); }));
    kernels.insert(each.await_resume().kernel.get());
  }
  EXPECT_EQ(device.builds, 1);
  EXPECT_EQ(kernels.size(), 1u);
  const int larger[3] = {128, 1, 1};
  const auto other = shelf.get(one, larger, kCells, {});
  ASSERT_TRUE(eventually([&] { return other.await_ready(); }));
  EXPECT_EQ(device.builds, 2);
}

} // namespace
} // namespace pb::device::test
