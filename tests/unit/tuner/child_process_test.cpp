// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests that late output of a child is read, but that a child that never stops writing is not read for ever, and that a
// child that writes, reads nothing or sends signals cannot block the tuner.
#include "tuner/evaluate/child_process.h"
#include "tuner/evaluate/request_token.h"

#include <csignal>
#include <fmt/format.h>
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

/// All lines that a shell script writes to the channel.
std::string overChannel(const std::string &script) {
  ChildProcess child({"/bin/bash", "-c", script}, {}, Talk::OverChannel);
  std::string all, line;
  for (const double end = steadySeconds() + 10; child.readLine(end - steadySeconds(), &line) == Read::Line;)
    all += line + "\n";
  return all;
}

TEST(ChildProcess, TheChannelGoesBothWaysAndTheStreamsAreNotIt) {
  ChildProcess child(
      {"/bin/bash", "-c", "read -u 3 a; echo printed; echo complained >&2; echo \"got $a\" >&3"}, {},
      Talk::OverChannel);
  std::string line;
  ASSERT_TRUE(child.writeLine("a question", 5));
  EXPECT_EQ(child.readLine(10, &line), Read::Line);
  EXPECT_EQ(line, "got a question");
  EXPECT_EQ(child.readLine(10, &line), Read::Ended);
  child.waitForEnd(1);
  EXPECT_EQ(child.errors(), "printed\ncomplained\n");
}

TEST(ChildProcess, StandardInputIsEmptyAndCannotBeWrittenTo) {
  EXPECT_EQ(overChannel("cat | wc -c >&3; (echo x >&0) 2>/dev/null || echo refused >&3"), "0\nrefused\n");
}

TEST(ChildProcess, WhoDoesNotReadIsNotWaitedFor) {
  ChildProcess child({"/bin/sleep", "1000"}, {}, Talk::OverChannel);
  const double begin = steadySeconds();
  EXPECT_FALSE(child.writeLine(std::string(10'000'000, 'x'), 0.3));
  EXPECT_LT(steadySeconds() - begin, 10);
}

TEST(ChildProcess, AnEndIsSeenThoughOthersHoldTheChannel) {
  ChildProcess child({"/bin/bash", "-c", "sleep 1000 & echo one >&3"}, {}, Talk::OverChannel);
  std::string line;
  const double begin = steadySeconds();
  EXPECT_EQ(child.readLine(60, &line), Read::Line);
  EXPECT_EQ(child.readLine(60, &line), Read::Ended);
  EXPECT_LT(steadySeconds() - begin, 30);
}

/// Uses signal 0, which only tests whether a signal is allowed.
TEST(ChildProcess, ItsSignalsDoNotReachUs) {
  const std::string script =
      fmt::format("for process in {0} -{0} -{1} -1; do kill -0 -- $process 2>/dev/null && "
                  "echo reached $process >&3; done; kill -0 -- $$ && kill -0 -- 0 && echo own >&3",
                  getpid(), getpgrp());
  EXPECT_EQ(overChannel(script), "own\n");
}

TEST(ChildProcess, NobodyLeavesItsSession) {
  EXPECT_EQ(overChannel("(setsid true) 2>/dev/null || echo kept >&3"), "kept\n");
}

TEST(RequestToken, OnlyItsOwnAnswersAreRead) {
  const RequestToken token(7), other(7);
  const std::string request = token.before("{}");
  EXPECT_TRUE(request.starts_with("7:"));
  EXPECT_EQ(token.read(request), "{}");
  EXPECT_EQ(token.read(other.before("{}")), std::nullopt);
  for (const char *line : {"", "{}", "7", "7:", " {}", "7: {}"})
    EXPECT_EQ(token.read(line), std::nullopt) << line;
  EXPECT_EQ(token.read(request.substr(0, request.size() - 2)), "");
}

} // namespace
} // namespace pbc::tuner
