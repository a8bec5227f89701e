// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Traces from PTX and machine code, and what compilers do with loops.
#include "compiler/emulate/by_line.h"
#include "compiler/emulate/device/machine_code.h"
#include "compiler/emulate/hoist.h"
#include "compiler/emulate/unroll.h"
#include "tests/unit/emulate/traces.h"
#include <gtest/gtest.h>

namespace pbc::emulate {
namespace {

using Kind = CodeInstruction::Kind;

const char *kPtx = R"(
.version 9.0
.visible .entry other(
)
{
	st.global.f64 	[%rd1], %fd1;
	ret;
}
.visible .entry own(
	.param .u64 own_param_0
)
{
	.reg .f64 	%fd<5>;
	ld.param.u64 	%rd1, [own_param_0];
	setp.lt.s32 	%p1, %r1, 1;
	@%p1 bra 	$L__BB0_3;
	mov.f64 	%fd4, 0d0000000000000000;
$L__BB0_2: // a loop
	ld.global.nc.v2.f64 	{%fd1, %fd2}, [%rd1+16];
	fma.rn.f64 	%fd3, %fd1, %fd2, %fd4;
	mov.f64 	%fd4, %fd3;
	setp.ne.s32 	%p2, %r1, 0;
	@%p2 bra 	$L__BB0_2;
	st.global.f64 	[%rd1], %fd3;
	ret;
$L__BB0_3:
	st.global.f64 	[%rd1], %fd4;
	st.global.f64 	[%rd1+8], %fd4;
	ret;
}
)";

std::vector<Kind> kindsOf(const Code &code) {
  std::vector<Kind> all;
  for (const CodeInstruction &i : code.instructions)
    if (i.kind != Kind::Nothing)
      all.push_back(i.kind);
  return all;
}

TEST(Ptx, OneKernelIsRead) {
  const Code code = codeOfPtx(kPtx, "own");
  EXPECT_EQ(kindsOf(code), (std::vector{Kind::Arithmetic, Kind::Branch, Kind::Load, Kind::Arithmetic,
                                        Kind::Arithmetic, Kind::Branch, Kind::Store, Kind::Exit, Kind::Store,
                                        Kind::Store, Kind::Exit, Kind::Exit}));
  EXPECT_EQ(code.instructions[4].bytes, 16);
  EXPECT_EQ(code.instructions[5].unit, GpuUnit::F64);
  EXPECT_EQ(code.instructions[8].target, 4);
  EXPECT_TRUE(code.instructions[8].isConditional);
}

/// The value that a loop hands to its next turn is in one register, so that the turns wait for each other.
TEST(Ptx, CopiesAreNoInstructions) {
  const Code code = codeOfPtx(kPtx, "own");
  const CodeInstruction &fma = code.instructions[5];
  EXPECT_EQ(fma.reads.back(), fma.writes.front());
}

TEST(Ptx, BranchesToNowhereAreRefused) {
  EXPECT_THROW(codeOfPtx(".entry own(\n)\n{\n bra $L1;\n}\n", "own"), std::invalid_argument);
}

/// Of a function that is inlined, also in another one that is, the line is that of the call in the kernel.
TEST(Ptx, InstructionsHaveLinesOfTheKernel) {
  const Code code = codeOfPtx(R"(
.entry own(
)
{
	mov.u32 	%r1, %tid.x;
	.loc	1 46 13
	add.f64 	%fd1, %fd1, %fd2;
	.loc	1 48 11
$L__tmp1:
	.loc	2 127 26, function_name $L__info_string0, inlined_at 1 48 11
	mul.f64 	%fd3, %fd1, %fd2;
	.loc	2 9 5, function_name $L__info_string0+7, inlined_at 2 127 26
	mul.f64 	%fd3, %fd3, %fd2;
	.loc	1 49 3
	st.global.f64 	[%rd1], %fd3;
	.loc	2 127 26, function_name $L__info_string0, inlined_at 1 50 11
	mul.f64 	%fd3, %fd1, %fd2;
	.loc	2 127 26
	ret;
}
.file	1 "own"
)",
                              "own");
  std::vector<long> lines;
  for (const CodeInstruction &i : code.instructions)
    lines.push_back(i.line);
  EXPECT_EQ(lines, (std::vector<long>{0, 46, 48, 48, 49, 50, 127, 0})) << "the last one is the end";
}

/// Regions are of the lines for which instructions are.
TEST(Code, RegionsAreOfTheirOrigins) {
  Code code = codeOfPtx(kPtx, "own");
  for (CodeInstruction &i : code.instructions)
    i.origin =
        i.kind == Kind::Store ? source::Origin{{"own.pbcc", 9}, "last"} : source::Origin{{"own.pbcc", 8}};
  Work work;
  work.loaded = {400 * 16, 400 * 32};
  work.stored = {8, 8};
  work.f64 = 400;
  work.turns = {400};
  for (const Region &r : traceOf(code, work).trace.regions)
    if (r.kind != Region::Kind::Any)
      EXPECT_EQ(r.origin.line.number, r.kind == Region::Kind::Stores ? 9U : 8U) << nameOf(r.kind);
  EXPECT_EQ(rulesOf(traceOf(code, work).trace), (std::vector<std::string>{"last"}));
}

/// The loops of the kernel say that there are 400 multiply-adds and one store: so the loop runs 400 times, and the way for no turns is not taken.
TEST(Code, TurnsAndWaysFollowFromTheWork) {
  Work work;
  work.loaded = {400 * 16, 400 * 32};
  work.stored = {8, 8};
  work.f64 = 400;
  work.turns = {400};
  const CodeTrace found = traceOf(codeOfPtx(kPtx, "own"), work);
  EXPECT_EQ(verify(found.trace, kGpuUnits), "");
  ASSERT_EQ(found.trace.loops.size(), 1U);
  EXPECT_EQ(found.trace.loops[0].times, 400);
  EXPECT_LT(found.difference, 0.05);
  double stores = 0, sectors = 0;
  for (std::size_t k = 0; k < found.trace.instructions.size(); ++k) {
    const Instruction &i = found.trace.instructions[k];
    const Region::Kind kind = found.trace.regions[std::size_t(i.region)].kind;
    stores += kind == Region::Kind::Stores ? 1 : 0;
    sectors += kind == Region::Kind::Loads ? i.transactions : 0;
  }
  EXPECT_EQ(stores, 1);
  EXPECT_EQ(sectors, 32) << "of a load of 16 bytes, as many for each byte as the loops' loads need";
}

TEST(Code, WhatDoesNotFitIsSaid) {
  Work work;
  work.stored = {8, 8};
  work.f32 = 1000; // there is none of it
  EXPECT_GT(traceOf(codeOfPtx(kPtx, "own"), work).difference, 2);
}

TEST(Operands, OfMachineCode) {
  const auto fma = cubin::operandsOf({0x0000001a101a7223, 0x010fc80000000011}); // FFMA R26, R16, R26, R17
  EXPECT_EQ(fma.reads, (std::vector{16, 26, 17}));
  EXPECT_EQ(fma.writes, (std::vector{26}));
  const auto sum = cubin::operandsOf({0x000000000e407229, 0x0000000000000040}); // DADD R64, R14, R64
  EXPECT_EQ(sum.reads, (std::vector{14, 15, 64, 65}));
  EXPECT_EQ(sum.writes, (std::vector{64, 65}));
  const auto load = cubin::operandsOf({0x0000001008087981, 0x000ea2000c1e9d00}); // LDG.128 R8, [R8]
  EXPECT_EQ(load.reads, (std::vector{8, 9}));
  EXPECT_EQ(load.writes, (std::vector{8, 9, 10, 11}));
  EXPECT_EQ(cubin::pipeOf({0x000000161418722b, 0x0040e40000000018}), cubin::Pipe::F64);
  EXPECT_TRUE(cubin::isPredicated({0xfffffff8003c1947, 0x000fea000383ffff}));
}

TEST(Unroll, TurnsOfShortLoopsStandOneAfterTheOther) {
  Trace trace = straight({{0, {}}, {1, {}}, {2, {}}});
  trace.instructions[1].reads = {0, 1}; // a sum of what was loaded
  trace.loops = {{0, 3, 400}};
  const Unrolled made = unrolled(trace, {.ofShortest = 4});
  EXPECT_EQ(verify(made.trace, 3), "");
  ASSERT_EQ(made.trace.instructions.size(), 9U) << "four times two, and the counter";
  EXPECT_EQ(made.trace.loops[0].times, 100);
  EXPECT_EQ(made.trace.loops[0].end, 9);
  EXPECT_EQ(unrolled(trace).trace.instructions.size(), 33U) << "sixteen turns of such a short loop";
  EXPECT_EQ(made.trace.instructions[3].writes, (std::vector{1})) << "the sum goes on";
  EXPECT_NE(made.trace.instructions[0].writes, made.trace.instructions[2].writes) << "a load does not";
  EXPECT_EQ(made.trace.instructions[6].writes, (std::vector{0})) << "its last value is there behind the loop";
}

TEST(Hoist, InstructionsStandInFrontOfTheirLoop) {
  Trace trace = straight({{0, {}}, {1, {}}, {2, {}}});
  trace.loops = {{0, 3, 10}, {1, 3, 5}};
  EXPECT_EQ(hoist(trace, {{2, 0}}), (std::vector{1, 2, 0}));
  EXPECT_EQ(trace.instructions[0].resource, 2);
  EXPECT_EQ(trace.loops[0].first, 1);
  EXPECT_EQ(trace.loops[0].end, 3);
  EXPECT_EQ(trace.loops[1].first, 2);
  EXPECT_EQ(trace.loops[1].end, 3);
}

TEST(Unroll, BarriersKeepLoopsAsTheyAre) {
  Trace trace = straight({{0, {}}, {1, {}}, {2, {}}});
  trace.instructions[1].isBarrier = true;
  trace.loops = {{0, 3, 400}};
  EXPECT_EQ(unrolled(trace).trace.instructions.size(), 3U);
}

} // namespace
} // namespace pbc::emulate
