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
    EXPECT_GT(m.memory(m.kind == MachineKind::Gpu ? "shared" : "L1").bytes, 0);
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

TEST(MachineFile, BestSamplesAndResourcesSurvive) {
  Machine m = readMachine(kSmall, "m.toml");
  m.launch = Figure{1e-6 / 3, 0.02, 1e-6 / 7};
  m.barrier = Figure{1e-9, 0, 0.9e-9}; // samples that did not differ in their middle
  m.memories = {{"L1",
                 Scope::Unit,
                 32768,
                 Figure{1e11, 0.02, 1.1e11},
                 {},
                 {},
                 Figure{1e11 / 3, 0, 5e10},
                 Figure{1e10 / 3}}};
  m.resources = {{ResourceKind::Load, Figure{2e-9, 0.1, 1.9e-9}, {{}, Figure{6e9}, Figure{1.2e10}}, {}},
                 {ResourceKind::FmaF64,
                  {},
                  {Figure{1e8}, Figure{5e9 / 3, 0.01, 5e9 / 2}, {}},
                  {{}, Figure{4e10}, Figure{8e10, 0.1, 9e10}}}};
  const Machine again = readMachine(machineText(m), "again");
  EXPECT_EQ(machineText(again), machineText(m));
  EXPECT_EQ(again.launch->best, 1e-6 / 7);
  EXPECT_EQ(again.barrier->best, 0.9e-9);
  EXPECT_EQ(again.memory("L1").unitBytesPerSecond->value, 1e11 / 3);
  EXPECT_EQ(again.memory("L1").unitCopiedBytesPerSecond->value, 1e10 / 3);
  ASSERT_EQ(again.resources.size(), 2u);
  const Resource &fma = again.resources[1];
  EXPECT_EQ(fma.kind, ResourceKind::FmaF64);
  EXPECT_FALSE(fma.latency);
  EXPECT_EQ(fma.instructions.lane->value, 1e8);
  EXPECT_EQ(fma.instructions.unit->best, 5e9 / 2);
  EXPECT_FALSE(fma.instructions.machine);
  EXPECT_EQ(fma.numbers.machine->best, 9e10);
  EXPECT_EQ(again.resources[0].latency->best, 1.9e-9);
}

TEST(MachineFile, ResourcesAreInTheOrderOfTheirKinds) {
  const Machine m = readMachine(std::string(kSmall) + "[[resource]]\nname = \"add_i64\"\n"
                                                      "[[resource]]\nname = \"issue\"\n",
                                "m.toml");
  ASSERT_EQ(m.resources.size(), 2u);
  EXPECT_EQ(m.resources[0].kind, ResourceKind::Issue);
  EXPECT_EQ(m.resources[1].kind, ResourceKind::AddI64);
}

TEST(MachineFile, EveryKindOfResourceHasItsName) {
  ASSERT_EQ(resourceNames().size(), static_cast<std::size_t>(kResourceKinds));
  EXPECT_STREQ(nameOf(ResourceKind::FmaF32), "fma_f32");
  EXPECT_STREQ(nameOf(ResourceKind::SqrtF64), "sqrt_f64");
  EXPECT_STREQ(nameOf(ResourceKind::MultiplyI64), "multiply_i64");
  EXPECT_EQ(bytesOfNumber(ResourceKind::MultiplyI64), 8);
  EXPECT_EQ(bytesOfNumber(ResourceKind::AddI32), 4);
}

TEST(MachineFile, MistakesInResourcesAndBestSamples) {
  const std::string small = kSmall, resource = small + "[[resource]]\n",
                    fma = resource + "name = \"fma_f64\"\n";
  EXPECT_EQ(
      complaintAbout(resource + "name = \"fma\"\n"),
      "m.toml:6:8: 'name' must be one of 'issue', 'load', 'store', 'add_f32', 'multiply_f32', 'fma_f32', "
      "'divide_f32', 'sqrt_f32', 'add_f64', 'multiply_f64', 'fma_f64', 'divide_f64', 'sqrt_f64', "
      "'add_i32', 'multiply_i32', 'add_i64', 'multiply_i64', 'gather', 'scatter' and 'jump', not 'fma'");
  EXPECT_EQ(complaintAbout(resource + "unit = 1e9\n"), "m.toml:5:1: a resource needs 'name'");
  EXPECT_EQ(complaintAbout(fma + "units = 1e9\n"),
            "m.toml:7:1: a resource has no 'units' (did you mean 'unit'?); known: 'name', 'latency', 'lane', "
            "'unit', 'machine', 'lane_numbers', 'unit_numbers' and 'machine_numbers'");
  EXPECT_EQ(complaintAbout(fma + "unit = 0\n"), "m.toml:7:8: 'unit' must be positive and finite, not 0");
  EXPECT_EQ(complaintAbout(fma + "latency = 1e300\n"),
            "m.toml:7:11: 'latency' must be from 1e-15 to 1000 s, not 1e+300");
  EXPECT_EQ(complaintAbout(fma + "[[resource]]\nname = \"fma_f64\"\n"),
            "m.toml:7:1: there are two resources 'fma_f64'");
  EXPECT_EQ(complaintAbout(small + "resource = 3\n"), "m.toml:5:12: resources are tables [[resource]]");
  // A rate is best where it is highest, a time where it is lowest.
  EXPECT_EQ(complaintAbout(fma + "unit = { value = 2e9, best = 1e9 }\n"),
            "m.toml:7:8: 'best' is the highest sample, but 1e+09 is below the value 2e+09");
  EXPECT_EQ(complaintAbout(fma + "latency = { value = 1e-9, best = 2e-9 }\n"),
            "m.toml:7:11: 'best' is the shortest sample, but 2e-09 is above the value 1e-09");
  EXPECT_EQ(complaintAbout(small + "clock = { value = 1e9, best = -1 }\n"),
            "m.toml:5:31: 'best' must be positive and finite, not -1");
}

TEST(MachineFile, WhatACoreDoesAheadIsReadAsItWasWritten) {
  Machine m = readMachine(kSmall, "m.toml");
  m.window = 512;
  m.mispredicted = Figure{9e-9, 0, {}};
  m.guessedRounds = 128;
  m.pages = PageTable{4096, 1536, Figure{17e-9, 0, {}}, Figure{1e8, 0, {}}};
  const Machine again = readMachine(machineText(m), "m.toml");
  EXPECT_EQ(again.window, 512);
  EXPECT_EQ(again.mispredicted->value, 9e-9);
  EXPECT_EQ(again.guessedRounds, 128);
  EXPECT_EQ(again.pages->bytes, 4096);
  EXPECT_EQ(again.pages->entries, 1536);
  EXPECT_EQ(again.pages->latency->value, 17e-9);
  EXPECT_EQ(again.pages->rate->value, 1e8);
  EXPECT_EQ(complaintAbout(std::string(kSmall) + "pages = 3\n"),
            "m.toml:5:9: [pages] is a table: bytes, entries, latency");
  EXPECT_EQ(complaintAbout(std::string(kSmall) + "[pages]\nbytes = 4096\nlatency = 1e-8\n"),
            "m.toml:5:1: [pages] needs 'entries'");
}

TEST(MachineFile, MistakesAreNamedWithTheirPlace) {
  const std::string small = kSmall;
  EXPECT_EQ(
      complaintAbout(small + "barier = 1e-9\n"),
      "m.toml:5:1: a machine has no 'barier' (did you mean 'barrier'?); known: 'name', 'kind', 'source', "
      "'units', 'lanes', 'clock', 'registers', 'threads_per_unit', 'blocks_per_unit', 'threads_per_block', "
      "'barrier', 'launch', 'window', 'mispredicted', 'guessed_rounds', 'pages', 'registers_per_lane', "
      "'first_cache_per_pair', 'second_cache', 'published_area', "
      "'memory', 'resource', 'warp', 'iteration' and 'energy'");
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

TEST(MachineFile, WhatWarpsCostSurvives) {
  Machine m = readMachine(kSmall, "m.toml");
  m.warp = {{WarpUnit::Dram, FigureSource::Measured, Figure{512.5, 0.01, 500}, Figure{1.75, 0.02, 1.7}, 0.04},
            {WarpUnit::F64, FigureSource::Public, Figure{8}, Figure{0.5}, {}},
            {WarpUnit::Barrier, FigureSource::Assumed, Figure{30, 0.5}, {}, {}}};
  const Machine again = readMachine(machineText(m), "again");
  EXPECT_EQ(machineText(again), machineText(m));
  ASSERT_EQ(again.warp.size(), 3u);
  EXPECT_EQ(again.warp[0].unit, WarpUnit::Dram);
  EXPECT_EQ(again.warp[0].source, FigureSource::Measured);
  EXPECT_EQ(again.warp[0].latency->best, 500);
  EXPECT_EQ(again.warp[0].gap->value, 1.75);
  EXPECT_EQ(again.warp[0].deviation, 0.04);
  EXPECT_EQ(again.warp[1].source, FigureSource::Public);
  EXPECT_EQ(again.warp[2].latency->spread, 0.5);
  EXPECT_FALSE(again.warp[2].gap);
  // In the order of units, whatever that of the file is.
  const Machine turned =
      readMachine(std::string(kSmall) + "[warp.special]\nsource = \"public\"\nlatency = 18\ngap = 2\n"
                                        "[warp.dram]\nsource = \"public\"\nlatency = 500\ngap = 2\n",
                  "m.toml");
  EXPECT_EQ(turned.warp[0].unit, WarpUnit::Dram);
}

TEST(MachineFile, MistakesInWhatWarpsCost) {
  const std::string small = kSmall, f32 = small + "[warp.f32]\nsource = \"public\"\n";
  EXPECT_EQ(complaintAbout(small + "[warp.f16]\nlatency = 4\n"),
            "m.toml:5:7: there is no [warp.f16]; known: 'dram', 'l2', 'l1', 'shared', 'f32', 'f64', "
            "'integer', 'special', 'shuffle', 'barrier', 'start' and 'lines'");
  EXPECT_EQ(complaintAbout(f32 + "latency = -4\ngap = 1\n"),
            "m.toml:7:11: 'latency' must be positive and finite, not -4");
  EXPECT_EQ(complaintAbout(f32 + "latency = 1e9\ngap = 1\n"),
            "m.toml:7:11: 'latency' must be from 0.5 to 1e+06 cycles, not 1e+09");
  EXPECT_EQ(complaintAbout(f32 + "latency = 4\ngap = 0\n"),
            "m.toml:8:7: 'gap' must be positive and finite, not 0");
  EXPECT_EQ(complaintAbout(f32 + "latency = 4\n"), "m.toml:5:1: [warp.f32] needs 'gap'");
  EXPECT_EQ(complaintAbout(small + "[warp.f32]\nsource = \"guess\"\nlatency = 4\ngap = 1\n"),
            "m.toml:6:10: 'source' must be one of 'measured', 'public' and 'assumed', not 'guess'");
  EXPECT_EQ(complaintAbout(small + "[warp.barrier]\nsource = \"public\"\nlatency = 4\ngap = 1\n"),
            "m.toml:8:1: [warp.barrier] has no 'gap'; known: 'source', 'latency' and 'deviation'");
  EXPECT_EQ(complaintAbout(small + "[warp.start]\nsource = \"public\"\nlatency = 4\ngap = 1\n"),
            "m.toml:7:1: [warp.start] has no 'latency'; known: 'source', 'deviation' and 'gap'");
  EXPECT_EQ(complaintAbout(small + "warp = 3\n"),
            "m.toml:5:8: what warps cost are tables [warp.NAME]; names: 'dram', 'l2', 'l1', 'shared', 'f32', "
            "'f64', 'integer', "
            "'special', 'shuffle', 'barrier', 'start' and 'lines'");
}

TEST(MachineFile, TablesOfWarpsMayBeCalledResources) {
  const std::string small = kSmall;
  const Machine m = readMachine(small + "[resource.special]\nsource = \"public\"\nlatency = 18\ngap = 2\n"
                                        "[resource.dram]\nsource = \"measured\"\nlatency = 500\ngap = 1.5\n",
                                "m.toml");
  ASSERT_EQ(m.warp.size(), 2u);
  EXPECT_EQ(m.warp[0].unit, WarpUnit::Dram);
  EXPECT_EQ(m.warp[0].latency->value, 500);
  EXPECT_EQ(m.warp[0].gap->value, 1.5);
  EXPECT_EQ(m.warp[1].source, FigureSource::Public);
  EXPECT_TRUE(m.resources.empty());
  const std::string f32 = small + "[resource.f32]\nsource = \"public\"\n";
  EXPECT_EQ(
      complaintAbout(small + "[resource.speciall]\nlatency = 4\n"),
      "m.toml:5:11: there is no [resource.speciall] (did you mean 'special'?); known: 'dram', 'l2', 'l1', "
      "'shared', 'f32', 'f64', 'integer', 'special', 'shuffle', 'barrier', 'start' and 'lines'");
  EXPECT_EQ(complaintAbout(f32 + "latency = -4\ngap = 1\n"),
            "m.toml:7:11: 'latency' must be positive and finite, not -4");
  EXPECT_EQ(complaintAbout(f32 + "latency = 1e9\ngap = 1\n"),
            "m.toml:7:11: 'latency' must be from 0.5 to 1e+06 cycles, not 1e+09");
  EXPECT_EQ(complaintAbout(f32 + "latency = 4\n"), "m.toml:5:1: [resource.f32] needs 'gap'");
  EXPECT_EQ(
      complaintAbout(f32 + "latency = 4\ngap = 1\n[warp.f32]\nsource = \"public\"\nlatency = 4\ngap = 1\n"),
      "m.toml:9:7: there are [warp.f32] and [resource.f32], which mean the same");
  // Behind [[resource]] TOML takes such a table for a part of the last one.
  EXPECT_EQ(
      complaintAbout(small + "[[resource]]\nname = \"issue\"\n[resource.f32]\nlatency = 4\n"),
      "m.toml:7:11: in a file with [[resource]], [resource.f32] is a part of the last of these; what warps "
      "cost is [warp.f32] here");
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
