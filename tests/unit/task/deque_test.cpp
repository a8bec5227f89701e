// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The deque alone (petabricks-hetero 10: 41, 43-46).
#include "runtime/task/deque.h"
#include "tests/unit/sanitized.h"
#include <gtest/gtest.h>
#include <thread>

using pb::Work;
using pb::task::Deque;

namespace {

std::vector<Work> items(long n) { return std::vector<Work>(n); }

/// Counts how often each item came out.
class Tally {
public:
  explicit Tally(std::vector<Work> &all) : all_(all), seen_(all.size()) {}
  void got(Work *w) { seen_[w - all_.data()].fetch_add(1, std::memory_order_relaxed); }
  void expectEachOnce() const {
    long wrong = 0;
    for (const auto &n : seen_)
      wrong += n.load() != 1;
    EXPECT_EQ(wrong, 0);
  }

private:
  std::vector<Work> &all_;
  std::vector<std::atomic<unsigned char>> seen_;
};

TEST(Deque, OwnerAtTheTopThievesAtTheBottom) {
  auto all = items(5);
  Deque d(4);
  for (int i = 0; i < 4; ++i)
    d.pushTop(&all[i]);
  d.pushBottom(&all[4]);
  EXPECT_EQ(d.steal(), &all[4]);
  EXPECT_EQ(d.popTop(), &all[3]);
  EXPECT_EQ(d.steal(), &all[0]);
  EXPECT_EQ(d.popTop(), &all[2]);
  EXPECT_EQ(d.popTop(), &all[1]);
  EXPECT_EQ(d.popTop(), nullptr);
  EXPECT_EQ(d.steal(), nullptr);
  EXPECT_TRUE(d.empty());
}

TEST(Deque, BottomOrderSurvivesTheOverflowList) { // 46
  auto all = items(1000);
  Deque d(4);
  for (auto &w : all)
    d.pushBottom(&w);
  for (int i = 999; i >= 500; --i)
    ASSERT_EQ(d.steal(), &all[i]);
  for (int i = 0; i < 500; ++i)
    ASSERT_EQ(d.popTop(), &all[i]);
  EXPECT_TRUE(d.empty());
}

TEST(Deque, UncontendedPopTakesNoLock) { // 44
  auto all = items(100);
  Deque d(256);
  for (int round = 0; round < 1000; ++round) {
    for (auto &w : all)
      d.pushTop(&w);
    for (int i = 99; i >= 0; --i)
      ASSERT_EQ(d.popTop(), &all[i]);
  }
  EXPECT_EQ(d.ownerLocks(), 0);
  EXPECT_EQ(d.popTop(), nullptr); // only popping from an empty deque takes the lock
  EXPECT_EQ(d.ownerLocks(), 1);
}

TEST(Deque, LastItemGoesToExactlyOne) { // 43, 41
  auto all = items(scaled(10'000'000));
  Tally tally(all);
  Deque d;
  std::atomic<bool> end = false;
  long stolen = 0, popped = 0;
  std::thread thief([&] {
    while (!end.load(std::memory_order_relaxed))
      if (Work *w = d.steal())
        tally.got(w), ++stolen;
  });
  for (auto &w : all) {
    d.pushTop(&w);
    if (Work *got = d.popTop()) {
      ASSERT_EQ(got, &w);
      tally.got(got), ++popped;
    }
  }
  end = true;
  thief.join();
  EXPECT_EQ(stolen + popped, static_cast<long>(all.size()));
  tally.expectEachOnce();
}

TEST(Deque, GrowsAndResetsWithConcurrentThieves) { // 45
  auto all = items(scaled(2'000'000));
  Tally tally(all);
  Deque d(4);
  std::atomic<bool> end = false;
  auto steal = [&] {
    while (!end.load(std::memory_order_relaxed))
      if (Work *w = d.steal())
        tally.got(w);
  };
  std::thread first(steal), second(steal);
  long largest = 0;
  for (unsigned long next = 0, burst = 1; next < all.size(); burst = burst * 7 % 5003) {
    for (unsigned long i = 0; i < burst && next < all.size(); ++i)
      d.pushTop(&all[next++]);
    largest = std::max(largest, d.capacity());
    while (Work *w = d.popTop())
      tally.got(w);
    d.reset();
    ASSERT_EQ(d.capacity(), 4);
  }
  end = true;
  first.join(), second.join();
  EXPECT_GE(largest, 64);
  tally.expectEachOnce();
}

TEST(Deque, PushBottomWithConcurrentOwnerAndThief) { // 46
  const long half = scaled(1'000'000);
  auto all = items(2 * half);
  Tally tally(all);
  Deque d(8);
  std::atomic<long> left = 2 * half;
  auto got = [&](Work *w) { tally.got(w), left.fetch_sub(1); };
  std::thread thief([&] {
    while (left.load() > 0)
      if (Work *w = d.steal())
        got(w);
      else
        std::this_thread::yield();
  });
  std::thread device([&] {
    for (long i = half; i < 2 * half; ++i) {
      d.pushBottom(&all[i]);
      if (i % 64 == 0)
        std::this_thread::yield();
    }
  });
  for (long i = 0; i < half; ++i) {
    d.pushTop(&all[i]);
    if (i % 3 == 0)
      if (Work *w = d.popTop())
        got(w);
  }
  while (left.load() > 0)
    if (Work *w = d.popTop())
      got(w);
    else
      std::this_thread::yield(); // the machine may be busy
  thief.join(), device.join();
  tally.expectEachOnce();
}

} // namespace
