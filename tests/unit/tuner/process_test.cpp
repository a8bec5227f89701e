// The whole command against programs that hang, crash, end and answer wrongly (requirements 81, 82; field.md
// ask 3).
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using nlohmann::json;
using testing::HasSubstr;
namespace fs = std::filesystem;

struct Ended {
  int status = -1;
  std::string out, err;
  double seconds = 0;
};

std::string contents(const fs::path &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Tune : public testing::Test {
protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("pbc-tune-" + std::to_string(getpid()) + "-" +
                                              testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path config() const { return folder_ / "fake.cfg"; }

  /// Runs `pbc tune FAKE arguments...` with additions to the environment; sends SIGINT after `interruptAfter`
  /// s.
  Ended tune(std::vector<std::string> arguments,
             const std::vector<std::pair<std::string, std::string>> &environment, double interruptAfter = 0,
             const std::string &program = FAKE_PROGRAM) {
    arguments.insert(arguments.begin(), {FAKE_PROGRAM, "tune", program, "--output=" + config().string()});
    const auto start = std::chrono::steady_clock::now();
    const std::string out = folder_ / "out", err = folder_ / "err";
    const pid_t pid = fork();
    if (pid == 0) {
      for (const auto &[name, value] : environment)
        setenv(name.c_str(), value.c_str(), 1);
      if (!freopen(out.c_str(), "w", stdout) || !freopen(err.c_str(), "w", stderr))
        _exit(126);
      std::vector<char *> pointers;
      for (std::string &argument : arguments)
        pointers.push_back(argument.data());
      pointers.push_back(nullptr);
      execv(FAKE_PROGRAM, pointers.data());
      _exit(127);
    }
    if (interruptAfter > 0) {
      usleep(static_cast<useconds_t>(interruptAfter * 1e6));
      kill(pid, SIGINT);
    }
    Ended ended;
    waitpid(pid, &ended.status, 0);
    ended.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ended.out = contents(out);
    ended.err = contents(err);
    return ended;
  }

  /// With BadSort behaving so: QuickSort wins, BadSort is named with this reason, and it is over in time.
  void expectQuickSort(const std::string &bad, const std::string &kind, const std::string &reason, long n) {
    const Ended ended = tune({"--n=65536", "--budget=8", "--json"}, {{"FAKE_BAD", bad}});
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_LT(ended.seconds, 20);
    const json result = json::parse(ended.out);
    EXPECT_GT(result["speedup"].get<double>(), 1.9);
    EXPECT_LT(result["speedup"].get<double>(), 2.2);
    EXPECT_THAT(result["choices"][0].get<std::string>(), HasSubstr("QuickSort"));
    bool named = false;
    for (const json &fault : result["rejected"])
      if (fault["suspect"] == "Sort with BadSort" && fault["kind"] == kind) {
        named = true;
        EXPECT_THAT(fault["reason"].get<std::string>(), HasSubstr(reason));
        EXPECT_EQ(fault["n"].get<long>(), n);
      }
    EXPECT_TRUE(named) << ended.out;
    EXPECT_THAT(contents(config()), HasSubstr("QuickSort"));
    EXPECT_THAT(contents(config()), testing::Not(HasSubstr("BadSort")));
  }

  fs::path folder_;
};

// n = 17 is the first size that alternatives are examined at, before any time is measured.
TEST_F(Tune, CrashingAlternativeIsNamedAndLoses) { expectQuickSort("crash", "crash", "signal 11", 17); }
TEST_F(Tune, HangingAlternativeIsNamedAndLoses) { expectQuickSort("hang", "too slow", "hangs", 17); }
TEST_F(Tune, EndingAlternativeIsNamedAndLoses) {
  expectQuickSort("exit", "exit", "exit status 3: fake: error: cannot sort this", 17);
}
TEST_F(Tune, WrongAlternativeIsNamedAndLoses) {
  expectQuickSort("wrong", "wrong result", "different result", 17);
}
TEST_F(Tune, AlternativeThatIsWrongWhenLargeIsNamedAndLoses) {
  expectQuickSort("wrong_large", "wrong result", "different result", 4096);
}

TEST_F(Tune, WhatOthersDidToAProcessIsNobodysFault) {
  const Ended ended = tune({"--n=65536", "--budget=8", "--json"}, {{"FAKE_BAD", "poison"}});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json result = json::parse(ended.out);
  EXPECT_EQ(result["rejected"].dump(), "[]");
  EXPECT_THAT(result["choices"][0].get<std::string>(), HasSubstr("BadSort"));
}

TEST_F(Tune, TextSaysEverything) {
  const Ended ended = tune({"--n=65536", "--effort=instant"}, {{"FAKE_BAD", "wrong"}});
  ASSERT_EQ(ended.status, 0) << ended.err;
  for (const char *part : {"default", "times as fast as the default", "Sort: QuickSort always",
                           "Sort with BadSort at n >= 17 gives a different result", "written to", "journal"})
    EXPECT_THAT(ended.out, HasSubstr(part));
  for (const char *part : {"# Made by pbc tune for fake on ", "# machine: ", "# size: n=65536",
                           "# default: ", "# effort: instant"})
    EXPECT_THAT(contents(config()), HasSubstr(part));
}

TEST_F(Tune, TheSecondTimeItRemembers) {
  ASSERT_EQ(tune({"--n=4096", "--effort=instant", "--json"}, {{"FAKE_BAD", "crash"}}).status, 0);
  const json second =
      json::parse(tune({"--n=4096", "--effort=instant", "--json"}, {{"FAKE_BAD", "crash"}}).out);
  EXPECT_GT(second["remembered"].get<int>(), 5);
  EXPECT_THAT(second["rejected"].dump(), HasSubstr("BadSort"));
  const json fresh = json::parse(tune({"--n=4096", "--effort=instant", "--json", "--fresh"}, {}).out);
  EXPECT_EQ(fresh["remembered"].get<int>(), 0);
}

TEST_F(Tune, CtrlCKeepsTheBestSoFar) {
  const Ended ended = tune({"--n=65536", "--budget=100", "--json"}, {{"FAKE_SLEEP", "20"}}, 3);
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_LT(ended.seconds, 5);
  EXPECT_THAT(ended.err, HasSubstr("stopped; the best so far is kept"));
  const json result = json::parse(ended.out);
  EXPECT_TRUE(result["stopped"].get<bool>());
  EXPECT_TRUE(result["changed"].get<bool>());
  EXPECT_THAT(contents(config()), HasSubstr("choice = "));
  for (const auto &entry : fs::directory_iterator(folder_))
    EXPECT_THAT(entry.path().string(), testing::Not(HasSubstr(".tmp")));
}

TEST_F(Tune, CtrlCEndsAHangingMeasurementAndItsProcess) {
  const Ended ended = tune({"--n=65536", "--budget=100"}, {{"FAKE_SLEEP", "600000"}}, 1);
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_LT(ended.seconds, 3);
}

TEST_F(Tune, StoppedEarlyLeavesTheEarlierConfiguration) {
  ASSERT_EQ(tune({"--n=65536", "--effort=instant"}, {{"FAKE_BAD", "wrong"}}).status, 0);
  const std::string before = contents(config());
  const Ended ended =
      tune({"--n=65536", "--budget=100", "--fresh"}, {{"FAKE_SLEEP", "300"}, {"FAKE_BAD", "wrong"}}, 1);
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(contents(config()), before);
}

TEST_F(Tune, FindsASizeByItself) {
  const Ended ended = tune({"--effort=instant", "--json"}, {{"FAKE_BAD", "wrong"}});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(json::parse(ended.out)["full_size"],
            "n=262144"); // 0.2 us an element: the first of at least 50 ms
}

TEST_F(Tune, ErrorsTeach) {
  EXPECT_THAT(tune({}, {}, 0, (folder_ / "nothing").string()).err, HasSubstr("there is no such program"));
  std::ofstream(folder_ / "text.txt") << "x";
  EXPECT_THAT(tune({}, {}, 0, (folder_ / "text.txt").string()).err, HasSubstr("is not a program"));
  EXPECT_THAT(tune({}, {}, 0, "/bin/true").err, HasSubstr("is not a program made by pbc"));
  EXPECT_THAT(tune({"--n=4096"}, {{"FAKE_DEFAULT", "crash"}}).err,
              HasSubstr("does not run with its default configuration at n="));
  EXPECT_THAT(tune({"--size", "w=4096"}, {}).err, HasSubstr("no size variable 'w'"));
  EXPECT_THAT(tune({"--size", "w"}, {}).err, HasSubstr("is not of the form"));
  EXPECT_THAT(tune({"--help"}, {}).out, HasSubstr("Example:"));
  EXPECT_EQ(WEXITSTATUS(tune({}, {}, 0, "/bin/true").status), 1);
}

} // namespace
