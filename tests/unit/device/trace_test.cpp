// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Traces: what is in the file, from several threads.
#include "runtime/device/trace.h"
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <thread>

namespace pb::device::test {
namespace {

using testing::HasSubstr;

TEST(Trace, NullNotesNothing) { const Trace::Scope scope(nullptr, "manage", "copy-in"); }

TEST(Trace, ThreadsHaveLanes) {
  Trace trace;
  std::vector<std::thread> threads;
  for (int k = 0; k < 3; ++k)
    threads.emplace_back([&, k] {
      trace.nameThread("worker " + std::to_string(k));
      for (int i = 0; i < 2000; ++i) // more than a block
        const Trace::Scope scope(&trace, "work", "task");
    });
  for (int k = 0; k < 20; ++k)
    (void)trace.text(); // while they write
  for (auto &t : threads)
    t.join();
  const auto lanes = trace.lanes();
  ASSERT_EQ(lanes.size(), 3u);
  for (const auto &lane : lanes) {
    EXPECT_THAT(lane.thread, HasSubstr("worker"));
    EXPECT_EQ(lane.events.size(), 2000u);
  }
}

Job leaf() { co_return; }
Job parent() {
  SpawnScope scope;
  for (int k = 0; k < 100; ++k)
    scope.spawn(leaf());
  co_await scope.sync();
}

TEST(Trace, TasksOfWorkers) {
  Trace trace;
  {
    task::Scheduler scheduler(2);
    scheduler.setWatcher(&trace);
    scheduler.run(parent());
  }
  std::size_t tasks = 0;
  for (const auto &lane : trace.lanes()) {
    EXPECT_THAT(lane.thread, HasSubstr("worker"));
    tasks += lane.events.size();
  }
  EXPECT_EQ(tasks, 101u);
}

TEST(Trace, TwoTracesOnOneThread) {
  Trace a, b;
  for (int k = 0; k < 3; ++k) {
    a.note("work", "a", "", {1, 2});
    b.note("work", "b", "", {1, 2});
  }
  EXPECT_EQ(a.lanes().at(0).events.size(), 3u);
  EXPECT_EQ(b.lanes().at(0).events.size(), 3u);
}

TEST(Trace, TheClockOfADeviceIsMovedToOurs) {
  Trace trace;
  trace.note("work", "host", "", {Trace::now(), Trace::now() + 1000});
  trace.onDevice(0, "kernel", "blur", {100, 300});
  const std::string text = trace.text();
  EXPECT_THAT(text, HasSubstr(R"("name":"blur")"));
  EXPECT_THAT(text, HasSubstr(R"("dur":0.200)"));
  EXPECT_THAT(text, HasSubstr("device 0"));
  EXPECT_EQ(text.find(R"("ts":-)"), std::string::npos);
}

TEST(Trace, AFile) {
  Trace trace;
  trace.note("work", "a \"quoted\" name", "", {1000, 3000});
  const std::string path = testing::TempDir() + "/pb_trace_test.json";
  trace.write(path);
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr(R"(a \"quoted\" name)"));
  EXPECT_EQ(text.str().find(",\n]"), std::string::npos);
  std::remove(path.c_str());
  EXPECT_THROW(trace.write("/nowhere/at/all.json"), std::runtime_error);
}

} // namespace
} // namespace pb::device::test
