// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The text of kernels: what is written is read, what is left out follows, and errors say where and what.
#include "compiler/kernel/print.h"
#include "compiler/kernel/verify.h"
#include "tests/unit/transform/interpret.h"
#include "tests/unit/transform/random_kernels.h"
#include "tests/unit/transform/textual.h"
#include <gmock/gmock.h>
#include <isl/map.h>

using namespace pbc::kernel;
using testing::HasSubstr;

namespace {

const std::string kAdd = R"(
kernel Add [w, h]
  buffer A double 2-d input
  buffer C double 2-d output
  S0[y, x]: C[x, y] = A[x, y] + 1.0   // one more
    { S0[y, x] : 0 <= y < h and 0 <= x < w }
  schedule
    band y, x
)";

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// The statement `S[x]: B[x] = VALUE` with all kinds of matrices at hand, as it is printed.
std::string valueRead(const std::string &value) {
  Texts t;
  const Scheduled k = t.kernel(
      "kernel K [n, m]\n  buffer A double 1-d input\n  buffer F float 1-d input\n  buffer I int 1-d input\n"
      "  buffer B double 1-d output\n  S[x; k]: B[x] = " +
      value + "\n    { S[x, k] : 0 <= x < n and k = 0 }\n  schedule\n    band x\n");
  return print(k, k.statements.front());
}

TEST(KernelText, WhatFollowsIsAdded) {
  Texts t;
  const Scheduled k = t.kernel(kAdd);
  EXPECT_EQ(k.parameters, (std::vector<std::string>{"w", "h"}));
  EXPECT_EQ(k.statements.front().freeCount, 2);
  EXPECT_EQ(k.buffers[1].role, Buffer::Role::Output);
  EXPECT_TRUE(k.dependences.is_empty());
  EXPECT_EQ(treeOf(k), "band y parallel, x parallel\n");
  EXPECT_EQ(print(t.kernel(print(k))), print(k));
}

/// Of a text that says nothing else, the line is that of the statement in the text itself.
TEST(KernelText, StatementsKnowTheirLines) {
  Texts t;
  const Scheduled own = t.kernel(kAdd);
  EXPECT_EQ(own.statements.front().origin.line.number, 5U);
  const std::string lined =
      replaced(kAdd, "x < w }\n", "x < w }\n    line 12 of my folder/five.pbcc   // of the program\n");
  const Scheduled k = t.kernel(lined);
  EXPECT_EQ(k.statements.front().origin.line, (pbc::source::Line{"my folder/five.pbcc", 12}));
  EXPECT_THAT(print(k, Lines::Printed), HasSubstr("\n    line 12 of my folder/five.pbcc\n"));
  EXPECT_EQ(print(t.kernel(print(k, Lines::Printed)), Lines::Printed), print(k, Lines::Printed));
  EXPECT_EQ(print(k), print(own)) << "lines are left out unless they are asked for";
  const Scheduled ofRule =
      t.kernel(replaced(kAdd, "x < w }\n", "x < w }\n    line 12, rule Cells, of my folder/five.pbcc\n"));
  EXPECT_EQ(ofRule.statements.front().origin, (pbc::source::Origin{{"my folder/five.pbcc", 12}, "Cells"}));
  EXPECT_THAT(print(ofRule, Lines::Printed),
              HasSubstr("\n    line 12, rule Cells, of my folder/five.pbcc\n"));
  // Two slashes would begin a comment.
  Scheduled twice = k;
  twice.statements.front().origin.line = {"a//b.pbcc", 3};
  EXPECT_THAT(print(twice, Lines::Printed), HasSubstr("line 3 of a/b.pbcc\n"));
  EXPECT_THAT(t.messages(replaced(kAdd, "x < w }\n", "x < w }\n    line twelve of a.pbcc\n")),
              HasSubstr("expected the number of a line, found `twelve`"));
  EXPECT_THAT(t.messages(replaced(kAdd, "x < w }\n", "x < w }\n    line 12 of\n")),
              HasSubstr("expected the name of a file"));
  EXPECT_THAT(t.messages(replaced(kAdd, "x < w }\n", "x < w }\n    line 12, rule Cells of a.pbcc\n")),
              HasSubstr("expected `,` behind the name of a rule"));
}

/// A copy belongs to the line that reads what it copies, and a fused statement keeps its own.
TEST(KernelText, StepsKeepLines) {
  Texts t;
  const Scheduled k = t.kernel(kAdd);
  for (const char *steps :
       {"tile(y, x; 4, 4); stage(A, at = xt)", "tile(y, x; 4, 4); vector(x)", "tasks()"}) {
    const std::optional<Scheduled> made = t.run(k, steps);
    ASSERT_TRUE(made) << steps;
    for (const Statement &s : made->statements)
      EXPECT_EQ(s.origin.line.number, 5U) << steps << ": " << s.name;
  }
}

/// A step that changes what is computed leaves no plain schedule, which would be one of other statements.
TEST(KernelText, WhatStepsMakeOfAKernelWithAPlainScheduleReadsBack) {
  Texts t;
  const Scheduled k = t.kernel(kAdd + "  plain schedule\n    band x, y\n");
  for (const char *steps : {"vector(x)", "layout(A)", "tasks()", "tile(y, x; 4, 4); stage(A, at = xt)"}) {
    const std::optional<Scheduled> made = t.run(k, steps);
    ASSERT_TRUE(made) << steps;
    EXPECT_EQ(print(t.kernel(print(*made))), print(*made));
  }
  EXPECT_THAT(print(*t.run(k, "vector(x)")), HasSubstr("plain schedule"));
}

TEST(KernelText, RandomKernelsReadBack) {
  for (unsigned long seed = 1; seed <= 60; ++seed) {
    Texts t;
    Random r(seed);
    const std::string text = randomKernel(r);
    SCOPED_TRACE(text);
    const std::string once = print(t.kernel(text));
    EXPECT_EQ(print(t.kernel(once)), once);
  }
}

TEST(KernelText, AScheduledKernelReadsBack) {
  const std::string text = R"(kernel Rows.rule0 [h, w]  may reassociate
  context h >= 0 and w >= 0 and pb__low0 >= 0 and pb__high0 <= w
  buffer s double 1-d local, 32 lanes
  buffer X double 2-d output, matrix 4
  S0[c] of rule 2: s[c] = 0.0
    { S0[c] : pb__low0 <= c < pb__high0 }
  S1[c; k] of rule 2: s[c] += X[k, 0 : k > 0]
    { S1[c, k] : pb__low0 <= c < pb__high0 and 0 < k < w }
  S2[c] of rule 2: X[c, 1 + floor((c)/2)] = s[c]
    { S2[c] : pb__low0 <= c < pb__high0 }
  task c in [0, w) by 256
  task r in [1, { [(h)] : h >= 5; [(2)] : 0 < h <= 4 }) by 1, time, slope 1 along c, down 2
  tasks as a wavefront
  bytes per place: 24
  schedule
    lanes:32
      band ct = c - (c) mod 4 parallel
        vector:2
          band c parallel
            alloc:s
              sequence
                S0
                S1
                  unroll
                    band k
                { S2[c] : c <= 3 }
                { S2[c] : c >= 4 }
  plain schedule
    band c parallel
      alloc:s
        sequence
          S0
          S1
            band k
          S2
)";
  Texts t;
  EXPECT_EQ(print(t.kernel(text)), text);
}

/// The limits of tasks are known to lie within the sizes, so that domains say it no more, while functions with cases do.
TEST(KernelText, FunctionsNeedOnlyHoldForPossibleSizes) {
  Texts t;
  const std::optional<Scheduled> k =
      t.run(t.kernel(kAdd), "tasks(); split(x; 5); fuse(x, x_rest; shift = 3)");
  ASSERT_TRUE(k);
  EXPECT_EQ(print(t.kernel(print(*k))), print(*k));
}

/// So do the filters of a schedule, in which Locals are declared.
TEST(KernelText, DeclarationsNeedOnlyHoldForPossibleSizes) {
  const std::string text = R"(kernel Parts [n]
  context n >= 0 and pb__low0 >= 0 and pb__high0 <= n
  buffer s double 1-d local
  buffer C double 1-d output
  S0[x]: s[x] = 0.0
    { S0[x] : pb__low0 <= x < pb__high0 }
  S1[x]: C[x] = s[x]
    { S1[x] : pb__low0 <= x < pb__high0 }
  task x in [0, n) by 256
  schedule
    sequence
      { S0[x] : pb__low0 <= x < pb__high0 and 0 <= x <= 14 and x < n; S1[x] : pb__low0 <= x < pb__high0 and 0 <= x <= 14 and x < n }
        band x parallel
          alloc:s
            sequence
              S0
              S1
      { S0[x] : pb__low0 <= x < pb__high0 and 15 <= x < n; S1[x] : pb__low0 <= x < pb__high0 and 15 <= x < n }
        band x_rest = x parallel
          alloc:s
            sequence
              S0
              S1
)";
  Texts t;
  t.kernel(text); // fails if it is refused
}

TEST(KernelText, ACallReadsBack) {
  const std::string text = R"(kernel Call.rule0 [n]
  buffer A double 2-d input
  buffer t double 0-d input
  buffer B double 1-d output
  S[i]: call pb_body_0(out B[i], A[0 : n, i], view A[i, i], A[i : 2 + i, 0 : n] keeps (1), A[-1 + i, 0] if (i >= 1) else 0.5 touches { S[i] -> A[a0 = -1 + i, a1 = 0] : i > 0 }) with t
    { S[i] : 0 <= i < n }
  schedule
    band i parallel
)";
  Texts t;
  EXPECT_EQ(print(t.kernel(text)), text);
}

TEST(KernelText, ExpressionsHaveTheirTypes) {
  EXPECT_EQ(valueRead("A[x] + 2.0 * A[x + 1]"), "B[x] = A[x] + (2.0 * A[1 + x])");
  EXPECT_EQ(valueRead("(A[x] - 1.0) - A[2*x]"), "B[x] = (A[x] - 1.0) - A[2x]");
  EXPECT_EQ(valueRead("x < n && I[x] != 3 ? A[x] : -A[x]"),
            "B[x] = ((x < n) && (I[x] != 3)) ? A[x] : (-A[x])");
  EXPECT_EQ(valueRead("double(F[x] * 2.5f)"), "B[x] = double(F[x] * 2.5f)");
  EXPECT_EQ(valueRead("(2 : double) * A[x]"), "B[x] = (2 : double) * A[x]");
  EXPECT_EQ(valueRead("(2.0 : double) * A[x]"), "B[x] = 2.0 * A[x]");
  EXPECT_EQ(valueRead("sqrt(pb::missing()) + tunable"), "B[x] = sqrt(pb::missing()) + tunable");
  EXPECT_EQ(valueRead("`x` + A[x]"), "B[x] = `x` + A[x]");
  EXPECT_EQ(valueRead("{ S[x, k] -> A[x] : x > 0; S[x, k] -> A[0] : x <= 0 }"),
            "B[x] = { S[x, k] -> A[x] : x > 0; S[x, k] -> A[0] : x <= 0 }");
}

TEST(KernelText, ErrorsSayWhatIsExpected) {
  const auto message = [](const std::string &from, const std::string &to) {
    Texts t;
    return t.messages(replaced(kAdd, from, to));
  };
  EXPECT_THAT(message("kernel Add", "kernal Add"),
              HasSubstr("kernel:2:1: error: expected `kernel` and its name"));
  EXPECT_THAT(message("2-d input", "2-d inputs"),
              HasSubstr("kernel:3:23: error: expected `input`, `output`, `local`, `scratch`, `group` or "
                        "`item`, found `inputs`"));
  EXPECT_THAT(message("A[x, y] +", "AA[x, y] +"), HasSubstr("kernel:5:23: error: there is no buffer `AA`"));
  EXPECT_THAT(message("A[x, y] +", "A[x] +"), HasSubstr("A has 2 dimensions, but here is 1 index"));
  EXPECT_THAT(message("A[x, y] +", "A[x, z] +"),
              HasSubstr("`z` is neither a dimension of S0 nor a parameter"));
  EXPECT_THAT(message("A[x, y] +", "A[x, y*x] +"),
              HasSubstr("expected affine functions of the dimensions of S0[y, x]"));
  EXPECT_THAT(message("+ 1.0", "+"), HasSubstr("expected an expression, found the end of the line"));
  EXPECT_THAT(message("0 <= x < w }", "0 <= x < w"), HasSubstr("a bracket is not closed: `}` is missing"));
  EXPECT_THAT(message("    { S0[y, x] : 0 <= y < h and 0 <= x < w }\n", ""),
              HasSubstr("expected the instances of S0 in the next line"));
  EXPECT_THAT(message("band y, x", "bund y, x"), HasSubstr("`bund` is no node of a schedule's tree"));
  EXPECT_THAT(message("band y, x", "band y, k"),
              HasSubstr("`k` is neither a dimension of S0 nor a parameter"));
  EXPECT_THAT(message("band y, x", "band y\n    band x"),
              HasSubstr("this line cannot stand below the same node"));
  EXPECT_THAT(message("band y, x", "sequence\n      S1"), HasSubstr("there is no statement `S1`"));
  EXPECT_THAT(message("  schedule\n    band y, x\n", ""), HasSubstr("this kernel has no `schedule`"));
  EXPECT_THAT(message("C[x, y] =", "C[0, y] ="), testing::IsEmpty());
  EXPECT_THAT(replaced(message("C[x, y] = A", "C[0, y] = A"), "", ""), testing::IsEmpty());
}

TEST(KernelText, AScheduleHasToOrderWhatConflicts) {
  Texts t;
  const std::string text = R"(
kernel Sum [n]
  buffer A double 1-d input
  buffer s double 0-d output
  S[; k]: s[] += A[k]
    { S[k] : 0 <= k < n }
  schedule
)";
  EXPECT_THAT(t.messages(text),
              HasSubstr("the schedule gives no order to instances of S and S that access the same element"));
  EXPECT_EQ(t.messages(text + "    band k\n"), "");
}

TEST(KernelText, SetsAreThoseOfTheStatements) {
  Texts t;
  for (const char *wrong : {"of { [y, x] : y < 3 }", "of { S0[y] : y < 3 }", "of { T[y, x] : y < 3 }"})
    EXPECT_THAT(t.messages(replaced(kAdd, "schedule", std::string("schedule ") + wrong)),
                HasSubstr("this names something that is no statement of the kernel"))
        << wrong;
  EXPECT_THAT(t.messages(replaced(kAdd, "band y, x", "band { [y, x] -> [(x)] }")),
              HasSubstr("no statement of the kernel"));
  EXPECT_THAT(t.messages(replaced(kAdd, "  schedule", "  dependences\n    { S0[y, x] -> T[] }\n  schedule")),
              HasSubstr("no statement of the kernel"));
}

TEST(KernelText, NoTextIsTooMuch) {
  Texts t;
  const std::string deep(5000, '('), minus(5000, '-');
  EXPECT_THAT(t.messages(replaced(kAdd, "1.0", deep)), HasSubstr("inside of each other more than 200 times"));
  EXPECT_THAT(t.messages(replaced(kAdd, "1.0", minus + "1.0")),
              HasSubstr("inside of each other more than 200 times"));
  EXPECT_THAT(t.messages(replaced(kAdd, "A[x, y]", "A[" + deep + "x, y]")), HasSubstr("brackets are open"));
  std::string many = "0 <= x < w";
  for (int k = 0; k < 40; ++k)
    many += " and (x mod " + std::to_string(k + 2) + " = 0 or y mod " + std::to_string(k + 3) + " = 0)";
  EXPECT_THAT(t.messages(replaced(kAdd, "0 <= x < w", many)),
              HasSubstr("this text stands for too many cases"));
  EXPECT_THAT(t.messages(""), HasSubstr("there is no kernel here"));
  EXPECT_THAT(t.messages(std::string("kernel \0 x\n", 11)), HasSubstr("error"));
}

TEST(KernelText, TheInterpreterComputesWhatAKernelSays) {
  Texts t;
  const Scheduled k = t.kernel(R"(
kernel Prefix [n, m]
  buffer A double 1-d input
  buffer B double 1-d output
  S0[]: B[0] = A[0]
    { S0[] : n > 0 }
  S1[x]: B[x] = B[-1 + x] + A[x] * 2.0
    { S1[x] : 0 < x < n }
  schedule
    sequence
      S0
      S1
        band x
)");
  const Memory memory = interpret(k, {{"n", 9}, {"m", 0}});
  double sum = 0;
  for (long x = 0; x < 9; ++x) {
    sum += Memory::initial(0, Memory::place({x})) * (x ? 2 : 1);
    EXPECT_EQ(memory.buffers[1][static_cast<std::size_t>(Memory::place({x}))], sum) << x;
  }
  EXPECT_EQ(memory.buffers[1][static_cast<std::size_t>(Memory::place({9}))],
            Memory::initial(1, Memory::place({9})));
}

/// A loop with a function for each statement forgets those of a statement that a step removes.
TEST(KernelText, NamesNoStatementThatIsGone) {
  Texts t;
  const std::optional<Scheduled> k = t.run(t.kernel(R"(kernel Late [n]
  context n >= 0
  buffer s double 1-d local
  buffer A double 1-d input
  buffer C double 1-d output
  S0[x]: s[x] = A[x]
    { S0[x] : 0 <= x < n }
  S1[x]: s[x] += A[x]
    { S1[x] : 0 <= x < n }
  S2[x]: C[x] = s[x]
    { S2[x] : 0 <= x < n }
  schedule
    alloc:s
      band (S0: x; S1: x + 1; S2: x + 2)
        sequence
          S0
          S1
          S2
)"),
                                           "in_place(s)");
  ASSERT_TRUE(k);
  EXPECT_THAT(verify(*k), testing::IsEmpty());
  EXPECT_THAT(print(*k), testing::HasSubstr("band (S0: x; S1: 1 + x)"));
  EXPECT_EQ(print(t.kernel(print(*k))), print(*k));
}

/// Reports say of a loop whether it is parallel once those around it are fixed, be they bands of their own or not.
TEST(KernelText, LoopsAreParallelForFixedLoopsAroundThem) {
  Texts t;
  const std::string text = R"(
kernel Diagonal [n]
  context n >= 0
  buffer A double 2-d input
  buffer C double 2-d output
  S0[y, x]: C[x, y] = C[-1 + x, -1 + y] + A[x, y]
    { S0[y, x] : 0 < y < n and 0 < x < n }
  S1[y, x]: C[x, 0] += A[x, y]
    { S1[y, x] : 0 < y < n and 0 < x < n }
  schedule
    sequence
      S0
        band y, x
      S1
        band x, y
)";
  const auto parallel = [&](const std::string &kernel) {
    std::vector<std::pair<std::string, bool>> all;
    for (const Loop &loop : loops(t.kernel(kernel)))
      all.emplace_back(loop.over, loop.isParallel.value());
    return all;
  };
  const std::vector<std::pair<std::string, bool>> expected{
      {"y", false}, {"x", true}, {"x", true}, {"y", false}};
  EXPECT_EQ(parallel(text), expected);
  EXPECT_EQ(parallel(replaced(replaced(text, "band y, x", "band y\n          band x"), "band x, y",
                              "band x\n          band y")),
            expected);
}

} // namespace
