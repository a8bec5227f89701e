// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Machines are written as text and read back; messages about wrong text.
#include "compiler/model/machine/machine_file.h"
#include "tests/unit/model/machines.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace pbc::model {
namespace {

const char *const kSmall = R"(name = "Small"
kind = "gpu"
units = 2
lanes = 4
)";

std::string complaintAbout(const std::string &text) {
  try {
    readMachine(text, "m.toml");
  } catch (const Problem &p) {
    return p.what();
  }
  return "no complaint";
}

TEST(MachineFile, EveryMachineThatComesWithPbcReadsBackTheSame) {
  int count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(PBC_SOURCE_DIR "/compiler/model/machines")) {
    SCOPED_TRACE(entry.path().string());
    const Machine m = findMachine(entry.path().string());
    const std::string text = machineText(m);
    EXPECT_EQ(machineText(readMachine(text, "again")), text);
    EXPECT_FALSE(m.source.empty()); // the source of its figures
    EXPECT_GT(m.memory("shared").bytes, 0);
    ++count;
  }
  EXPECT_GE(count, 5);
}

TEST(MachineFile, FiguresOfTheFirstMachine) {
  const Machine &m = shipped("gtx980");
  EXPECT_EQ(m.name, "GTX 980");
  EXPECT_EQ(m.kind, MachineKind::Gpu);
  EXPECT_EQ(m.units, 16);
  EXPECT_EQ(m.lanes, 128);
  EXPECT_EQ(m.memory("shared").bytes, 96 * 1024);
  EXPECT_EQ(m.memory("shared").bytesPerBlock, 48 * 1024);
  EXPECT_EQ(m.memory("shared").scope, Scope::Unit);
  EXPECT_EQ(m.iteration.at("Gradient2D").value, 6.09e-8);
  EXPECT_EQ(shipped("k20c").energy.at("regression").at("iadd"), 0);
  // A guess is marked as one.
  EXPECT_EQ(shipped("h200").barrier->spread, 0.5);
}

TEST(MachineFile, SpreadsAndMemoriesSurvive) {
  Machine m = readMachine(kSmall, "m.toml");
  m.source = "a \"quoted\" text\nof two lines";
  m.clock = Figure{1.0 / 3.0 * 1e9, 0.1};
  m.memories = {{"L1", Scope::Unit, 32768, Figure{1e11 / 7, 0.02}, Figure{1e-9, 0}, {}}};
  m.iteration["a name with blanks"] = {1e-9 / 3, 0};
  const Machine again = readMachine(machineText(m), "again");
  EXPECT_EQ(again.source, m.source);
  EXPECT_EQ(again.clock->value, m.clock->value);
  EXPECT_EQ(again.clock->spread, 0.1);
  EXPECT_EQ(again.memory("L1").bytesPerSecond->value, 1e11 / 7);
  EXPECT_EQ(again.memory("L1").latency->value, 1e-9);
  EXPECT_FALSE(again.memory("L1").bytesPerBlock);
  EXPECT_EQ(again.iteration.at("a name with blanks").value, 1e-9 / 3);
}

TEST(MachineFile, MistakesAreNamedWithTheirPlace) {
  const std::string small = kSmall;
  EXPECT_EQ(
      complaintAbout(small + "barier = 1e-9\n"),
      "m.toml:5:1: a machine has no 'barier' (did you mean 'barrier'?); known: 'name', 'kind', 'source', "
      "'units', 'lanes', 'clock', 'registers', 'threads_per_unit', 'blocks_per_unit', 'threads_per_block', "
      "'barrier', 'launch', 'registers_per_lane', 'first_cache_per_pair', 'second_cache', 'published_area', "
      "'memory', 'iteration' and 'energy'");
  EXPECT_EQ(complaintAbout(small + "barrier = -1e-9\n"),
            "m.toml:5:11: 'barrier' must be positive and finite, not -1e-09");
  EXPECT_EQ(complaintAbout(small + "launch = inf\n"),
            "m.toml:5:10: 'launch' must be positive and finite, not inf");
  EXPECT_EQ(complaintAbout(small + "barrier = 1e300\n"),
            "m.toml:5:11: 'barrier' must be from 1e-15 to 1000 s, not 1e+300");
  EXPECT_EQ(complaintAbout(small + "clock = { value = 0.1, spread = 1 }\n"),
            "m.toml:5:19: 'value' must be from 1 to 1e+18 Hz, not 0.1");
  EXPECT_EQ(complaintAbout("name = \"a\\u001bb\"\nkind = \"gpu\"\nunits = 1\nlanes = 1\n"),
            "m.toml:1:8: 'name' must be a line without control characters");
  EXPECT_EQ(complaintAbout(small + "launch = { value = 1, spread = -1 }\n"),
            "m.toml:5:32: 'spread' must be a number, 0 or more: a part of the value");
  EXPECT_EQ(complaintAbout(small + "launch = { spread = 1 }\n"), "m.toml:5:10: 'launch' needs 'value'");
  EXPECT_EQ(complaintAbout(small + "registers = 1.5\n"), "m.toml:5:13: 'registers' must be a whole number");
  EXPECT_EQ(complaintAbout(small + "registers = 0\n"),
            "m.toml:5:13: 'registers' must be from 1 to 1000000000, not 0");
  EXPECT_EQ(complaintAbout(small + "clock = \"fast\"\n"), "m.toml:5:9: 'clock' must be a number");
  EXPECT_EQ(complaintAbout(small + "[[memory]]\nname = \"L1\"\nscope = \"core\"\nbytes = 1\n"),
            "m.toml:7:9: 'scope' must be one of 'lane', 'unit' and 'machine', not 'core'");
  EXPECT_EQ(complaintAbout(small + "memory = 3\n"), "m.toml:5:10: memories are tables [[memory]]");
  EXPECT_EQ(
      complaintAbout(small + "[[memory]]\nname = \"s\"\nscope = \"unit\"\nbytes = 8\nbytes_per_block = 9\n"),
      "m.toml:5:1: a block cannot have 9 bytes of a memory of 8");
  EXPECT_EQ(complaintAbout(small + "[energy]\nbench = { fadd = -1 }\n"),
            "m.toml:6:18: 'fadd' must be a number, 0 or more");
  EXPECT_EQ(complaintAbout("name = \"x\"\nkind = \"cpu\"\nunits = -1\n"),
            "m.toml:2:8: 'kind' must be one of 'processor' and 'gpu', not 'cpu'\n"
            "m.toml:3:9: 'units' must be from 1 to 1000000000, not -1\n"
            "m.toml:1:1: a machine needs 'lanes'");
  EXPECT_EQ(complaintAbout("name = ").substr(0, 21), "m.toml:1:8: not TOML:");
}

TEST(MachineFile, NamesOfMemoriesAndFiles) {
  try {
    shipped("gtx980").memory("sharde");
    FAIL();
  } catch (const Problem &p) {
    EXPECT_STREQ(p.what(), "the description of GTX 980 has no memory 'sharde' (did you mean 'shared'?)");
    EXPECT_EQ(p.help(), "it has 'shared', 'L2' and 'global'");
  }
  try {
    findMachine("/nowhere/at/all.toml");
    FAIL();
  } catch (const Problem &p) {
    EXPECT_STREQ(p.what(), "the machine's file /nowhere/at/all.toml cannot be read");
  }
}

} // namespace
} // namespace pbc::model
