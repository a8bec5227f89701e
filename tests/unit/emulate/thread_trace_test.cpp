// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a thread of a processor does in kernels, and how long a core takes for it.
#include "compiler/emulate/long_loops.h"
#include "compiler/emulate/processor/thread_trace.h"
#include "compiler/loop/build.h"
#include "compiler/loop/lower/lower.h"
#include "compiler/model/problem.h"
#include "tests/unit/transform/textual.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pbc::emulate {
namespace {

model::Figure figure(double value) { return {value, 0, {}}; }

/// A core of 1 GHz, so that rates are per cycle: 2 loads, 1 store, 2 arithmetic instructions of 32 bytes, 4 instructions in all; L1 of 32 KiB, L2
/// of 1 MiB with a line in 2 cycles, memory with a line in 8.
model::Machine machine() {
  using K = model::ResourceKind;
  model::Machine m;
  m.name = "test";
  m.kind = model::MachineKind::Processor;
  m.clock = figure(1e9);
  m.memories = {{"L1", model::Scope::Unit, 32768, figure(1.28e11), figure(4e-9), {}, figure(1.28e11)},
                {"L2", model::Scope::Unit, 1048576, figure(3.2e10), figure(14e-9), {}, figure(3.2e10)},
                {"global", model::Scope::Machine, 1e10, figure(8e9), figure(80e-9), {}, figure(8e9)}};
  const auto add = [&](K kind, double latency, double instructions, double numbers) {
    m.resources.push_back({kind,
                           figure(latency * 1e-9),
                           {{}, figure(instructions * 1e9), {}},
                           {{}, figure(numbers * 1e9), {}}});
  };
  add(K::Issue, 1, 4, 4);
  add(K::Load, 4, 2, 16);
  add(K::Store, 1, 1, 8);
  for (const K kind : {K::AddF32, K::MultiplyF32, K::FmaF32})
    add(kind, 4, 2, 16);
  for (const K kind : {K::AddF64, K::MultiplyF64, K::FmaF64})
    add(kind, 4, 2, 8);
  for (const K kind : {K::DivideF32, K::DivideF64, K::SqrtF32, K::SqrtF64})
    add(kind, 12, 0.25, 0.5);
  for (const K kind : {K::AddI32, K::AddI64})
    add(kind, 1, 4, 16);
  return m;
}

struct Made {
  Trace trace;
  std::string text; // an instruction a line: "multiply-adds x3", what it needs of memories, and the loops
  double cycles;
};

Made made(const std::string &text, const std::string &steps, const std::map<std::string, long> &sizes,
          const std::vector<std::vector<long>> &extents, bool isWarm = false,
          const model::Machine &on = machine()) {
  kernel::Texts texts;
  const kernel::Scheduled scheduled = *texts.run(texts.kernel(text), steps);
  const loop::Nest nest = loop::build(scheduled, loop::generate(scheduled));
  const loop::Lowered lowered = loop::lower(nest, {});
  ProcessorCore core = processorCoreOf(on, 32, 32);
  core.vectorRegisters = 16;
  ThreadQuestion question{nest.buffers, extents, lowered.body, sizes, isWarm};
  question.extents.resize(nest.buffers.size());
  question.reassociates = scheduled.reassociates;
  Made one{threadTrace(question, core), "", 0};
  EXPECT_EQ(verify(one.trace, int(core.core.resources.size())), "");
  for (const Instruction &i : one.trace.instructions) {
    one.text += core.core.resources[std::size_t(i.resource)].name;
    if (i.count > 1)
      one.text += fmt::format(" x{}", i.count);
    for (const Need &need : i.needs)
      if (need.resource >= kCpuUnits)
        one.text +=
            fmt::format(", {:.3g} from {}{}", need.rate, core.core.resources[std::size_t(need.resource)].name,
                        need.waits ? " at once" : "");
    one.text += "\n";
  }
  for (const Repeat &loop : one.trace.loops)
    one.text += fmt::format("{} to {}: {} times\n", loop.first, loop.end, loop.times);
  one.cycles = inCycles(Emulation(one.trace, {1}, core.core).run().time);
  return one;
}

const char *const kScale = R"(kernel Scale [n]
  buffer A double 1-d input
  buffer B double 1-d output
  S[i]: B[i] = A[i] * 0.5
    { S[i] : 0 <= i < n }
  schedule
    band i
)";

TEST(ThreadTrace, AMapInVectors) {
  const Made one = made(kScale, "vector(i)", {{"n", 1 << 20}}, {{1 << 20}, {1 << 20}});
  EXPECT_EQ(one.text, "integers x8\n"
                      "loads, 0.5 from L2, 0.5 from memory\n"
                      "multiplications\n"
                      "stores, 1 from L2, 1 from memory\n"
                      "1 to 4: 262144 times\n");
  EXPECT_NEAR(one.cycles / 262144, 12, 0.5) << "1.5 lines for 4 cells, each 8 cycles from memory";
}

TEST(ThreadTrace, WhatFitsIntoTheFirstMemoryIsLimitedByStores) {
  const Made one = made(kScale, "vector(i)", {{"n", 1024}}, {{1024}, {1024}}, true);
  EXPECT_EQ(one.text, "integers x8\nloads\nmultiplications\nstores\n1 to 4: 256 times\n");
  EXPECT_NEAR(one.cycles / 256, 1, 0.1);
}

/// Clang does not need to be asked where iterations have no order.
TEST(ThreadTrace, LoopsWithoutAnOrderAreVectorsAnyway) {
  const auto text = [](const char *steps) {
    return made(kScale, steps, {{"n", 1024}}, {{1024}, {1024}}, true).text;
  };
  EXPECT_EQ(text(""), text("vector(i)"));
  EXPECT_NE(text("scalar(i)"), text("vector(i)"));
}

/// Four vectors of 4 in a round: of 1003 iterations, 11 are left.
TEST(ThreadTrace, TheLastIterationsRunOneByOne) {
  const Made one = made(kScale, "vector(i)", {{"n", 1003}}, {{1003}, {1003}});
  EXPECT_EQ(one.text.substr(one.text.find("stores") + 1), "tores, 1.01 from L2, 1.01 from memory\n"
                                                          "loads\nmultiplications\nstores\nintegers\n"
                                                          "1 to 4: 248 times\n4 to 8: 11 times\n")
      << "and their lines are fetched, too";
}

TEST(ThreadTrace, TooFewIterationsAreNoVectors) {
  EXPECT_EQ(made(kScale, "vector(i)", {{"n", 15}}, {{15}, {15}}, true).text,
            "integers x8\nloads\nmultiplications\nstores\nintegers\n1 to 5: 15 times\n");
}

const char *const kSum = R"(kernel Sum [n]
  buffer A double 1-d input
  buffer S double 0-d output
  I[]: S[] = 0.0
    { I[] }
  T[i]: S[] += A[i]
    { T[i] : 0 <= i < n }
  schedule
    sequence
      I
      T
        band i
)";

TEST(ThreadTrace, EachTermOfASumWaitsForTheOneBefore) {
  const Made one = made(kSum, "", {{"n", 1024}}, {{1024}, {}}, true);
  EXPECT_NEAR(one.cycles / 1024, 4, 0.3) << one.text;
}

std::string inAnyOrder(const std::string &kernel) {
  std::string text = kernel;
  return text.replace(text.find("[n]"), 3, "[n] may reassociate");
}

/// Four sums in vectors of four numbers, two of which can be begun in a cycle; then the rest, one by one.
TEST(ThreadTrace, TermsInAnyOrderAreSummedSideBySide) {
  const Made one = made(inAnyOrder(kSum), "", {{"n", 1024}}, {{1024}, {}}, true);
  EXPECT_NEAR(one.cycles / 1024, 0.25, 0.05) << one.text;
  const Made few = made(inAnyOrder(kSum), "", {{"n", 12}}, {{12}, {}}, true),
             strict = made(kSum, "", {{"n", 12}}, {{12}, {}}, true);
  EXPECT_NEAR(few.cycles, strict.cycles, 12) << "too few for four vectors\n" << few.text;
}

/// A sum of whole numbers is the same in any order.
TEST(ThreadTrace, WholeNumbersAreSummedSideBySideAnyway) {
  std::string whole = kSum;
  for (std::size_t at; (at = whole.find("double")) != std::string::npos;)
    whole.replace(at, 6, "int");
  const Made one = made(whole, "", {{"n", 1024}}, {{1024}, {}}, true);
  EXPECT_LT(one.cycles / 1024, 0.5) << one.text;
}

/// Eight sums in sixteen registers: one vector of terms for each of them.
TEST(ThreadTrace, ManySumsHaveFewVectorsEach) {
  std::string buffers, statements, inside;
  for (int k = 0; k < 8; ++k) {
    buffers += fmt::format("  buffer S{} double 0-d output\n", k);
    statements += fmt::format("  T{0}[i]: S{0}[] += A[i]\n    {{ T{0}[i] : 0 <= i < n }}\n", k);
    inside += fmt::format("        T{}\n", k);
  }
  const std::string kernel = "kernel Sums [n] may reassociate\n  buffer A double 1-d input\n" + buffers +
                             statements + "  schedule\n    band i\n      sequence\n" + inside;
  const Made one = made(kernel, "", {{"n", 512}}, {{512}, {}}, true);
  EXPECT_NE(one.text.find(": 128 times"), std::string::npos) << one.text;
}

const char *const kScan = R"(kernel Scan [n]
  buffer A double 1-d input
  buffer B double 1-d output
  S[i]: B[i] = A[i] + B[i - 1]
    { S[i] : 1 <= i < n }
  schedule
    band i
)";

TEST(ThreadTrace, WhatTheLastIterationHasStoredStaysInARegister) {
  const Made one = made(kScan, "", {{"n", 1024}}, {{1024}, {1024}}, true);
  EXPECT_EQ(one.text, "integers x8\nloads\nadditions\nstores\nintegers\n1 to 5: 1023 times\n");
  EXPECT_NEAR(one.cycles / 1023, 4, 0.3);
}

const char *const kColumns = R"(kernel Columns [n]
  buffer A double 2-d input
  buffer B double 2-d output
  S[y, x]: B[x, y] = A[y, x]
    { S[y, x] : 0 <= y < n and 0 <= x < n }
  schedule
    band y
      band x
)";

TEST(ThreadTrace, CellsApartAreLoadedOneByOne) {
  const std::string text = made(kColumns, "vector(x)", {{"n", 520}}, {{520, 520}, {520, 520}}).text;
  EXPECT_NE(text.find("loads x4, 1.02 from L2 at once, 0.127 from memory at once"), std::string::npos)
      << text;
}

TEST(ThreadTrace, CellsApartAreOneInstructionWhereTheMachineHasIt) {
  model::Machine m = machine();
  for (const model::ResourceKind kind : {model::ResourceKind::Gather, model::ResourceKind::Scatter})
    m.resources.push_back({kind, {}, {{}, figure(0.25e9), {}}, {{}, figure(1e9), {}}});
  const Made rows = made(kColumns, "vector(x)", {{"n", 32}}, {{32, 32}, {32, 32}}, true, m);
  EXPECT_NE(rows.text.find("gathers\n"), std::string::npos) << rows.text;
  int mostEntries = 0;
  for (const Instruction &i : rows.trace.instructions)
    mostEntries = std::max(mostEntries, i.entries);
  EXPECT_EQ(mostEntries, 5) << "four cells, and what puts them together";
  EXPECT_NEAR(rows.cycles / (32 * 32), 1, 0.4) << "a number in a cycle";
  const Made columns = made(kColumns, "order(x, y); vector(y)", {{"n", 64}}, {{64, 64}, {64, 64}}, true, m);
  EXPECT_NE(columns.text.find("scatters"), std::string::npos) << columns.text;
}

const char *const kRowsBelow = R"(kernel Below [w, h]
  buffer A double 2-d input
  buffer B double 2-d output
  S[y, x]: B[x, y] = A[x, y + 1]
    { S[y, x] : 0 <= y < h - 1 and 0 <= x < w }
  schedule
    band y
      band x
)";

/// A vector of 32 bytes at a multiple of 8 bytes lies in two lines three times of eight. Rows of 300 cells begin at multiples of 32 bytes, so that none of their
/// vectors does; those of 302 cells at multiples of 16, of which one of four is too far behind; of those of 301 cells, any place is as likely.
TEST(ThreadTrace, VectorsReachIntoASecondLineAsOftenAsTheirPlacesSay) {
  const auto crossing = [](long width) {
    const Made all =
        made(kRowsBelow, "vector(x)", {{"w", width}, {"h", 20}}, {{width, 20}, {width, 20}}, true);
    double most = 0;
    for (const Instruction &i : all.trace.instructions)
      for (const Need &need : i.needs)
        if (i.resource == placeOf(CpuUnit::Loads) && need.resource == i.resource)
          most = std::max(most, need.rate * i.count / i.transactions);
    return most;
  };
  EXPECT_EQ(crossing(300), 0);
  EXPECT_NEAR(crossing(302), 1. / 4, 1e-9);
  EXPECT_NEAR(crossing(301), 3. / 8, 1e-9);
}

/// 100 columns over 600 rows of one page each; 512 pages are known.
TEST(ThreadTrace, ColumnsOverManyPagesWalk) {
  const auto cycles = [](int known) {
    model::Machine m = machine();
    m.pages = model::PageTable{4096, known, figure(30e-9), figure(0.1e9)};
    return made(kColumns, "vector(x)", {{"n", 600}}, {{600, 600}, {600, 600}}, true, m).cycles / 360000;
  };
  EXPECT_GT(cycles(512), cycles(1024) + 5) << "10 cycles a walk, one for each cell";
}

/// The exit of a loop that runs longer than the core remembers is guessed wrongly each time.
TEST(ThreadTrace, ExitsOfLongLoopsCostAWrongGuess) {
  const auto trace = [](int guessed) {
    model::Machine m = machine();
    m.mispredicted = figure(20e-9);
    m.guessedRounds = guessed;
    return made(kScan, "", {{"n", 400}}, {{400}, {400}}, true, m).trace;
  };
  EXPECT_TRUE(trace(16).instructions.back().redirects)
      << "399 iterations, 8 of which are written out in a round";
  EXPECT_FALSE(trace(64).instructions.back().redirects);
}

const char *const kProduct = R"(kernel Product [n]
  buffer s double 2-d local
  buffer A double 2-d input
  buffer B double 2-d input
  buffer C double 2-d output
  Z[x, y]: s[x, y] = 0.0
    { Z[x, y] : 0 <= y < n and 0 <= x < n }
  T[x, y; k]: s[x, y] += A[k, y] * B[x, k]
    { T[x, y, k] : 0 <= y < n and 0 <= x < n and 0 <= k < n }
  W[x, y]: C[x, y] = s[x, y]
    { W[x, y] : 0 <= y < n and 0 <= x < n }
  schedule
    band y parallel
      band x parallel
        alloc:s
          sequence
            Z
            T
              band k
            W
)";

TEST(ThreadTrace, BlocksOfPointsAreLimitedByMultiplyAdds) {
  const long n = 240;
  const Made one = made(kProduct, "registers(y, x; 4, 2)", {{"n", n}}, {{}, {n, n}, {n, n}, {n, n}}, true);
  const double additions = double(n) * n * n / 4; // in vectors
  EXPECT_NEAR(one.cycles / additions, 0.5, 0.05) << one.text;
}

const char *const kStencil = R"(kernel Stencil [n]
  buffer A double 2-d input
  buffer B double 2-d output
  S[x, y]: B[x, y] = A[x, y - 1] + A[x, y + 1] + A[x - 1, y] + A[x + 1, y]
    { S[x, y] : 1 <= y < n - 1 and 1 <= x < n - 1 }
  schedule
    band y parallel
      band x parallel
)";

TEST(ThreadTrace, AllSchedulesOfAStencilMoveTheSameLines) {
  const long n = 2048;
  for (const char *steps : {"vector(x)", "scalar(x)", "registers(y, x)", "vector(x); jam(y; 4)", "lanes(x)",
                            "tile(y, x; 32, 512); vector(x)"}) {
    const Made one = made(kStencil, steps, {{"n", n}}, {{n, n}, {n, n}});
    double lines = 0;
    for (std::size_t k = 0; k < one.trace.instructions.size(); ++k)
      for (const Need &need : one.trace.instructions[k].needs)
        if (need.resource == kCpuUnits + 1)
          lines += need.rate * one.trace.instructions[k].count * one.trace.timesOf(int(k));
    EXPECT_NEAR(lines / (double(n) * n / 8), 3, 0.3) << steps << "\n" << one.text;
  }
}

/// Vectors along y have cells of different rows, each with a line of its own.
TEST(ThreadTrace, BlocksAcrossRowsAreNotMuchFaster) {
  const long n = 2048;
  const double rows = made(kStencil, "vector(x)", {{"n", n}}, {{n, n}, {n, n}}).cycles;
  EXPECT_GT(made(kStencil, "order(x, y); registers(x, y)", {{"n", n}}, {{n, n}, {n, n}}).cycles, 0.7 * rows);
}

/// How many stores of four cells, or of fewer, the whole trace has.
double storesOf(const Made &one) {
  double all = 0;
  for (std::size_t k = 0; k < one.trace.instructions.size(); ++k)
    if (const Instruction &i = one.trace.instructions[k]; i.resource == placeOf(CpuUnit::Stores))
      all += one.trace.timesOf(static_cast<int>(k)) * i.count;
  return all;
}

/// The last tile has 1024 cells, the first one 3072; subtiles of 768 leave 256 there.
TEST(ThreadTrace, ShorterTilesCountWithWhatTheyHave) {
  const std::string steps = "(i0, i1) = tile(i; 3072); order(i0, i1); vector(i1)";
  const Made two = made(kScale, steps, {{"n", 4096}}, {{4096}, {4096}});
  EXPECT_NEAR(storesOf(two), 1024, 10) << two.text;
  const Made three = made(
      kScale,
      "(i0, rest) = tile(i; 3072); (i1, i2) = tile(rest; 768); order(i0, i1, i2); vector(i2); rolled(i0, i1)",
      {{"n", 4096}}, {{4096}, {4096}});
  EXPECT_NEAR(storesOf(three), 1024, 50) << three.text;
  EXPECT_NEAR(three.cycles, two.cycles, 0.1 * two.cycles) << "and so do their lines";
}

/// Eight iterations are two vectors, of which Clang makes no loop; of copies of statements it makes vectors, too.
TEST(ThreadTrace, FewIterationsOfAKnownNumberHaveNoLoop) {
  const std::string tiled = "(i0, i1) = tile(i; 8); order(i0, i1); separate(i1; at = i0); ";
  for (const char *how : {"vector(i1, i1_edge)", "unroll(i1)"}) {
    const Made one = made(kScale, tiled + how, {{"n", 4096}}, {{4096}, {4096}});
    EXPECT_NE(one.text.find("stores x2"), std::string::npos) << how << "\n" << one.text;
    EXPECT_NEAR(storesOf(one), 1024, 16) << how << "\n" << one.text;
  }
}

/// A loop that is to have all of its jumps has them.
TEST(ThreadTrace, RolledLoopsJumpEachTime) {
  const auto jumps = [](const Made &one) {
    double all = 0;
    for (std::size_t k = 0; k < one.trace.instructions.size(); ++k)
      for (const Need &need : one.trace.instructions[k].needs)
        if (need.resource == placeOf(CpuUnit::Branches))
          all += one.trace.timesOf(static_cast<int>(k)) * one.trace.instructions[k].count * need.rate;
    return all;
  };
  const double rolled = jumps(made(kScale, "rolled(i)", {{"n", 4096}}, {{4096}, {4096}}));
  EXPECT_NEAR(rolled, 4096, 10);
}

/// Of a sum that is kept in a matrix, eight terms written out are stored once.
TEST(ThreadTrace, WhatIsOverwrittenIsNotStored) {
  const char *const sums = R"(kernel Sums [n]
  buffer A double 1-d input
  buffer S double 1-d output
  T[k]: S[0] += A[k]
    { T[k] : 0 <= k < n }
  schedule
    band k
)";
  const Made one = made(
      sums, "(k0, k1) = tile(k; 8); order(k0, k1); separate(k1; at = k0); unroll(k1); rolled(k0, k1_edge)",
      {{"n", 4096}}, {{4096}, {1}});
  EXPECT_LT(storesOf(one), 4096 / 8 + 10) << one.text;
}

TEST(ThreadTrace, AMachineWithoutAFigureIsRefused) {
  model::Machine m = machine();
  std::erase_if(m.resources, [](const model::Resource &r) { return r.kind == model::ResourceKind::SqrtF64; });
  try {
    processorCoreOf(m, 32, 32);
    FAIL() << "a figure is missing";
  } catch (const model::Problem &problem) {
    EXPECT_STREQ(problem.what(), "the description of test has no rate for sqrt_f64 of a unit");
  }
  m = machine();
  m.kind = model::MachineKind::Gpu;
  EXPECT_THROW(processorCoreOf(m, 32, 32), model::Problem);
}

} // namespace
} // namespace pbc::emulate
