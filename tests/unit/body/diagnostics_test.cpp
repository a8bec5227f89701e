// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Messages with the line and column in the user's text. Bodies begin at line 3, column 22 (views) or 54
// (cells).
#include "support.h"
#include <gtest/gtest.h>

namespace pbc::body {
namespace {

struct MessageCase {
  const char *body, *messages;
};
void PrintTo(const MessageCase &c, std::ostream *out) { *out << c.body; }

class ViewMessages : public testing::TestWithParam<MessageCase> {};
TEST_P(ViewMessages, AreExact) {
  EXPECT_EQ(Understood(viewProgram(GetParam().body)).messages, GetParam().messages);
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, ViewMessages,
    testing::Values(
        MessageCase{"Maiin(b, a);",
                    "3:22: error: use of undeclared identifier 'Maiin'; did you mean 'Main'?\n"
                    "  6:16: note: 'Main' declared here\n"},
        MessageCase{"Main(b);", "3:22: error: `Main` takes B (1-d double), A (1-d double); found 1 argument\n"
                                "  6:16: note: `Main` is declared here\n"},
        MessageCase{"Main(a, b);",
                    "3:22: error: `Main` takes B (1-d double), A (1-d double); argument 1, for `B`, is a 1-d "
                    "double region that is only read\n"
                    "  6:16: note: `Main` is declared here\n"},
        MessageCase{"MatrixRegion2D m; Main(b, m);",
                    "3:40: error: `Main` takes B (1-d double), A (1-d double); "
                    "argument 2, for `A`, is a 2-d double region\n"
                    "  6:16: note: `Main` is declared here\n"},
        MessageCase{"Two(b, 3, a, 2);",
                    "3:22: error: `Two` takes B (1-d double), S (double), A (1-d double), K "
                    "(double); argument 2, for `S`, is "
                    "written and must be a variable or a cell of that type\n"
                    "  5:11: note: `Two` is declared here\n"},
        MessageCase{"auto f = [&] { Main(b, a); };",
                    "3:37: error: the transform `Main` is called inside a lambda\n"
                    "  help: a transform call is a statement of the rule's body itself: move it out\n"},
        MessageCase{
            "double x = (Main(b, a), 3.0);",
            "3:34: error: a call of a transform is a statement; it has no value\n"
            "  3:34: note: `Main` is a transform\n"
            "  help: declare a variable or a matrix, call `Main` with it as an output, then use it\n"},
        MessageCase{"auto f = Main;", "3:31: error: the transform `Main` can only be called\n"
                                      "  help: a call is a statement: `Main(outputs..., inputs...);`\n"},
        MessageCase{"spawn printf(\"x\");",
                    "3:22: error: only a call of a transform can be spawned\n"
                    "  help: write `spawn F(outputs..., inputs...);` where F is a transform\n"},
        MessageCase{"return 3;", "3:22: error: the body of a `to` rule returns no value\n"
                                 "  3:3: note: the rule names its outputs\n"
                                 "  help: assign to the output, then `return;`\n"},
        MessageCase{"a.cell(0) = 3;",
                    "3:32: error: this region is an input of the rule: its cells are only read\n"
                    "  help: list the matrix among the rule's outputs to write it\n"},
        MessageCase{"n = 3;", "3:24: error: `n` is only read here: it is not an output of the rule\n"
                              "  3:3: note: `n` comes from here\n"
                              "  help: copy it into a variable of the body to change it\n"},
        MessageCase{"b.cell(0) =\n  a.cell(0, 1);",
                    "4:5: error: cell() takes one coordinate per dimension\n"},
        MessageCase{"b.row(0);", "3:24: error: `row` does not fit a region of this many dimensions\n"},
        MessageCase{"int x{3.5};",
                    "3:28: error: type 'double' cannot be narrowed to 'int' in initializer list\n"
                    "  3:28: note: insert an explicit cast to silence this issue\n"}));

class CellMessages : public testing::TestWithParam<MessageCase> {};
TEST_P(CellMessages, AreExact) {
  EXPECT_EQ(Understood(cellProgram(GetParam().body)).messages, GetParam().messages);
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, CellMessages,
    testing::Values(
        MessageCase{"return\n\tunknown;", "4:2: error: use of undeclared identifier 'unknown'\n"},
        MessageCase{
            "return;",
            "3:54: error: `return` needs a value here: the rule's body gives the value of its output\n"
            "  3:3: note: the rule's output has no name\n"},
        MessageCase{"if (c > 0) return 1;",
                    "3:74: warning: the rule's body can end without returning a value: its cell then keeps "
                    "what it had\n"
                    "  3:3: note: the rule's output has no name; its value is what the body returns\n"
                    "  help: end the body with `return value;`\n"},
        MessageCase{"double x = 1;", "3:67: error: the rule's body never returns a value\n"
                                     "  3:3: note: the rule's output has no name; its value is what the body "
                                     "returns\n"
                                     "  help: end the body with `return value;`\n"},
        MessageCase{"c = 3; return c;",
                    "3:56: error: `c` is only read here: it is not an output of the rule\n"
                    "  3:40: note: `c` comes from here\n"
                    "  help: copy it into a variable of the body to change it\n"},
        MessageCase{"double x; return x;", "3:71: warning: variable 'x' is uninitialized when used here\n"},
        MessageCase{"return c +;", "3:64: error: expected expression\n"},
        MessageCase{"int either = 1; /* for_enough */ return either; // verify_accuracy()\n", ""}));

TEST(Messages, EachRuleHasItsOwn) {
  Understood u("transform T from A[n] to B[n] {\n"
               "  B.cell(i) from(A.cell(i) a) { return x; }\n"
               "  B.cell(i) from(A.cell(i) a) { return y; }\n"
               "}\n");
  EXPECT_EQ(u.messages, "2:40: error: use of undeclared identifier 'x'\n"
                        "3:40: error: use of undeclared identifier 'y'\n");
}

TEST(Messages, RawBlocks) {
  Understood u("%{\nint f() { return missing_value; }\n%}\n" + cellProgram("return 1;"));
  EXPECT_EQ(u.messages, "2:18: error: use of undeclared identifier 'missing_value'\n");
  Understood header("%{\n#include <no_such_header.h>\n%}\n" + cellProgram("return 1;"));
  EXPECT_EQ(header.messages,
            "2:10: error: 'no_such_header.h' file not found\n"
            "  help: install the package that has this header, or name its folder: -IFOLDER\n");
}

TEST(Messages, StaticVariablesOfCells) {
  EXPECT_EQ(
      Understood(cellProgram("static int k = 0; if (k) { static double s; s += k; } return k++;")).messages,
      "3:54: warning: the static variable `k` is one for all cells of the rule, which are computed in "
      "parallel and in any order\n  help: remove `static`, or keep the value in a matrix\n"
      "3:81: warning: the static variable `s` is one for all cells of the rule, which are computed in "
      "parallel and in any order\n  help: remove `static`, or keep the value in a matrix\n");
  EXPECT_EQ(Understood(
                cellProgram("static const int k = 3; static constexpr double t[] = {1, 2}; return k * t[0];"))
                .messages,
            "");
  EXPECT_EQ(Understood(viewProgram("static int calls = 0; b.cell(0) = ++calls;")).messages, "");
}

TEST(Messages, InsideAMacroOfTheProgram) {
  Understood u("#define TWICE(x) (2 * oops + x)\n" + cellProgram("return TWICE(c);"));
  EXPECT_EQ(u.messages, "4:61: error: use of undeclared identifier 'oops'\n");
}

} // namespace
} // namespace pbc::body
