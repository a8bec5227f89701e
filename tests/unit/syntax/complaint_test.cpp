// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/syntax/front.h"

namespace pbc::syntax {
namespace {

struct Case {
  const char *text, *message, *help;
};

/// The program's one message and its help.
void expectOne(const Case &c, const std::string &text) {
  Front front(text);
  ASSERT_EQ(front.diagnostics.errorCount(), 1u) << text << "\n" << front.messages();
  EXPECT_EQ(front.diagnostics.all()[0]->message, c.message) << text;
  EXPECT_EQ(front.diagnostics.all()[0]->helpText, c.help) << text;
}

TEST(Complaint, Rules) {
  const Case cases[] = {
      {"B.cell(i) form(A.cell(i) a) {}",
       "expected `from`, `through`, `gpu`, `where` or the body after the rule's outputs, found `form`",
       "did you mean `from`?"},
      {"primry B.cell(i) from(A a) {}",
       "expected `from`, `through`, `gpu`, `where` or the body after the rule's outputs, found `B`",
       "did you mean `primary`?"},
      {"B from(A a)",
       "expected `from`, `through`, `gpu`, `where` or the body after the rule's outputs, found `}`", ""},
      {"B.cell(i) from(A.cell(i)) {}", "expected a name in the rule's list of regions, found `)`",
       "say how the body calls this region: `A name`"},
      {"B.cell(i) from(A.cell(i) a A.cell(0) c) {}",
       "expected `,` or `)` in this list of the rule, found `A`", "is a comma missing before `A`?"},
      {"to(B b from(A a) {}", "expected `,` or `)` in the rule's outputs, found `from`", ""},
      {"B from(A a == 3) {}", "expected `,` or `)` in this list of the rule, found `==`",
       "a default value is given with a single `=`"},
      {"B from(A a) where (i < 3 or i > 5 {}", "expected `)` in a condition of `where`, found a body", ""},
      {"B from(A a) where i < 3, j > 5 {}", "the conditions of a `where` are joined by `and`, not by `,`",
       ""},
      {"B from(A a) where i {}",
       "expected `=`, `==`, `!=`, `<=`, `>=`, `<` or `>` in a condition of `where`, found a body", ""},
      {"B.cell(i,) from(A a) {}",
       "expected a size or coordinate (a name, a number or an expression) in a region of `B`, found `)`",
       "the comma before it promises one more"},
      {"B.cel(i) from(A a) {}", "unknown accessor `.cel`",
       "did you mean `.cell`?\nthe accessors of a rule header are: cell, row, column (col), region, all"},
      {"B.cell(i $ 2) from(A a) {}", "`$` has no meaning here", ""},
      {"B.cell(i % 2) from(A a) {}", "`%` has no meaning here",
       "there is no remainder in sizes and coordinates; `%{` opens a block of C++"},
      {"duplicate(v, 0, n) B {}", "expected an integer in a rule's flag, found `n`", ""},
      {"%{ int x; %}\n", "a `%{` block cannot stand among the rules of a transform",
       "move it to the top level of the file"},
      {"B {\n%{ int x; %}\n}", "a `%{` block cannot stand inside a rule body",
       "move it to the top level of the file; it is copied to the head of the generated C++"},
  };
  for (const Case &c : cases)
    expectOne(c, std::string("transform T from A to B { ") + c.text + " }");
}

TEST(Complaint, Headers) {
  const Case cases[] = {
      {"transform T from A[n] C[n] to B {}",
       "expected a header clause (`from`, `to`, `tunable`, ...) or the body, found `C`",
       "matrices in a list are separated by commas: is one missing before `C`?"},
      {"transform T frm A to B {}",
       "expected a header clause (`from`, `to`, `tunable`, ...) or the body, found `frm`",
       "did you mean `from`?"},
      {"trasnform T from A to B {}", "expected `transform`, `function` or a header clause, found `trasnform`",
       "did you mean `transform`?"},
      {"fucntion T from A to B { if (x) { } }",
       "expected `transform`, `function` or a header clause, found `fucntion`", "did you mean `function`?"},
      {"transform from A to B {}", "expected a name after `transform` or `function`, found `from`", ""},
      {"transform T from A[n to B {}", "expected `,` or `]` in the declaration of `A`, found `to`", ""},
      {"transform T from A, to B {}", "expected a name in a list of matrices, found `to`",
       "the comma before it promises one more"},
      {"transform T from A to B",
       "this header is followed by the end of the file instead of the transform's rules",
       "a header ends in `{` with the rules, or in `;` if it only announces the transform"},
      {"main", "this header has no `transform NAME` or `function NAME`", ""},
      {"function F from A to B;", "a function needs a body, found `;`", ""},
      {"function F from A to B {} {}", "expected `or` between two bodies of a function", ""},
      {"transform T to B tunable x(1, 2.5);",
       "the values of `x` mix integers and fractions: `2.5` is written as a fraction",
       "write all of them with a point, or say `tunable double x(...)`"},
      {"transform T to B tunable x(1,2,3,4);", "`x` has more than three values",
       "the values are: initial, minimum, maximum"},
      {"transform T to B template <V(0,99999999999999999999)>;", "this integer is too large",
       "whole numbers go from -2147483648 to 2147483647"},
      {"main main transform T to B;", "`main` stands twice in this header", ""},
      {"transform T to B; }", "this `}` closes nothing",
       "remove it, or look for a `{` that is missing, or one `}` too many, in the transform before it"},
      {"%{ int x;\n", "this raw block is not closed", "end it with `%}` on a line of its own"},
      {"transform T to B[\"n\"];", "text in quotes has no meaning outside of rule bodies", ""},
  };
  for (const Case &c : cases)
    expectOne(c, c.text);
}

TEST(Complaint, MissingBraceNamesWhereItOpened) {
  Front front(
      "transform A from X to Y {\n  Y from(X x) { }\n\ntransform B from X to Y {\n  Y from(X x) { }\n}\n");
  EXPECT_EQ(front.messages(),
            "t.pbcc:1:25: error: the `{` of this transform is not closed before this `transform`\n"
            "    1 | transform A from X to Y {\n"
            "      |                         ^\n"
            "t.pbcc:4:1: note: a `}` is missing before this place\n"
            "    4 | transform B from X to Y {\n"
            "      | ^~~~~~~~~\n"
            "help: add `}` after the transform's last rule, or look for a brace that is missing in one of "
            "its bodies\n");
  EXPECT_EQ(front.program.transforms.size(), 2u);
}

TEST(Complaint, UnclosedBodyStopsAtTheNextTransform) {
  Front front("transform A from X to Y {\n  Y from(X x) { {{ \n}\n\nmain transform B frm X to Y {\n  Y "
              "from(X x) { }\n}\n");
  EXPECT_EQ(front.brief(),
            "2:15 the `{` of this body is not closed\n"
            "5:18 expected a header clause (`from`, `to`, `tunable`, ...) or the body, found `frm`\n");
  EXPECT_EQ(front.program.transforms.size(), 2u);
}

TEST(Complaint, OneErrorDoesNotHideTheNext) {
  Front front("transform A from X[n to Y, to Z {\n"
              "  Y from(X) { }\n"
              "  Y form(X x) { }\n"
              "  Y from(X x) { }\n"
              "}\n"
              "transform B from X to Y\n"
              "main transform C from X$ to Y { Y from(X x { } }\n"
              "transform D from X to Y { Y.cell(i from() { } }\n");
  EXPECT_EQ(
      front.brief(),
      "7:24 `$` has no meaning here\n"
      "1:22 expected `,` or `]` in the declaration of `X`, found `to`\n"
      "1:28 expected a name in a list of matrices, found `to`\n"
      "2:11 expected a name in the rule's list of regions, found `)`\n"
      "3:5 expected `from`, `through`, `gpu`, `where` or the body after the rule's outputs, found `form`\n"
      "7:1 this header is followed by `transform` instead of the transform's rules\n"
      "7:44 expected `,` or `)` in this list of the rule, found a body\n"
      "8:36 expected `,` or `)` in a region of `Y`, found `from`\n");
  ASSERT_EQ(front.program.transforms.size(), 4u);
  EXPECT_EQ(front.program.transforms[0].rules.size(), 1u);
}

TEST(Complaint, BytesThatAreNoText) {
  EXPECT_EQ(Front("\xE2\x82\xAC transform T to B;").brief(), "1:1 `\xE2\x82\xAC` has no meaning here\n");
  EXPECT_EQ(Front(std::string("transform T\0 to B;", 18)).brief(),
            "1:12 this file is not text: it has the byte 0x00 here\n");
  EXPECT_EQ(Front(std::string("\xFF\xFEt\0r\0", 6)).brief(), "1:1 this file is UTF-16 text\n");
  EXPECT_EQ(Front("#include \"b\"\ntransform T to B;", {{"b", "\x7F"
                                                              "ELF"}})
                .brief(),
            "1:1 this file is not text: it has the byte 0x7F here\n");
  EXPECT_EQ(Front("transform T to B;\r\n// caf\xE9\f\v\r\n").brief(), "");
}

TEST(Complaint, NestingIsBounded) {
  const std::string many(100000, '(');
  EXPECT_EQ(
      Front("transform T to A[" + many + "1" + std::string(100000, ')') + "]; transform U frm X;").brief(),
      "1:117 parentheses are nested more than 100 deep\n"
      "1:200034 expected a header clause (`from`, `to`, `tunable`, ...) or the body, found `frm`\n");
  std::string chain = "i";
  for (int i = 0; i < 50000; ++i)
    chain += "^-i";
  EXPECT_EQ(Front("transform T to A { A.cell(" + chain + ") {} }").brief(),
            "1:623 this expression is longer than 600 names, numbers and signs\n");
  EXPECT_EQ(
      Front("transform T to A { A { " + std::string(100000, '{') + std::string(100000, '}') + " } }").brief(),
      "");
}

} // namespace
} // namespace pbc::syntax
