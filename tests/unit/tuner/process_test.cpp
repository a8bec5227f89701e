// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The whole command with programs that hang, crash, end and answer wrongly (requirements 81, 82;
// tuning-practice.md 3).
#include "tuner/evaluate/worker_evaluator.h"
#include "tuner/journal/read_journal.h"
#include "tuner/space/toml.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace pbc::tuner;
using nlohmann::json;
using testing::HasSubstr;
namespace fs = std::filesystem;

struct Ended {
  int status = -1;
  std::string out, err;
  double seconds = 0; // from the interruption on, if there was one
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

  /// Runs `pbc tune FAKE arguments...` with additions to the environment; interrupts it (interrupt_) when so
  /// many measurements have begun, however long that takes here.
  Ended tune(std::vector<std::string> arguments,
             const std::vector<std::pair<std::string, std::string>> &environment,
             std::uintmax_t interruptAfter = 0, const std::string &program = FAKE_PROGRAM) {
    arguments.insert(arguments.begin(), {FAKE_PROGRAM, "tune", program, "--output=" + config().string()});
    auto start = std::chrono::steady_clock::now();
    const fs::path log = folder_ / "log";
    fs::remove(log);
    const std::string out = folder_ / "out", err = folder_ / "err";
    const pid_t pid = fork();
    if (pid == 0) {
      for (const auto &[name, value] : environment)
        setenv(name.c_str(), value.c_str(), 1);
      setenv("FAKE_LOG", log.c_str(), 1);
      if (fileBytes_ > 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{fileBytes_, fileBytes_};
        setrlimit(RLIMIT_FSIZE, &limit);
      }
      if (!freopen(out.c_str(), "w", stdout) || !freopen(err.c_str(), "w", stderr))
        _exit(126);
      std::vector<char *> pointers;
      for (std::string &argument : arguments)
        pointers.push_back(argument.data());
      pointers.push_back(nullptr);
      execv(FAKE_PROGRAM, pointers.data());
      _exit(127);
    }
    Ended ended;
    bool hasEnded = false;
    if (interruptAfter > 0) {
      while (!hasEnded && (!fs::exists(log) || fs::file_size(log) < interruptAfter)) {
        usleep(1000);
        hasEnded = waitpid(pid, &ended.status, WNOHANG) == pid;
      }
      start = std::chrono::steady_clock::now();
      if (!hasEnded)
        interrupt_(pid);
    }
    if (!hasEnded)
      waitpid(pid, &ended.status, 0);
    ended.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ended.out = contents(out);
    ended.err = contents(err);
    return ended;
  }

  /// Entries of the journal whose configuration takes BadSort at its size, with this outcome.
  std::vector<JournalEntry> ofBadSort(const std::string &outcome) const {
    const ProgramSpace space = parseProgramSpace(outputOf({FAKE_PROGRAM, "--info"}, 60));
    std::vector<JournalEntry> found;
    for (const JournalEntry &entry : readJournal(fs::path(config()).replace_extension(".tune.sqlite")))
      if (entry.outcome == outcome &&
          fromToml(space, entry.toml, "journal").selectors()[0].select(sizeOf(entry)) == 2)
        found.push_back(entry);
    return found;
  }
  static long sizeOf(const JournalEntry &entry) {
    return std::stol(entry.size.substr(entry.size.find('=') + 1));
  }

  /// With a BadSort that misbehaves in this way, QuickSort wins, and BadSort is named with this reason, at
  /// the smallest size at which it was tried and failed.
  /// Usually it ends after so many trials, long before the budget.
  void expectQuickSort(const std::string &bad, const std::string &kind, const std::string &reason,
                       long smallest, long largest,
                       std::vector<std::string> words = {"--n=8192", "--budget=60", "--trials=200"}) {
    words.push_back("--json");
    const Ended ended = tune(words, {{"FAKE_BAD", bad}});
    ASSERT_EQ(ended.status, 0) << ended.err;
    // It would be an hour if a candidate that hangs were waited for; a slow machine may take some times the
    // budget.
    EXPECT_LT(ended.seconds, 200);
    const json result = json::parse(ended.out);
    EXPECT_GT(result["speedup"].get<double>(), 1.9);
    EXPECT_LT(result["speedup"].get<double>(), 2.2);
    EXPECT_THAT(result["choices"][0].get<std::string>(), HasSubstr("QuickSort"));
    long named = 0;
    for (const json &fault : result["rejected"])
      if (fault["suspect"] == "Sort with BadSort" && fault["kind"] == kind) {
        named = fault["n"].get<long>();
        EXPECT_THAT(fault["reason"].get<std::string>(), HasSubstr(reason));
        EXPECT_GE(named, smallest);
        EXPECT_LE(named, largest);
      }
    EXPECT_GT(named, 0) << ended.out;
    const std::vector<JournalEntry> failures = ofBadSort(kind);
    EXPECT_FALSE(failures.empty());
    for (const JournalEntry &entry : failures)
      EXPECT_GE(sizeOf(entry), named);
    // Each hang costs its time limit.
    EXPECT_LE(ofBadSort("too slow").size(), 8u) << ended.out;
    for (const JournalEntry &entry : ofBadSort("ok"))
      EXPECT_LT(sizeOf(entry), smallest) << "it was believed where it misbehaves";
    EXPECT_THAT(contents(config()), HasSubstr("QuickSort"));
    EXPECT_THAT(contents(config()), testing::Not(HasSubstr("BadSort")));
  }

  fs::path folder_;
  std::function<void(pid_t)> interrupt_ = [](pid_t pid) { kill(pid, SIGINT); };
  rlim_t fileBytes_ = 0; // largest size of a file; 0: no limit
};

// n = 17 is the first size at which alternatives are examined, before any time is measured.
TEST_F(Tune, CrashingAlternativeIsNamedAndLoses) { expectQuickSort("crash", "crash", "signal 11", 17, 17); }
TEST_F(Tune, HangingAlternativeIsNamedAndLoses) {
  expectQuickSort("hang", "too slow", "hangs", 17, 17, {"--n=65536", "--budget=8"});
}
TEST_F(Tune, EndingAlternativeIsNamedAndLoses) {
  expectQuickSort("exit", "exit", "exit status 3: fake: error: cannot sort this", 17, 17);
}
TEST_F(Tune, WrongAlternativeIsNamedAndLoses) {
  expectQuickSort("wrong", "wrong result", "different result", 17, 17);
}
// Which size finds it first depends on the time: if a small one has used the whole budget, the full size is
// next.
TEST_F(Tune, AlternativeThatIsWrongWhenLargeIsNamedAndLoses) {
  expectQuickSort("wrong_large", "wrong result", "different result", 4096, 8192);
}

TEST_F(Tune, WhoIsKilledIsNotSaidToWantMemory) { expectQuickSort("killed", "crash", "signal 9", 17, 17); }

TEST_F(Tune, WhoReportsMoreTimeThanHasPassedLoses) {
  expectQuickSort("boast", "error", "reports 1e+04 s of runs, and has had", 17, 17);
}

TEST_F(Tune, AlternativeThatBecomesWrongIsNamedAndLoses) {
  const Ended ended = tune({"--n=8192", "--budget=60", "--trials=40", "--json"}, {{"FAKE_BAD", "late"}});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json result = json::parse(ended.out);
  EXPECT_THAT(result["choices"][0].get<std::string>(), HasSubstr("QuickSort")) << ended.out;
  EXPECT_THAT(result["rejected"].dump(), HasSubstr("Sort with BadSort"));
  EXPECT_THAT(contents(config()), testing::Not(HasSubstr("BadSort")));
}

TEST_F(Tune, ADefaultThatDoesNotAgreeWithItselfIsAnError) {
  const Ended ended = tune({"--n=4096", "--budget=4"}, {{"FAKE_DEFAULT", "random"}});
  EXPECT_EQ(WEXITSTATUS(ended.status), 1) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("the default, run again on the same inputs, gives a different result"));
  EXPECT_FALSE(fs::exists(config()));
}

TEST_F(Tune, TheLastStepsSeeOtherInputs) {
  const std::string seeds = (folder_ / "seeds").string();
  ASSERT_EQ(tune({"--n=8192", "--budget=4"}, {{"FAKE_BAD", "wrong"}, {"FAKE_SEEDS", seeds}}).status, 0);
  EXPECT_THAT(contents(seeds),
              testing::AllOf(testing::StartsWith("1\n"), HasSubstr("\n2\n"), HasSubstr("\n3\n")));
  fs::remove(config());
  const Ended picky =
      tune({"--n=8192", "--budget=4", "--fresh"}, {{"FAKE_BAD", "wrong"}, {"FAKE_DEFAULT", "picky"}});
  ASSERT_EQ(picky.status, 0) << picky.err;
  EXPECT_THAT(contents(config()), HasSubstr("QuickSort")) << "what the default cannot do with is not used";
}

TEST_F(Tune, WhatOthersDidToAProcessIsNobodysFault) {
  const Ended ended = tune({"--n=8192", "--budget=60", "--trials=40", "--json"}, {{"FAKE_BAD", "poison"}});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json result = json::parse(ended.out);
  for (const json &fault : result["rejected"])
    EXPECT_EQ(fault["kind"], "too slow")
        << fault << " (a pause of the machine can be that, and nothing else)";
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
  ASSERT_EQ(tune({"--n=4096", "--effort=instant", "--budget=100", "--json"}, {{"FAKE_BAD", "crash"}}).status,
            0);
  const json second = json::parse(
      tune({"--n=4096", "--effort=instant", "--budget=100", "--json"}, {{"FAKE_BAD", "crash"}}).out);
  EXPECT_GT(second["remembered"].get<int>(), 5);
  EXPECT_THAT(second["rejected"].dump(), HasSubstr("BadSort"));
  const json fresh =
      json::parse(tune({"--n=4096", "--effort=instant", "--budget=100", "--json", "--fresh"}, {}).out);
  EXPECT_EQ(fresh["remembered"].get<int>(), 0);
}

/// How an evaluator uses rows of earlier tunings: BadSort at n = 4096.
class Remembered : public Tune {
protected:
  struct Row {
    std::string outcome;
    double limit = 0;
  };
  /// Whether it is measured again.
  bool isAskedAgain(const std::vector<Row> &rows, long memoryBytes = 0) const {
    const ProgramSpace space = parseProgramSpace(outputOf({FAKE_PROGRAM, "--info"}, 60));
    const Configuration badSort = Configuration::defaults(space).withSelector(0, Selector(2));
    const fs::path path = folder_ / "rows.sqlite";
    fs::remove(path);
    Journal journal(path.string());
    for (const Row &row : rows)
      journal.add({space.journalKey(), "here", "n=4096", badSort.key(), "", {}, row.outcome, "", row.limit});
    WorkerOptions options;
    options.limits.memoryBytes = memoryBytes;
    Worker worker(FAKE_PROGRAM, options);
    WorkerEvaluatorSettings settings;
    settings.machine = "here";
    WorkerEvaluator evaluator(space, {{{{"n", 4096}}, 4096, 1e-3}}, worker, &journal, settings);
    return !evaluator.measure({badSort, 0, 1, 10}).rejected;
  }
};

TEST_F(Remembered, WhatFailedIsNotAskedAgain) {
  EXPECT_TRUE(isAskedAgain({}));
  EXPECT_FALSE(isAskedAgain({{"crash"}}));
  EXPECT_FALSE(isAskedAgain({{"wrong result"}}));
}

/// Another process may have killed it; wrong results may occur for some inputs only.
TEST_F(Remembered, WhatWorkedLaterMayWork) {
  EXPECT_TRUE(isAskedAgain({{"crash"}, {"ok"}}));
  EXPECT_FALSE(isAskedAgain({{"ok"}, {"crash"}}));
  EXPECT_FALSE(isAskedAgain({{"wrong result"}, {"ok"}}));
}

TEST_F(Remembered, WhoWantedMoreIsAskedAgainWithMore) {
  constexpr long kGiga = 1'000'000'000;
  EXPECT_FALSE(isAskedAgain({{"out of memory", 1e9}}, kGiga));
  EXPECT_TRUE(isAskedAgain({{"out of memory", 1e9}}, 2 * kGiga));
  EXPECT_FALSE(isAskedAgain({{"too slow", 10}}));
  EXPECT_TRUE(isAskedAgain({{"too slow", 1}}));
  EXPECT_FALSE(isAskedAgain({{"compiles too long", kLongestCompilation}}));
  EXPECT_TRUE(isAskedAgain({{"compiles too long", 1}}));
}

TEST_F(Tune, CtrlCKeepsTheBestSoFar) {
  // About 50 measurements for the examination, then the first sizes.
  const Ended ended = tune({"--n=65536", "--budget=1000", "--json"}, {{"FAKE_SLEEP", "20"}}, 120);
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_LT(ended.seconds, 20);
  EXPECT_THAT(ended.err, HasSubstr("stopped; the best so far is kept"));
  const json result = json::parse(ended.out);
  EXPECT_TRUE(result["stopped"].get<bool>());
  EXPECT_THAT(ended.err, testing::Not(HasSubstr("there is no report")));
  EXPECT_TRUE(fs::exists(folder_ / "fake.tune.html")) << ended.err;
  EXPECT_TRUE(result["changed"].get<bool>());
  EXPECT_THAT(contents(config()), HasSubstr("choice = "));
  for (const auto &entry : fs::directory_iterator(folder_))
    EXPECT_THAT(entry.path().string(), testing::Not(HasSubstr(".tmp")));
}

/// `timeout` and shells do this: they send the signal to the process and to its group.
TEST_F(Tune, TwoSignalsAtOnceAreOneWish) {
  interrupt_ = [](pid_t pid) {
    kill(pid, SIGINT);
    kill(pid, SIGINT);
  };
  const Ended ended = tune({"--n=65536", "--budget=1000"}, {{"FAKE_SLEEP", "20"}}, 120);
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("stopped; the best so far is kept"));
  EXPECT_TRUE(fs::exists(config()));
}

/// The next process would run another program, whose times and results are not those of this one.
TEST_F(Tune, AProgramThatIsBuiltAnewMeanwhileEndsIt) {
  const fs::path program = folder_ / "fake";
  fs::copy_file(FAKE_PROGRAM, program);
  interrupt_ = [&](pid_t) {
    fs::copy_file(FAKE_PROGRAM, folder_ / "new");
    fs::rename(folder_ / "new", program);
  };
  const Ended ended = tune({"--n=65536", "--budget=1000"}, {{"FAKE_SLEEP", "20"}}, 120, program);
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_LT(ended.seconds, 20);
  EXPECT_THAT(ended.err, HasSubstr("stopped; the best so far is kept"));
  EXPECT_THAT(ended.err, HasSubstr("/fake was changed meanwhile: this is of what it was; tune it again\n"));
  EXPECT_THAT(contents(config()), HasSubstr("choice = "));
}

TEST_F(Tune, AProgramThatIsDeletedBeforeAnythingIsKnownLeavesNothing) {
  const fs::path program = folder_ / "fake";
  fs::copy_file(FAKE_PROGRAM, program);
  interrupt_ = [&](pid_t) { fs::remove(program); };
  const Ended ended = tune({"--n=65536", "--budget=1000"}, {{"FAKE_SLEEP", "500"}}, 1, program);
  EXPECT_EQ(WEXITSTATUS(ended.status), 1) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("stopped before the first measurement; no configuration was written"));
  EXPECT_THAT(ended.err, HasSubstr("/fake was deleted meanwhile"));
  EXPECT_FALSE(fs::exists(config()));
}

TEST_F(Tune, AJournalThatIsFullLosesNothing) {
  fileBytes_ = 100'000;
  const Ended ended = tune({"--n=65536", "--budget=4"}, {{"FAKE_BAD", "wrong"}});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("from some moment on nothing was noted"));
  EXPECT_THAT(contents(config()), HasSubstr("QuickSort"));
}

TEST_F(Tune, CtrlCEndsAHangingMeasurementAndItsProcess) {
  const Ended ended = tune({"--n=65536", "--budget=100"}, {{"FAKE_SLEEP", "600000"}}, 1);
  EXPECT_EQ(WEXITSTATUS(ended.status), 128 + SIGINT) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("no configuration was written"));
  EXPECT_FALSE(fs::exists(config()));
  EXPECT_LT(ended.seconds, 4); // left alone, that measurement would take longer
}

TEST_F(Tune, StoppedEarlyLeavesTheEarlierConfiguration) {
  ASSERT_EQ(tune({"--n=65536", "--effort=instant"}, {{"FAKE_BAD", "wrong"}}).status, 0);
  const std::string before = contents(config());
  const Ended ended =
      tune({"--n=65536", "--budget=100", "--fresh"}, {{"FAKE_SLEEP", "300"}, {"FAKE_BAD", "wrong"}}, 4);
  EXPECT_EQ(WEXITSTATUS(ended.status), 128 + SIGINT) << ended.err;
  EXPECT_EQ(contents(config()), before);
}

TEST_F(Tune, ThreadsAreADecisionUnlessTheyAreSaid) {
  const json searched = json::parse(
      tune({"--n=4096", "--trials=60", "--json"}, {{"FAKE_THREADS", "6"}, {"FAKE_BAD", "wrong"}}).out);
  EXPECT_THAT(searched["choices"].dump(), HasSubstr("threads"));
  EXPECT_THAT(contents(config()), HasSubstr("\nthreads = 2\n"));
  const Ended again = tune({"--n=4096", "--trials=60"}, {{"FAKE_THREADS", "6"}, {"FAKE_BAD", "wrong"}});
  EXPECT_THAT(again.err, HasSubstr("3 open decisions")) << "what was found is where the next one starts";
  EXPECT_THAT(contents(config()), HasSubstr("\nthreads = 2\n"));

  fs::remove(config());
  const Ended said =
      tune({"--n=4096", "--trials=60", "--threads=5"}, {{"FAKE_THREADS", "6"}, {"FAKE_BAD", "wrong"}});
  EXPECT_THAT(said.err, HasSubstr("2 open decisions"));
  EXPECT_THAT(contents(config()), HasSubstr("\nthreads = 5\n"));
}

TEST_F(Tune, FindsASizeByItself) {
  const Ended ended = tune({"--effort=instant", "--json"}, {{"FAKE_BAD", "wrong"}});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(json::parse(ended.out)["full_size"],
            "n=262144"); // 0.2 us an element: the first of at least 50 ms
}

TEST_F(Tune, LooksBeforeItMeasuresWhetherItCanWrite) {
  fs::create_directory(config());
  const Ended ended = tune({"--n=4096"}, {});
  EXPECT_EQ(WEXITSTATUS(ended.status), 1);
  EXPECT_THAT(ended.err, HasSubstr("cannot be written there: it is a folder\n  help: --output=FILE.cfg"));
  EXPECT_FALSE(fs::exists(folder_ / "log")) << "something was measured";
}

TEST_F(Tune, WhatIsNoConfigurationIsNotWrittenOver) {
  const auto refused = [&](const std::string &text, const std::string &why) {
    std::ofstream(config()) << text;
    const Ended ended = tune({"--n=4096", "--effort=instant"}, {});
    EXPECT_EQ(WEXITSTATUS(ended.status), 1);
    EXPECT_THAT(ended.err, HasSubstr(why));
    EXPECT_EQ(contents(config()), text);
    EXPECT_FALSE(fs::exists(folder_ / "log")) << "something was measured";
  };
  refused("transform Sort\nfrom A[n]\n", "what is there is something else, and is left as it is");
  refused("program = \"other\"\n", "belongs to another program, other, and is left as it is");
  std::ofstream(config()) << "# by hand\n";
  EXPECT_EQ(tune({"--n=4096", "--effort=instant"}, {}).status, 0);
}

TEST_F(Tune, WhatIsNoPageIsNotWrittenOver) {
  std::ofstream(folder_ / "notes.txt") << "mine";
  const std::string notes = (folder_ / "notes.txt").string();
  for (const std::string option : {"--report=", "--record="}) {
    const Ended ended = tune({"--n=4096", option + notes}, {});
    EXPECT_EQ(WEXITSTATUS(ended.status), 1);
    EXPECT_THAT(ended.err, HasSubstr("cannot be written there: what is there is something else"));
    EXPECT_EQ(contents(notes), "mine");
  }
  EXPECT_THAT(tune({"--n=4096", "--report=" + config().string()}, {}).err,
              HasSubstr("is the configuration and the report"));
  EXPECT_THAT(tune({"--n=4096", "--record=" FAKE_PROGRAM}, {}).err,
              HasSubstr("is the program and the file of --record"));
}

TEST_F(Tune, ErrorsTeach) {
  EXPECT_THAT(tune({}, {}, 0, (folder_ / "nothing").string()).err, HasSubstr("there is no such program"));
  std::ofstream(folder_ / "text.txt") << "x";
  EXPECT_THAT(tune({}, {}, 0, (folder_ / "text.txt").string()).err, HasSubstr("is not a program"));
  EXPECT_THAT(tune({}, {}, 0, "/bin/true").err, HasSubstr("is not a program made by pbc"));
  EXPECT_THAT(tune({"--n=4096"}, {{"FAKE_DEFAULT", "crash"}}).err,
              HasSubstr("does not run with its default configuration at n="));
  EXPECT_THAT(
      tune({"--n=4096"}, {{"FAKE_DEFAULT", "assert"}}).err,
      HasSubstr("status 1: fake: error: JASSERT(n < 100) failed at f.pbcc:6: too large; n = 10000; m = 1\n"));
  EXPECT_THAT(tune({"--size", "w=4096"}, {}).err, HasSubstr("no size variable 'w'"));
  EXPECT_THAT(tune({"--size", "w"}, {}).err, HasSubstr("is not of the form"));
  for (const char *size : {"n=", "n=0", "n=-3", "n=x"})
    EXPECT_EQ(WEXITSTATUS(tune({"--size", size}, {}).status), 1) << size;
  EXPECT_THAT(tune({"--size=n=4", "--size=n=8"}, {}).err, HasSubstr("n has a size already"));
  for (const char *budget : {"0", "-1", "nan", "inf", "x"})
    EXPECT_THAT(tune({std::string("--budget=") + budget}, {}).err,
                HasSubstr("is not a number of seconds above 0"))
        << budget;
  EXPECT_THAT(tune({"--seed=-1"}, {}).err, HasSubstr("not in range 0 to 9007199254740992"));
  EXPECT_THAT(tune({"--help"}, {}).out, HasSubstr("Example:"));
  EXPECT_EQ(WEXITSTATUS(tune({}, {}, 0, "/bin/true").status), 1);
}

} // namespace
