// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Output of a child is read, however late, but a child that never stops writing is not read for ever.
#include "tuner/evaluate/child_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace pbc::tuner {
namespace {

using Read = ChildProcess::Read;

void wait() { usleep(300'000); }

TEST(ChildProcess, WhatWasSaidInTimeIsReadLater) {
  ChildProcess child({"/bin/sh", "-c", "echo one; echo two"}, {});
  wait();
  std::string line;
  EXPECT_EQ(child.readLine(0, &line), Read::Line);
  EXPECT_EQ(line, "one");
  EXPECT_EQ(child.readLine(-1, &line), Read::Line);
  EXPECT_EQ(line, "two");
  EXPECT_EQ(child.readLine(-1, &line), Read::Ended);
}

TEST(ChildProcess, AnEndInTimeIsSeenLater) {
  ChildProcess child({"/bin/sh", "-c", "echo warning >&2"}, {});
  wait();
  std::string line;
  EXPECT_EQ(child.readLine(-1, &line), Read::Ended);
  child.waitForEnd(1);
  EXPECT_EQ(child.exitStatus(), 0);
  EXPECT_EQ(child.errors(), "warning\n");
}

TEST(ChildProcess, WhoHangsIsOutOfTime) {
  ChildProcess child({"/bin/sleep", "1000"}, {});
  std::string line;
  EXPECT_EQ(child.readLine(0, &line), Read::Timeout);
  EXPECT_EQ(child.readLine(0.01, &line), Read::Timeout);
}

TEST(ChildProcess, WhoAlwaysTalksIsOutOfTime) {
  for (const char *talk : {"yes", "yes >&2", "yes | tr -d '\\n'"}) {
    ChildProcess child({"/bin/sh", "-c", talk}, {});
    std::string line;
    const double end = steadySeconds() + 0.1;
    Read read = Read::Line;
    while (read == Read::Line && steadySeconds() < end + 20)
      read = child.readLine(end - steadySeconds(), &line);
    EXPECT_EQ(read, Read::Timeout) << talk;
  }
}

} // namespace
} // namespace pbc::tuner
