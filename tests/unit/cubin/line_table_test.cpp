// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lines of machine code: tables as NVRTC 13.0 writes them, whole, cut off and damaged, and what NVRTC makes where it is installed.
#include "compiler/cubin/line_table.h"
#include "runtime/device/cuda/cuda_api.h"
#include "tests/unit/cubin/elf.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace pbc::cubin {
namespace {

std::string bytesOf(const std::vector<int> &all) { return {all.begin(), all.end()}; }

std::string number(std::size_t value) {
  std::string text;
  for (int k = 0; k < 4; ++k)
    text += static_cast<char>(value >> 8 * k & 0xff);
  return text;
}

/// One unit: lines from -5 on in steps of 14, operations from 10 on stand for both, and a file without a folder.
std::string unit(const std::string &program, int version = 2) {
  const std::string tables =
      bytesOf({1, 1, -5, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0}) + std::string("own\0\0\0\0\0", 8);
  const std::string head = bytesOf({version, 0}) + number(tables.size()) + tables;
  return number(head.size() + program.size()) + head + program;
}

const std::string kAddress = bytesOf({0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0}), kEnd = bytesOf({0, 1, 1});
constexpr std::size_t kAddressAt = 4 + 6 + 23 + 3; // in a unit that begins with it

/// Line 18 at 0, 20 at 16; line 127 of another function, inlined there, at 32; line 21 at 48, and that is all of 16 bytes.
const std::string kProgram = kAddress + bytesOf({4, 1, 3, 17, 1, 3, 2, 2, 16, 1}) +
                             bytesOf({4, 2, 0, 3, 0x90, 2, 0, 3, 0xeb, 0, 2, 16, 1}) +
                             bytesOf({4, 1, 0, 3, 0x90, 0, 0, 3, 0x96, 0x7f, 2, 16, 1, 2, 16}) + kEnd;

TEST(LineTable, InlinedInstructionsAreForTheLineThatCalls) {
  const std::string table = unit(kProgram);
  const std::vector<LineSequence> all = lineTable(Bytes(table));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].addressAt, kAddressAt);
  for (const auto &[place, line] : {std::pair{0L, 18L}, {8L, 18L}, {16L, 20L}, {32L, 20L}, {48L, 21L}})
    EXPECT_EQ(lineAt(all[0], place), line) << place;
  EXPECT_EQ(lineAt(all[0], -1), 0);
  EXPECT_EQ(lineAt({}, 0), 0);
}

TEST(LineTable, AFunctionInlinedInAnotherOne) {
  const std::string nested = kAddress + bytesOf({3, 6, 1}) + bytesOf({0, 3, 0x90, 1, 0, 3, 10, 2, 16, 1}) +
                             bytesOf({0, 3, 0x90, 2, 0, 3, 20, 2, 16, 1}) + kEnd;
  const std::string table = unit(nested);
  const std::vector<LineSequence> all = lineTable(Bytes(table));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(lineAt(all[0], 32), 7);
}

TEST(LineTable, RowsThatAreInlinedAtThemselvesEnd) {
  const std::string wrong = kAddress + bytesOf({0, 3, 0x90, 1, 0, 1}) + bytesOf({0, 3, 0x90, 9, 0, 1}) + kEnd;
  const std::string table = unit(wrong);
  EXPECT_EQ(lineTable(Bytes(table)).size(), 1U);
}

TEST(LineTable, OtherFormsHaveNone) {
  const std::string other = unit(kProgram, 5), both = other + unit(kProgram);
  EXPECT_TRUE(lineTable(Bytes(other)).empty());
  EXPECT_EQ(lineTable(Bytes(both)).size(), 1U) << "the next unit is read";
}

TEST(LineTable, DamagedOnesAreRefusedOrMeanSomethingElse) {
  const std::string whole = unit(kProgram);
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const std::string part = whole.substr(0, size);
    EXPECT_THROW(lineTable(Bytes(part)), Unreadable) << size;
  }
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char byte :
         {'\0', '\x01', '\x7f', '\x80', '\xff'}) { // whatever they are, nothing outside is read
      std::string other = whole;
      other[at] = byte;
      try {
        lineTable(Bytes(other));
      } catch (const Unreadable &) {
      }
    }
}

TEST(Cubin, InstructionsHaveLines) {
  const Word any{0x0000001a101a7223, 0x010fc80000000011};
  const auto linesOf = [&](const std::string &lines) {
    std::vector<long> all;
    const auto functions = readCubin(elf({"own", {any, any, any, any}, 40, 0, 0, 90, lines, kAddressAt}));
    for (const Instruction &i : functions.at(0).instructions)
      all.push_back(i.line);
    return all;
  };
  EXPECT_EQ(linesOf(unit(kProgram)), (std::vector<long>{18, 20, 20, 21}));
  EXPECT_EQ(linesOf(""), (std::vector<long>{0, 0, 0, 0}));
}

/// Of the kernel alone, also where a function of another file is inlined.
TEST(Cubin, LinesOfWhatNvrtcMakes) {
  if (pb::device::nvrtcVersion().empty())
    GTEST_SKIP() << "this machine has no NVRTC";
  const std::string text = R"(#line 500 "other"
__device__ __forceinline__ double twice(double x) {
  return x + x;
}
#line 1 "own"
extern "C" __global__ void k(const double *a, double *b) {
  const double loaded = a[threadIdx.x];
  const double computed =
    twice(loaded) * 3.0;
  b[threadIdx.x] = computed;
}
)";
  for (const char *device : {"sm_80", "sm_90"}) {
    const std::vector<Function> all = readCubin(pb::device::compileCudaVerbosely(text, device).binary);
    ASSERT_EQ(all.size(), 1U);
    const auto lineOf = [&](auto isIt) {
      const auto at = std::ranges::find_if(all[0].instructions, isIt);
      return at == all[0].instructions.end() ? -1 : at->line;
    };
    EXPECT_EQ(lineOf([](const Instruction &i) { return i.kind == Kind::GlobalLoad; }), 2) << device;
    EXPECT_EQ(lineOf([](const Instruction &i) { return i.kind == Kind::GlobalStore; }), 5) << device;
    EXPECT_EQ(lineOf([](const Instruction &i) { return (i.word[0] & 0x1ff) == 0x029; }), 4)
        << device << ": DADD";
  }
}

} // namespace
} // namespace pbc::cubin
