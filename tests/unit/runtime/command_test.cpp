// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sample program from a user's point of view: arguments, files, messages, exit statuses.
#include "tests/unit/runtime/process.h"
#include <gtest/gtest.h>

namespace {
const char *const kTwo = "SIZE 2 2\n1 2\n3 4\n";
const std::string kTwoPlusOne = "SIZE 2 2\n   2    3 \n   4    5 \n\n";
} // namespace

TEST(Command, RunsOnFilesAndPipes) {
  Folder f;
  f.write("a.txt", kTwo);
  Ended e = f.run({"a.txt", "b.txt"});
  EXPECT_EQ(e.status, 0) << e.err;
  EXPECT_EQ(e.out + e.err, "");
  EXPECT_EQ(f.read("b.txt"), kTwoPlusOne);
  e = f.run({"-", "-"}, kTwo);
  EXPECT_EQ(e.status, 0);
  EXPECT_EQ(e.out, kTwoPlusOne);
  EXPECT_EQ(f.run({"a.txt", "b.npy"}).status, 0);
  e = f.run({"-", "-"}, f.read("b.npy")); // sniffed
  EXPECT_EQ(e.out, "SIZE 2 2\n   3    4 \n   5    6 \n\n");
  EXPECT_EQ(f.run({"a.txt", "/dev/null"}).status, 0);
  EXPECT_EQ(f.run({"a.txt", "a.txt"}).status, 0);
  EXPECT_EQ(f.read("a.txt"), kTwoPlusOne);
}

TEST(Command, WrongNumberOfArguments) {
  Folder f;
  const Ended e = f.run({"a.txt"});
  EXPECT_EQ(e.status, 1);
  EXPECT_EQ(e.err, "runtime_sample: error: expected 2 arguments (0 numbers, 1 input, 1 output), found 1\n"
                   "usage: runtime_sample [options] A B\n");
  EXPECT_EQ(f.run({}).status, 1);
  EXPECT_EQ(f.run({"a", "b", "c"}).status, 1);
}

TEST(Command, UnknownThings) {
  Folder f;
  EXPECT_EQ(f.run({"--treads=2", "a", "b"}).err, "runtime_sample: error: unknown option '--treads' (did you "
                                                 "mean '--threads'?); --help lists the options\n");
  EXPECT_EQ(f.run({"--threads=x", "a", "b"}).err,
            "runtime_sample: error: --threads expects a whole number from 1 to 1024, found 'x'\n");
  EXPECT_EQ(
      f.run({"--transform=addone", "a", "b"}).err,
      "runtime_sample: error: unknown transform 'addone' (did you mean 'AddOne'?); known: 'AddOne', 'Take', "
      "'Sum', 'Ramp', 'Shifted' and 'Noisy'\n");
  EXPECT_EQ(f.run({"--threads"}).err, "runtime_sample: error: --threads expects a value: --threads=N\n");
  EXPECT_EQ(f.run({"--time=maybe"}).err, "runtime_sample: error: --time is yes or no, found 'maybe'\n");
  EXPECT_EQ(f.run({"-q"}).status, 1);
}

TEST(Command, Params) {
  Folder f;
  f.write("i.txt", "SIZE 3\n7 8 9\n");
  Ended e = f.run({"--transform", "Take", "5", "i.txt", "-"});
  EXPECT_EQ(e.out, "SIZE 5\n   7    8    9    7    8 \n\n") << e.err;
  e = f.run({"--transform=Take", "-2", "i.txt", "-"});
  EXPECT_EQ(e.status, 1);
  EXPECT_EQ(e.err, "runtime_sample: error: Take cannot run with k = -2, n = 3: k = -2 is negative\n");
  EXPECT_EQ(f.run({"--transform=Take", "five", "i.txt", "-"}).err,
            "runtime_sample: error: the parameter k expects a whole number from -2147483648 to 2147483647, "
            "found 'five'\n");
}

TEST(Command, ScalarsMayBeNumbers) {
  Folder f;
  f.write("a.txt", "SIZE 3\n1 2 3\n");
  f.write("f.txt", "SIZE\n10\n");
  EXPECT_EQ(f.run({"--transform=Sum", "a.txt", "-0.5", "-"}).out, "SIZE\n  -3\n");
  EXPECT_EQ(f.run({"--transform=Sum", "a.txt", "f.txt", "-"}).out, "SIZE\n  60\n");
  EXPECT_EQ(f.run({"--transform=Sum", "a.txt", "none.txt", "-"}).err,
            "runtime_sample: error: F: 'none.txt' is neither a number nor a file\n");
  EXPECT_EQ(f.run({"--transform=Sum", "a.txt", "1e400", "-"}).err,
            "runtime_sample: error: F: 1e400 does not fit 'double'\n");
}

TEST(Command, InputsThatDoNotFit) {
  Folder f;
  f.write("a.txt", "SIZE 13\n1 2 3 4 5 6 7 8 9 10 11 12 13\n");
  EXPECT_EQ(f.run({"--transform=Sum", "a.txt", "1", "-"}).err,
            "runtime_sample: error: the inputs of Sum do not fit together: n must not be 13\n  A[n] is "
            "[13]\n  F is []\n");
  EXPECT_EQ(f.run({"a.txt", "-"}).err,
            "runtime_sample: error: a.txt: expected 2 dimensions for A[w, h], found 1 (SIZE [13])\n");
}

TEST(Command, OutputsAreCheckedBeforeTheRun) {
  Folder f;
  f.write("a.txt", "SIZE 2\n1 2\n");
  const Ended e = f.run({"--transform=Noisy", "a.txt", "none/b.txt"});
  EXPECT_EQ(e.status, 1);
  EXPECT_EQ(e.out, ""); // Noisy has not run
  EXPECT_NE(e.err.find("none/b.txt: cannot be written: the folder none: No such file or directory"),
            std::string::npos)
      << e.err;
}

TEST(Command, FailureInABodyIsStatusOneAndLeavesTheOldOutput) {
  Folder f;
  f.write("a.txt", "SIZE 5\n1 2 3 4 5\n");
  f.write("b.txt", "old");
  const Ended e = f.run({"--transform=Noisy", "a.txt", "b.txt"});
  EXPECT_EQ(e.status, 1);
  EXPECT_EQ(e.err, "runtime_sample: error: five is not allowed\n");
  EXPECT_EQ(f.read("b.txt"), "old");
}

TEST(Command, ExitInABodyIsTheStatus) {
  Folder f;
  f.write("a.txt", kTwo);
  f.write("c.cfg", "[AddOne]\nchoice = \"Exit\"\n");
  EXPECT_EQ(f.run({"--config=c.cfg", "a.txt", "-"}).status, 7);
  f.write("c.cfg", "[AddOne]\nchoice = \"NoBase\"\n");
  const Ended e = f.run({"--config=c.cfg", "a.txt", "-"});
  EXPECT_EQ(e.status, 1);
  EXPECT_NE(e.err.find("AddOne calls itself too deeply"), std::string::npos);
}

TEST(Command, ConfigurationErrorsAreListed) {
  Folder f;
  f.write("c.cfg", "[AddOne]\nblock = 0\nchoise = \"ByRows\"\n");
  const Ended e = f.run({"--config=c.cfg", "a", "b"});
  EXPECT_EQ(e.status, 1);
  EXPECT_EQ(e.err, "runtime_sample: error: the configuration does not fit:\n"
                   "c.cfg:2:9: error: AddOne.block = 0 is out of range: 1 to 4096\n"
                   "c.cfg:3:1: error: AddOne has nothing to set by the name 'choise' (did you mean "
                   "'choice'?); known: 'choice', 'block' and 'omega'\n"
                   "(--noconfig runs with the defaults)\n");
}

TEST(Command, PrintsItself) {
  Folder f;
  Ended e = f.run({"--help"});
  EXPECT_EQ(e.status, 0);
  EXPECT_NE(e.out.find("usage: runtime_sample [options] A B\n"), std::string::npos);
  EXPECT_NE(e.out.find("  A[w, h]              input, 2-d double\n"), std::string::npos) << e.out;
  for (const char *o :
       {"--config=FILE", "--threads=N", "--time", "--check", "--serve", "--info", "--size=V=N"})
    EXPECT_NE(e.out.find(o), std::string::npos);
  f.write("c.cfg", "[AddOne]\nblock = 99\n");
  e = f.run({"--print-config", "--config", "c.cfg"});
  EXPECT_EQ(e.out, "program = \"sample\"\nhash = \"abc123\"\n\n[AddOne]\nchoice = [ { use = \"rule0\" } "
                   "]\nblock = 99\nomega = 1.25\n");
  e = f.run({"--info"});
  EXPECT_EQ(e.status, 0);
  EXPECT_EQ(e.out[0], '{');
}

TEST(Command, RandomInputs) {
  Folder f;
  EXPECT_EQ(f.run({"--n=4", "a.npy"}).status, 0);
  EXPECT_EQ(f.run({"--n=4", "b.npy"}).status, 0);
  EXPECT_EQ(f.read("a.npy"), f.read("b.npy"));
  EXPECT_EQ(f.run({"--n=4", "--seed=2", "b.npy"}).status, 0);
  EXPECT_NE(f.read("a.npy"), f.read("b.npy"));
  Ended e = f.run({"--size", "w=2", "--size=h=3", "-"});
  EXPECT_EQ(e.out.substr(0, 9), "SIZE 2 3\n");
  EXPECT_EQ(f.run({"--size", "w=2"}).err, "runtime_sample: error: no value for the size 'h': add --size h=N, "
                                          "or --n=N for all that are not named\n");
  EXPECT_EQ(f.run({"--n=3", "--size", "x=2"}).err,
            "runtime_sample: error: AddOne has no size variable 'x'; known: 'w' and 'h'\n");
  EXPECT_EQ(
      f.run({"--n=2000000"}).err,
      "runtime_sample: error: AddOne cannot run with w = 2000000, h = 2000000: w = 2000000 is too large\n");
  e = f.run({"--transform=Shifted", "--size", "w=2", "--size", "h=2", "-"}); // the generator's
  EXPECT_EQ(e.out, "SIZE 2 2\n1001 1002 \n1011 1012 \n\n") << e.err;
}

TEST(Command, RandomNumbersInRulesFollowTheSeed) {
  Folder f;
  const Ended a = f.run({"--transform=Noisy", "--n=3", "--threads=1", "-"}),
              b = f.run({"--transform=Noisy", "--n=3", "--threads=1", "-"});
  EXPECT_EQ(a.out, b.out);
  EXPECT_EQ(a.out.substr(0, 6), "noise\n"); // what a rule prints comes before the matrix
}

TEST(Command, Time) {
  Folder f;
  Ended e = f.run({"--n=10", "--time"});
  EXPECT_EQ(e.status, 0);
  EXPECT_EQ(e.out.substr(0, 6), "time: ");
  EXPECT_EQ(e.out.substr(e.out.size() - 3), " s\n");
  f.write("a.txt", kTwo);
  e = f.run({"a.txt", "-", "--time"});
  EXPECT_EQ(e.out, kTwoPlusOne); // stays a matrix
  EXPECT_EQ(e.err.substr(0, 6), "time: ");
  EXPECT_EQ(f.run({"a.txt", "--time"}).status, 0); // outputs may be left out
}

TEST(Command, ResetWritesTheDefaults) {
  Folder f;
  Ended e = f.run({"--fixedrandom", "--config=new.cfg", "--reset"});
  EXPECT_EQ(e.status, 0) << e.err;
  EXPECT_EQ(e.out, "runtime_sample: the default configuration was written to new.cfg\n");
  EXPECT_NE(f.read("new.cfg").find("[AddOne]"), std::string::npos);
  f.write("a.txt", kTwo);
  EXPECT_EQ(f.run({"a.txt", "-", "--fixedrandom", "--config=new.cfg"}).out, kTwoPlusOne);
  e = f.run({"--reset", "--cfg", "no/such/folder.cfg"});
  EXPECT_EQ(e.status, 1);
  EXPECT_EQ(e.err,
            "runtime_sample: error: no/such/folder.cfg: cannot be written: No such file or directory\n");
}

TEST(Command, AConfigurationThatIsNotThere) {
  Folder f;
  f.write("a.txt", kTwo);
  const Ended e = f.run({"--config=none.cfg", "a.txt", "-"});
  EXPECT_EQ(e.status, 0);
  EXPECT_EQ(e.out, kTwoPlusOne);
  EXPECT_EQ(e.err, "runtime_sample: warning: none.cfg does not exist: the defaults are used\n");
  EXPECT_TRUE(f.list() == std::vector<std::string>{"a.txt"}); // nothing is written
  EXPECT_EQ(f.run({"--config=a.txt/none.cfg", "a.txt", "-"}).status, 1);
}

TEST(Command, OptionsOfTheOriginal) {
  Folder f;
  f.write("a.txt", kTwo);
  EXPECT_EQ(f.run({"a.txt", "--thr=1", "-", "--tx", "AddOne"}).out,
            kTwoPlusOne); // the begin of a name is enough
  EXPECT_EQ(f.run({"--ti", "a.txt"}).status, 0);
  EXPECT_EQ(f.run({"--t", "a.txt"}).status, 1); // several begin so
  Ended e = f.run({"a.txt", "-", "--retries", "3", "--noisolation"});
  EXPECT_EQ(e.out, kTwoPlusOne);
  EXPECT_EQ(e.err,
            "runtime_sample: warning: --retries has no meaning here: a run that fails is not repeated\n"
            "runtime_sample: warning: --noisolation has no meaning here: a run is a process of its own\n");
  e = f.run({"a.txt", "-", "--acctrials=4", "--min", "2", "--exp", "--noreexecchild"});
  EXPECT_EQ(e.out, kTwoPlusOne);
  EXPECT_NE(e.err.find("warning: --acctrials has no meaning here: `pbc tune` finds configurations\n"),
            e.err.npos);
  e = f.run({"a.txt", "-", "--race-with=None"});
  EXPECT_EQ(e.status, 1);
  EXPECT_EQ(e.err,
            "runtime_sample: error: --race-with does not exist here: `pbc tune` compares configurations; "
            "--time measures one\n");
  EXPECT_EQ(f.run({"a.txt", "-", "--noacctrain"}).out, kTwoPlusOne);
  EXPECT_EQ(f.run({"--name", "--tx=Sum"}).out, "Sum\n");
  e = f.run({"a.txt", "--hash"});
  EXPECT_EQ(e.out.substr(0, 8), "hash: 0x");
  EXPECT_EQ(e.out, f.run({"--hash=yes", "a.txt", "/dev/null"}).out);
  f.write("b.txt", "SIZE 2 2\n1 2\n3 5\n");
  EXPECT_NE(e.out, f.run({"--hash", "b.txt"}).out);
  EXPECT_EQ(f.run({"a.txt", "b.txt", "--force-output"}).out, kTwoPlusOne);
  EXPECT_EQ(f.read("b.txt"), kTwoPlusOne);
  EXPECT_EQ(f.run({"a.txt", "--time", "--trials=1", "--max-sec=100"}).status, 0);
}

TEST(Command, GeneratedFiles) {
  Folder f;
  EXPECT_EQ(f.run({"--iogen-create=g", "--n=3"}).status, 0);
  const std::string begin = f.read("g_out0.dat").substr(0, 15); // text keeps 8 digits of the inputs
  EXPECT_EQ(f.run({"--iogen-run=g", "-"}).out.substr(0, 15), begin);
  EXPECT_EQ(f.run({"--iogen-run=g", "--time"}).status, 0);
  EXPECT_EQ(f.run({"--iogen-run=g", "--iogen-n=3", "-"}).out.substr(0, 15), begin);
  EXPECT_EQ(f.run({"--iogen-create=g"}).err.substr(0, 64),
            "runtime_sample: error: --iogen-create needs a size: add --n=N\nus");
}

TEST(Command, TwoOutputsOrInputsThatClash) {
  Folder f;
  EXPECT_EQ(f.run({"--transform=Sum", "-", "-", "x"}, "SIZE 1\n1\n").err,
            "runtime_sample: error: only one input can be '-' (standard input)\n");
}

TEST(Command, FullDiskIsAnError) {
  Folder f;
  f.write("a.txt", kTwo);
  const Ended e = f.run({"a.txt", "/dev/full"});
  EXPECT_EQ(e.status, 1);
  EXPECT_EQ(e.err, "runtime_sample: error: /dev/full: cannot be written: No space left on device\n");
}
