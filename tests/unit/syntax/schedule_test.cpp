// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Schedules: steps alone, in files, and in programs.
#include "tests/unit/syntax/front.h"

namespace pbc::syntax {
namespace {

struct Text {
  explicit Text(const std::string &text) : diagnostics(sources), file(sources.add("s.sched", text)) {}

  /// "LINE:COLUMN text [help]", one message a line.
  std::string messages() const {
    std::string out;
    for (const auto &d : diagnostics.all()) {
      const auto at = sources.position(d->span.file, d->span.begin);
      out += std::to_string(at.line) + ":" + std::to_string(at.column) + " " + d->message +
             (d->helpText.empty() ? "" : " [" + d->helpText + "]") + "\n";
    }
    return out;
  }

  source::SourceManager sources;
  source::Diagnostics diagnostics;
  source::FileId file;
};

std::string printed(const std::string &text) {
  Text t(text);
  const auto script = parseScript(t.file, t.diagnostics);
  EXPECT_EQ(script.has_value(), t.messages().empty());
  return script ? script::text(*script) : t.messages();
}

TEST(Script, PrintedTextIsReadBack) {
  for (const char *text : {
           "",
           "vector(x);\n",
           "(yt, xt, yi, xi) = tile(y, x; 32, 256);\n",
           "stage(A; at = kt, layout = transposed, pad = 4);\n",
           "f(; 4);\n",
           "f(-4);\n",
           "f(at = 3);\n",
           "f();\n",
           "when(w >= 64);\nwhen(2 * w - h + 1 <= -3 * k, h == 0, 0 != -w - 1, w < 9223372036854775807);\n",
           "schedule(for; on = from);\n(to) = transform(main, where, min, gpu, float);\n",
       })
    EXPECT_EQ(printed(text), text);
}

TEST(Script, OneTextHasManySpellings) {
  const std::string tile = "tile(y, x; 32, 256);\nvector(x);\n";
  EXPECT_EQ(printed("tile(y, x; 32, 256); vector(x)"), tile);
  EXPECT_EQ(printed(";;tile ( y,x ;32 ; +256 );; // cut\n /* and */ vector(x);;"), tile);
  EXPECT_EQ(printed("stage(A, at = kt; pad = 4)"), "stage(A; at = kt, pad = 4);\n");
  EXPECT_EQ(printed("when(w + 2 * 3 * w - w > 1 + 2, h - h == 0)"), "when(6 * w > 3, 0 == 0);\n");
}

TEST(Script, PlacesDoNotMatter) {
  Text a("(k) = f(a; 1, b = w < 3)"), b("\n( k )=f( a ; 1 , b=w<3 );");
  const auto first = parseScript(a.file, a.diagnostics), second = parseScript(b.file, b.diagnostics);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(a.sources.text(first->front().span), "(k) = f(a; 1, b = w < 3)");
  EXPECT_EQ(a.sources.text(first->front().nameSpan), "f");
  EXPECT_EQ(a.sources.text(first->front().named.front().span), "b");
  EXPECT_EQ(a.sources.text(first->front().named.front().value.span), "w < 3");
}

TEST(Script, ErrorsSayWhatIsMissing) {
  const std::pair<const char *, const char *> cases[] = {
      {"tile", "1:5 expected `(` in the step `tile`, found the end of the file\n"},
      {"tile y, x)", "1:6 expected `(` in the step `tile`, found `y`\n"},
      {"tile(y, x; 32, 256", "1:19 expected `,`, `)` or `;` in the step `tile`, found the end of the file\n"},
      {"tile(y x)",
       "1:8 expected `,`, `)` or `;` in the step `tile`, found `x` [is a comma missing before `x`?]\n"},
      {"tile(y,)",
       "1:8 expected a name or an integer in the step `tile`, found `)` [the comma before it promises "
       "one more]\n"},
      {"tile(y; 3.5)", "1:9 expected a name or an integer in the step `tile`, found `3.5`\n"},
      {"tile(y) vector(x)",
       "1:9 expected `;` between two steps, found `vector` [is a semicolon missing before "
       "`vector`?]\n"},
      {"k = split(y; 4)",
       "1:3 expected `(` in the step `k`, found `=` [the labels of the loops that a step makes "
       "stand in parentheses: `(k) = ...`]\n"},
      {"(k, 4) = split(y; 4)",
       "1:5 expected a name in the labels of the loops that a step makes, found `4` [the comma "
       "before it promises one more]\n"},
      {"4", "1:1 expected a step, such as `vector(x)`, found `4`\n"},
      {"tile(y; w + 1)", "1:9 an argument of a step is an integer, a name or a comparison, not a sum or a "
                         "product [sums and products "
                         "can stand in comparisons, as in `when(2 * w >= h + 64)`]\n"},
      {"when(w * h > 3)",
       "1:6 a comparison has no product of two names [both sides are sums of integers and of "
       "integers times names, as in `2 * w >= h + 64`]\n"},
      {"tile(y; 9223372036854775808)",
       "1:9 this integer is too large [whole numbers go from -9223372036854775807 "
       "to 9223372036854775807]\n"},
      {"f(at = 1, at = 2)", "1:11 `at` has two values in this call of `f`\n"},
      {"f(4 = 1)",
       "1:3 before `=` stands the name of an argument [a comparison for equality is written `==`]\n"},
      {"f(x) }", "1:6 `}` has no meaning among the steps of a schedule\n"},
      {"{ f(x)", "1:1 `{` has no meaning among the steps of a schedule [a script is the steps alone, without "
                 "`schedule NAME for RULE { }` around them]\n"},
      {"f(x); %{",
       "1:7 `%{` has no meaning here [there is no remainder in sizes and coordinates; `%{` opens a block "
       "of C++]\n"},
      {"f(\"x\")", "1:3 text in quotes has no meaning outside of rule bodies\n"},
  };
  for (const auto &[text, message] : cases)
    EXPECT_EQ(printed(text), message) << text;
}

std::string schedules(const std::string &text) {
  Text t(text);
  std::string out;
  for (const Schedule &s : parseSchedules(t.file, t.diagnostics))
    out += s.name.text + " for " + s.transform.value_or(Identifier{"?", {}}).text + "." +
           s.rules.front().text + " on " + s.device.value_or(Identifier{"?", {}}).text + "\n" +
           script::text(s.steps, "  ");
  return out + t.messages();
}

TEST(ScheduleFile, HoldsSchedulesOneBehindTheOther) {
  EXPECT_EQ(schedules("// product\nschedule wide for MatMul.rule0 on gpu { tile(y, x; 2, 4); unroll(k) }\n"
                      "schedule for for on.schedule { }; schedule a for b {}"),
            "wide for MatMul.rule0 on gpu\n  tile(y, x; 2, 4);\n  unroll(k);\n"
            "for for on.schedule on ?\n"
            "a for ?.b on ?\n");
  EXPECT_EQ(schedules(" \n"), "");
}

TEST(ScheduleFile, ReadingGoesOnAfterAnError) {
  EXPECT_EQ(
      schedules("schedule a for T.r { tile(; }\nschedule b T.r { f(x); }\nschedule c for T.r { f(x); }"),
      "c for T.r on ?\n  f(x);\n"
      "1:29 expected a name or an integer in the step `tile`, found `}`\n"
      "2:12 expected `for` in the head of a schedule, found `T`\n");
  EXPECT_EQ(
      schedules("schedule a for T.r { f(x);\nschedule b for T.r { f(x); }"),
      "a for T.r on ?\n  f(x);\nb for T.r on ?\n  f(x);\n"
      "1:20 the `{` of this schedule is not closed before this `schedule` [add `}` after the schedule's last "
      "step]\n");
  EXPECT_EQ(schedules("transform T from A to B {}"),
            "1:1 expected `schedule` at the start of a schedule, found `transform`\n");
  EXPECT_EQ(schedules("f(x)"), "1:1 expected `schedule` at the start of a schedule, found `f`\n");
  EXPECT_EQ(schedules("}"), "1:1 `}` has no meaning between schedules\n");
  EXPECT_EQ(schedules("schedule { f(x) }"), "1:10 expected a name in the head of a schedule, found `{`\n");
}

TEST(ScheduleInProgram, BelongsToItsTransform) {
  Front front("transform T from A[n] to B[n] {\n"
              "  schedule wide for Cells { vector(i) }\n"
              "  rule Cells B.cell(i) from(A.cell(i) a) { return a; }\n"
              "  schedule long for Cells + Ends on gpu { (it, ii) = tile(i; 4); };\n"
              "}\n");
  EXPECT_EQ(front.messages(), "");
  EXPECT_EQ(front.tree(), "transform T\n  from A[n]\n  to B[n]\n  rule returns\n    flag label Cells\n"
                          "    output B.cell(i)\n    input A.cell(i) as a\n    body \" return a; \"\n"
                          "  schedule wide for Cells\n    step vector(i)\n"
                          "  schedule long for Cells + Ends on gpu\n    step (it, ii) = tile(i; 4)\n");
}

TEST(ScheduleInProgram, ItsWordsAreNamesElsewhere) {
  Front front("transform on from schedule[for] to B[for], on[for] {\n"
              "  schedule from(on a) { a = 1; }\n"
              "  schedule.cell(for) from(on.cell(for) schedule) { return schedule; }\n"
              "  schedule gpu cublas.gemm(on) { }\n"
              "  to(schedule on, on schedule) from(B for) where on < schedule { }\n"
              "  rule schedule on from(schedule for) { for (;;) { on = schedule; } }\n"
              "  schedule on for schedule on cpu { schedule(on, for) }\n"
              "}\n");
  EXPECT_EQ(front.messages(), "");
}

TEST(ScheduleInProgram, ErrorsLeaveTheRestReadable) {
  const std::string rule = "  rule R B.cell(i) from(A.cell(i) a) { return a; }\n}\n";
  const std::pair<const char *, const char *> cases[] = {
      {"schedule wide of R { f(x); }", "2:15 expected `for` in the head of a schedule, found `of`\n"},
      {"schedul wide for R { f(x); }",
       "2:9 expected `from`, `through`, `gpu`, `where` or the body after the rule's outputs, found `wide`\n"},
      {"schedule wide for R in gpu { f(x); }",
       "2:21 expected `on`, `.`, `+` or `{` in the head of a schedule, found `in`\n"},
      {"schedule wide for R;", "2:20 expected `on`, `.`, `+` or `{` in the head of a schedule, found `;`\n"},
      {"schedule wide for R { f(x) g(y) }", "2:28 expected `;` between two steps, found `g`\n"},
      {"schedule wide for R { 4 }", "2:23 expected a step, such as `vector(x)`, found `4`\n"},
      {"schedule wide for R { f(x);", "2:21 the `{` of this schedule is not closed before this `rule`\n"},
  };
  for (const auto &[text, message] : cases) {
    Front front(std::string("transform T from A[n] to B[n] {\n") + text + "\n" + rule);
    EXPECT_EQ(front.brief(), message) << text;
    ASSERT_EQ(front.program.transforms.size(), 1u) << text;
    EXPECT_EQ(front.program.transforms[0].rules.size(), 1u) << text;
  }
}

} // namespace
} // namespace pbc::syntax
