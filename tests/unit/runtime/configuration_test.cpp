// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/config/configuration.h"
#include "runtime/config/fit.h"
#include "tests/unit/runtime/sample_program.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace pb;
using Errors = std::vector<std::string>;

namespace {

int threads;
Errors apply(const std::string &toml) {
  config::applyDefaults(sample::program());
  threads = 0;
  return config::apply(sample::program(), toml, "s.cfg", &threads);
}

} // namespace

TEST(Configuration, FillsSlots) {
  EXPECT_EQ(apply(R"(program = "sample"
hash = "abc123"
threads = 3
[AddOne]
choice = [ { below = 10, use = "ByRows" }, { below = 20, use = "Wrong" }, { use = "rule0" } ]
block = 128
omega = 1
)"),
            Errors{});
  EXPECT_EQ(threads, 3);
  EXPECT_EQ(sample::addOneSelector().select(9), 1);
  EXPECT_EQ(sample::addOneSelector().select(19), 2);
  EXPECT_EQ(sample::addOneSelector().select(20), 0);
  EXPECT_EQ(sample::addOneBlock(), 128);
  EXPECT_EQ(sample::addOneOmega(), 1.0);
}

TEST(Configuration, DescribesWhatItAccepts) {
  EXPECT_EQ(apply(""), Errors{});
  const std::string defaults = config::describe(sample::program());
  EXPECT_EQ(defaults, "program = \"sample\"\nhash = \"abc123\"\n\n[AddOne]\nchoice = [ { use = \"rule0\" } "
                      "]\nblock = 64\nomega = 1.25\n");
  EXPECT_EQ(
      apply("[AddOne]\nchoice = [ { below = 7, use = \"Wrong\" }, { use = \"ByRows\" } ]\nomega = 0.1\n"),
      Errors{});
  const std::string changed = config::describe(sample::program());
  EXPECT_NE(changed, defaults);
  EXPECT_EQ(apply(changed), Errors{});
  EXPECT_EQ(config::describe(sample::program()), changed);
}

TEST(Configuration, OneNameIsOneLevel) {
  EXPECT_EQ(apply("[AddOne]\nchoice = \"ByRows\"\n"), Errors{});
  EXPECT_EQ(sample::addOneSelector().levels, 1);
  EXPECT_EQ(sample::addOneSelector().select(0), 1);
}

TEST(Configuration, ExactErrors) {
  const std::string known = "; known: 'rule0', 'ByRows', 'Wrong', 'Crash', 'Endless', 'Exit' and 'NoBase'";
  EXPECT_EQ(apply("[AddOne]\nchoice = \"ByRow\"\n"),
            Errors{"s.cfg:2:10: error: AddOne has no alternative 'ByRow' (did you mean 'ByRows'?)" + known});
  EXPECT_EQ(apply("[AddOne]\nchoice = [ { use = 3 } ]\n"),
            Errors{"s.cfg:2:20: error: expected the name of an alternative in quotes" + known});
  EXPECT_EQ(apply("[AdOne]\nblock = 1\n"),
            Errors{"s.cfg:1:2: error: the program has no transform 'AdOne' (did you mean 'AddOne'?); known: "
                   "'AddOne', 'Take', 'Sum', 'Ramp', 'Shifted' and 'Noisy'"});
  EXPECT_EQ(apply("[AddOne]\nblok = 1\n"),
            Errors{"s.cfg:2:1: error: AddOne has nothing to set by the name 'blok' (did you mean 'block'?); "
                   "known: 'choice', 'block' and 'omega'"});
  EXPECT_EQ(apply("[AddOne]\nblock = 5000\nomega = -0.5\n"),
            (Errors{"s.cfg:2:9: error: AddOne.block = 5000 is out of range: 1 to 4096",
                    "s.cfg:3:9: error: AddOne.omega = -0.5 is out of range: 0 to 2"}));
  EXPECT_EQ(apply("[AddOne]\nblock = 1.5\n"), Errors{"s.cfg:2:9: error: AddOne.block must be an integer"});
  EXPECT_EQ(apply("[AddOne]\nomega = \"x\"\n"), Errors{"s.cfg:2:9: error: AddOne.omega must be a number"});
  EXPECT_EQ(apply("[AddOne]\nomega = nan\n"),
            Errors{"s.cfg:2:9: error: AddOne.omega = nan is out of range: 0 to 2"});
  EXPECT_EQ(apply("program = \"other\"\n"), Errors{"s.cfg:1:11: error: this configuration is for the program "
                                                   "'other', this program has 'sample' (tune again)"});
  EXPECT_EQ(apply("hash = \"x\"\n"),
            Errors{"s.cfg:1:8: error: this configuration is for another version of the program, with the "
                   "hash 'x', this program has 'abc123' (tune again)"});
  EXPECT_EQ(apply("threads = 0\n"), Errors{"s.cfg:1:11: error: threads must be an integer from 1 to 1024"});
  EXPECT_EQ(apply("AddOne = 3\n"),
            Errors{"s.cfg:1:10: error: 'AddOne' is a transform: write [AddOne] and its entries below"});
}

TEST(Configuration, LevelsMustGrowAndEnd) {
  auto choice = [](const std::string &list) { return apply("[AddOne]\nchoice = " + list + "\n"); };
  EXPECT_EQ(choice("[ { below = 9, use = \"rule0\" }, { below = 9, use = \"Wrong\" }, { use = \"rule0\" } ]"),
            Errors{"s.cfg:2:52: error: cut-offs must grow: 9 comes after 9"});
  EXPECT_EQ(choice("[ { use = \"rule0\" }, { use = \"rule0\" } ]"),
            Errors{"s.cfg:2:12: error: every level but the last needs 'below', the size at which it ends"});
  EXPECT_EQ(choice("[ { below = 3, use = \"rule0\" } ]"),
            Errors{"s.cfg:2:22: error: the last level has no 'below': it is for all larger sizes"});
  EXPECT_EQ(choice("[ { below = 0, use = \"rule0\" }, { use = \"rule0\" } ]"),
            Errors{"s.cfg:2:22: error: 'below' must be an integer, at least 1"});
  EXPECT_EQ(choice("[ { below = 5 }, { use = \"rule0\" } ]"),
            Errors{"s.cfg:2:12: error: this level does not say which alternative to use (use = \"NAME\")"});
  EXPECT_EQ(choice("[ { upto = 5, use = \"rule0\" } ]"),
            Errors{"s.cfg:2:14: error: a level of a choice has no entry 'upto'; known: 'below' and 'use'"});
  EXPECT_EQ(
      choice("[]"),
      Errors{
          "s.cfg:2:10: error: expected a list of choices, [ { below = 64, use = \"A\" }, { use = \"B\" } ]"});
  std::string levels = "[ ";
  for (int i = 1; i <= 12; ++i)
    levels += "{ below = " + std::to_string(i) + ", use = \"rule0\" }, ";
  EXPECT_EQ(choice(levels + "{ use = \"rule0\" } ]"),
            Errors{"s.cfg:2:10: error: a choice has at most 12 levels, this one has 13"});
}

TEST(Configuration, NothingIsAppliedWhenAnythingIsWrong) {
  EXPECT_FALSE(apply("threads = 2\n[AddOne]\nblock = 128\nomega = 3\n").empty());
  EXPECT_EQ(sample::addOneBlock(), 64);
  EXPECT_EQ(threads, 0);
}

TEST(Configuration, BrokenTomlHasAPlace) {
  const Errors e = apply("[AddOne\nblock = 1\n");
  ASSERT_EQ(e.size(), 1u);
  EXPECT_EQ(e[0].substr(0, 28), "s.cfg:1:8: error: not TOML: ");
}

TEST(Info, HasWhatTheTunerNeeds) {
  const auto j = nlohmann::json::parse(config::infoJson(sample::program()));
  EXPECT_EQ(j["name"], "sample");
  EXPECT_EQ(j["hash"], "abc123");
  EXPECT_EQ(j["main"], "AddOne");
  const auto &t = j["transforms"][0];
  EXPECT_EQ(t["matrices"][1]["role"], "output");
  EXPECT_EQ(t["matrices"][1]["element"], "double");
  EXPECT_EQ(t["matrices"][1]["extents"], "[w, h]");
  EXPECT_EQ(t["sizes"][1], "h");
  EXPECT_EQ(t["sites"][0]["key"], "choice");
  EXPECT_EQ(t["sites"][0]["alternatives"][1]["name"], "ByRows");
  EXPECT_EQ(t["tunables"][0]["max"], 4096);
  EXPECT_EQ(t["tunables"][0]["kind"], "integer");
  EXPECT_EQ(t["tunables"][1]["initial"], 1.25);
  EXPECT_TRUE(t["generator"].is_null());
  EXPECT_EQ(j["transforms"][1]["params"][0], "k");
  EXPECT_EQ(j["transforms"][4]["generator"], "Ramp");
}

namespace {

config::Fitted fitted(const std::string &toml) {
  config::applyDefaults(sample::program());
  threads = 0;
  return config::fit(sample::program(), toml, "s.cfg", &threads);
}

/// "AddOne.blok: unknown: it is left out"
Errors unfit(const config::Fitted &f) {
  Errors all;
  for (const config::Entry &e : f.entries)
    if (e.state != config::EntryState::Ok && e.state != config::EntryState::Missing)
      all.push_back(e.title() + ": " + name(e.state) + (e.instead.empty() ? "" : ": " + e.instead));
  return all;
}

} // namespace

TEST(Fit, AnotherVersionsFileIsUsedAsFarAsItGoes) {
  const config::Fitted f = fitted(R"(program = "sample"
hash = "old"
threads = 3
[AddOne]
choice = [ { below = 10, use = "ByRows" }, { below = 20, use = "Gone" }, { use = "rule0" } ]
block = 5000
blok = 3
omega = "x"
[Gone]
choice = "a"
)");
  EXPECT_EQ(f.errors, Errors{});
  EXPECT_EQ(unfit(f),
            (Errors{"hash: another version", "AddOne.choice: unknown: its other levels are used",
                    "AddOne.block: out of range: 4096 is used", "AddOne.blok: unknown: it is left out",
                    "AddOne.omega: wrong: the default is used", "Gone: unknown: it is left out"}));
  EXPECT_EQ(threads, 3);
  EXPECT_EQ(sample::addOneSelector().select(9), 1);
  EXPECT_EQ(sample::addOneSelector().select(19), 1) << "the level below takes the sizes of one that is gone";
  EXPECT_EQ(sample::addOneSelector().select(20), 0);
  EXPECT_EQ(sample::addOneBlock(), 4096);
  EXPECT_EQ(sample::addOneOmega(), 1.25);
}

TEST(Fit, LevelsThatCannotBe) {
  auto used = [](const std::string &list) {
    fitted("hash = \"old\"\n[AddOne]\nchoice = " + list + "\n");
    std::string text;
    for (const long n : {0, 5, 50, 500})
      text += std::to_string(sample::addOneSelector().select(n));
    return text;
  };
  EXPECT_EQ(used("[ { below = 3, use = \"Gone\" }, { below = 60, use = \"ByRows\" }, { use = \"Wrong\" } ]"),
            "1112");
  EXPECT_EQ(used("[ { below = 60, use = \"ByRows\" }, { below = 6, use = \"Wrong\" }, { use = \"rule0\" } ]"),
            "1110");
  EXPECT_EQ(used("[ { below = 6, use = \"ByRows\" }, { use = \"Gone\" } ]"), "1111");
  EXPECT_EQ(used("[ { below = 6, use = \"Gone\" }, { use = \"Gone\" } ]"), "0000");
  EXPECT_EQ(used("\"Gone\""), "0000");
  EXPECT_EQ(used("7"), "0000");
  EXPECT_EQ(
      unfit(fitted("[AddOne]\nchoice = [ { below = 3000000000, use = \"ByRows\" }, { use = \"rule0\" } ]\n")),
      Errors{"AddOne.choice: unreachable level"});
}

TEST(Fit, AnotherProgramsFileIsRefused) {
  EXPECT_EQ(
      fitted("program = \"other\"\nhash = \"old\"\n").errors,
      Errors{"s.cfg:1:11: error: this configuration is for the program 'other', this program has 'sample' "
             "(tune again)"});
}

TEST(Fit, SaysWhatItLacks) {
  std::string missing;
  for (const config::Entry &e : fitted("[AddOne]\nblock = 3\n").entries)
    if (e.state == config::EntryState::Missing)
      missing += e.title() + " ";
  EXPECT_EQ(missing, "AddOne.choice AddOne.omega ");
}

TEST(Fit, WarnsInOneLine) {
  const auto warning = [](const std::string &toml) {
    const config::Fitted f = fitted(toml);
    return config::warningAbout(sample::program(), toml, "s.cfg", "./s", &f);
  };
  const std::string end = "; it is used as far as it fits; `pbc tune --refresh ./s` brings it up to date, "
                          "--nowarnings hides this";
  EXPECT_EQ(warning("hash = \"abc123\"\n[AddOne]\nblock = 3\n"), "");
  EXPECT_EQ(warning("hash = \"old\"\n"), "s.cfg: warning: made for another version of the program" + end);
  EXPECT_EQ(warning("hash = \"old\"\n[AddOne]\na = 1\nblock = 0\n"),
            "s.cfg: warning: made for another version of the program (2 entries do not fit: AddOne.a, "
            "AddOne.block)" +
                end);
  EXPECT_EQ(warning("[made-by]\nmachine = { processor = \"Abacus\", cores = 1 }\n"),
            "s.cfg: warning: made on another machine (Abacus, 1 processor)" + end);
  EXPECT_EQ(apply("[made-by]\nmachine = { processor = \"Abacus\", cores = 1 }\n"), Errors{});
}
