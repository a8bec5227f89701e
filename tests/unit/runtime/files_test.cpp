// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests that files are written completely or not at all, of input without an end, and of untrusted text in messages.
#include "runtime/base/machine.h"
#include "runtime/base/pending_files.h"
#include "runtime/base/read_file.h"
#include "runtime/base/visible.h"
#include "runtime/matrix/reading.h"
#include "tests/unit/runtime/process.h"
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace pb;
using base::PendingFiles;
using base::readFile;
using base::visible;
using Names = std::vector<std::string>;

namespace {

/// Runs `f` in a child process; returns its exit status, or -signal.
template <class F>
int inChild(F f) {
  const pid_t child = fork();
  if (child == 0) {
    f();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

std::string refusal(const std::string &file) {
  try {
    matrix::readMatrix(file, {"A", ElementKind::F64, 1, "[n]"});
  } catch (const base::UserError &e) {
    return e.what();
  }
  return "accepted";
}

} // namespace

TEST(PendingFiles, AllTakeTheirNamesAtOnce) {
  Folder f;
  f.write("a", "old");
  {
    PendingFiles files;
    files.add(f.path("a"), {"new", " a"});
    files.add(f.path("b"), {"new b"}, PendingFiles::Kind::Program);
    EXPECT_EQ(f.read("a"), "old");
    EXPECT_EQ(f.read("b"), "<missing>");
    files.commit();
    EXPECT_EQ(f.read("a"), "new a");
    EXPECT_EQ(f.read("b"), "new b");
    EXPECT_EQ(access(f.path("b").c_str(), X_OK), 0);
  }
  EXPECT_EQ(f.list(), (Names{"a", "b"}));
}

TEST(PendingFiles, WhatIsNotCommittedDisappears) {
  Folder f;
  f.write("a", "old");
  {
    PendingFiles files;
    files.add(f.path("a"), {"new"});
    files.add(f.path("b"), {"new"});
    EXPECT_EQ(f.list().size(), 3u);
    EXPECT_THROW(files.add(f.path("no/c"), {"new"}), base::CannotWrite);
  }
  EXPECT_EQ(f.list(), Names{"a"});
  EXPECT_EQ(f.read("a"), "old");
}

TEST(PendingFiles, AFullDiskChangesNothing) {
  Folder f;
  f.write("a", "old");
  f.write("b", "old");
  EXPECT_EQ(inChild([&] {
              const rlimit limit{1000, 1000};
              setrlimit(RLIMIT_FSIZE, &limit);
              try {
                PendingFiles files;
                files.add(f.path("a"), {"new"});
                files.add(f.path("b"), {std::string(5000, 'x')});
                files.commit();
              } catch (const base::CannotWrite &e) {
                _exit(e.why == "File too large" ? 7 : 8);
              }
            }),
            7);
  EXPECT_EQ(f.list(), (Names{"a", "b"}));
  EXPECT_EQ(f.read("a"), "old");
  EXPECT_EQ(f.read("b"), "old");
}

TEST(PendingFiles, ASignalThatEndsTheProcessLeavesNothing) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Folder f;
    EXPECT_EQ(inChild([&] {
                PendingFiles files;
                files.add(f.path("a"), {"new"});
                files.add(f.path("b"), {"new"});
                raise(signal);
              }),
              -signal);
    EXPECT_EQ(f.list(), Names{});
  }
}

TEST(PendingFiles, TheEndOfAProcessWithoutDestructorsLeavesNothing) {
  Folder f;
  inChild([&] {
    base::setProgramName("test");
    PendingFiles files;
    files.add(f.path("a"), {"new"});
    close(2);
    pb_fail("a rule of another worker fails");
  });
  EXPECT_EQ(f.list(), Names{});
}

TEST(PendingFiles, AChildOfTheProcessRemovesNothing) {
  Folder f;
  PendingFiles files;
  files.add(f.path("a"), {"new"});
  inChild([] { base::removePendingFiles(); });
  files.commit();
  EXPECT_EQ(f.list(), Names{"a"});
}

TEST(PendingFiles, OthersHandlersStay) {
  EXPECT_EQ(inChild([] {
              std::signal(SIGINT, [](int) { _exit(5); });
              PendingFiles files;
              raise(SIGINT);
            }),
            5);
  Folder f;
  EXPECT_EQ(inChild([&] {
              {
                PendingFiles files;
              }
              raise(SIGTERM);
            }),
            -SIGTERM);
}

TEST(PendingFiles, ALinkInThePlaceOfTheTargetIsFollowed) {
  Folder f;
  f.write("real", "old");
  ASSERT_EQ(symlink("real", f.path("link").c_str()), 0);
  base::writeWhole(f.path("link"), "new");
  EXPECT_EQ(f.read("real"), "new");
  EXPECT_EQ(f.list(), (Names{"link", "real"}));
  EXPECT_THROW(base::writeWhole("/dev/full", "x"), base::CannotWrite);
}

TEST(PendingFiles, ALongNameHasRoomForTheTemporary) {
  Folder f;
  const std::string name(255, 'n');
  base::writeWhole(f.path(name), "x");
  EXPECT_EQ(f.read(name), "x");
}

TEST(ReadFile, HasAnEnd) {
  Folder f;
  f.write("exact", std::string(100, 'x'));
  EXPECT_EQ(readFile(f.path("exact"), 100).text, std::string(100, 'x'));
  EXPECT_EQ(readFile(f.path("exact"), 99).why, "it is larger than 99 bytes");
  EXPECT_EQ(readFile("/dev/zero", 1 << 20).why, "it is larger than 1 MiB");
  EXPECT_EQ(readFile("/dev/null").text, "");
  EXPECT_EQ(readFile(f.path("")).why, "it is a folder");
  EXPECT_EQ(readFile(f.path("none")).why, "No such file or directory");
  ASSERT_EQ(truncate(f.path("exact").c_str(), 1L << 40), 0);
  EXPECT_EQ(readFile(f.path("exact")).why, "it is larger than 64 MiB");
}

TEST(ReadFile, APipeNeedsAProcessThatWrites) {
  Folder f;
  ASSERT_EQ(mkfifo(f.path("pipe").c_str(), 0600), 0);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(readFile(f.path("pipe")).why, "it is a pipe that no process writes to");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  std::jthread writer([&] {
    const int pipe = open(f.path("pipe").c_str(), O_WRONLY);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_EQ(write(pipe, "one", 3), 3);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_EQ(write(pipe, "two", 3), 3);
    close(pipe);
  });
  EXPECT_EQ(readFile(f.path("pipe")).text, "onetwo");
}

TEST(ReadFile, StreamsThatCannotBeAMatrixAreNotReadToTheirEnd) {
  EXPECT_EQ(refusal("/dev/zero"), "/dev/zero: a matrix in text begins with 'SIZE 3 2', its numbers follow; "
                                  "this one begins with '............'");
  Folder f;
  ASSERT_EQ(mkfifo(f.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal(f.path("pipe")),
            f.path("pipe") + ": cannot read the input: it is a pipe that no process writes to");
  std::jthread writer([&] {
    const int pipe = open(f.path("pipe").c_str(), O_WRONLY);
    EXPECT_EQ(write(pipe, " \n size 2\n 1 2\n", 15), 15);
    close(pipe);
  });
  EXPECT_EQ(refusal(f.path("pipe")), "accepted");
}

TEST(Machine, HasMemory) {
  EXPECT_GT(base::memoryOfMachine(), 64L << 20);
  EXPECT_LE(base::memoryOfMachine(), sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
}

TEST(Visible, EscapesWhatATerminalWouldActOn) {
  EXPECT_EQ(visible("a\x1b[2J\x07\r\x7f"), "a\\x1b[2J\\x07\\x0d\\x7f");
  EXPECT_EQ(visible(std::string("\0", 1)), "\\x00");
  EXPECT_EQ(visible("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\t\n"),
            "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\t\n");
  EXPECT_EQ(visible("\xc2\x9b"
                    "2J"),
            "\\u009b2J");
  EXPECT_EQ(visible("\xe2\x80\xae"
                    "abc"),
            "\\u202eabc");
  EXPECT_EQ(visible("\xff\xc3(\xc0\x80"), "\\xff\\xc3(\\xc0\\x80");
  EXPECT_EQ(visible("\xe2\x82"), "\\xe2\\x82");
}

TEST(Visible, NamesOfFilesInMessagesOfAProgram) {
  Folder f;
  const Ended e = f.run({"--transform=Sum", "no\x1b[31m.txt", "2", "-"});
  EXPECT_EQ(e.status, 1);
  EXPECT_NE(e.err.find("no\\x1b[31m.txt"), std::string::npos) << e.err;
  EXPECT_EQ(e.err.find('\x1b'), std::string::npos);
}
