// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Unusual bodies, as generators write them, must soon give a message or an obstacle, and never a crash.
#include "support.h"
#include <gtest/gtest.h>

namespace pbc::body {
namespace {

std::string repeat(const std::string &s, int n) {
  std::string out;
  for (int i = 0; i < n; ++i)
    out += s;
  return out;
}

TEST(Robustness, DeepBrackets) {
  EXPECT_EQ(Understood(cellProgram("return " + repeat("(", 100) + "c" + repeat(")", 100) + ";")).obstacle(),
            "");
  Understood deep(cellProgram("return " + repeat("(", 5000) + "c" + repeat(")", 5000) + ";"));
  EXPECT_NE(deep.messages.find("bracket nesting level exceeded"), std::string::npos);
  Understood blocks(cellProgram(repeat("{", 5000) + repeat("}", 5000) + "return 1;"));
  EXPECT_NE(blocks.messages.find("bracket nesting level exceeded"), std::string::npos);
}

TEST(Robustness, LongAndDeepExpressions) {
  EXPECT_EQ(Understood(cellProgram("return " + repeat("c + ", 1000) + "c;")).obstacle(), "");
  EXPECT_FALSE(Understood(cellProgram("return " + repeat("c + ", 5000) + "c;")).facts().liftable);
  for (const std::string &body :
       {"return " + repeat("- ", 9000) + "c;", "return " + repeat("c ? 1 : ", 3000) + "2;",
        repeat("if (c > 0) ", 3000) + "return 1; return 2;",
        "double x = " + repeat("c < ", 4000) + "c; return x;"}) {
    Understood u(cellProgram(body));
    EXPECT_EQ(u.messages, "");
    EXPECT_FALSE(u.facts().liftable);
  }
}

TEST(Robustness, TheLongestCodeThatReachesClang) {
  for (const std::string &body :
       {"return " + repeat("- ", 19990) + "c;", "return " + repeat("c + ", 9990) + "c;",
        "return " + repeat("c ? 1 : ", 4990) + "2;", "double x; x = " + repeat("x = ", 9990) + "c; return x;",
        "return " + repeat("c, ", 9990) + "c;", "return " + repeat("(double)", 6000) + "c;",
        repeat("if (c > 0) ; else ", 4000) + "return 1; return 2;",
        "return a" + repeat(".all()", 1000) + ".cell(0);"}) {
    Understood u(cellProgram(body));
    EXPECT_EQ(u.messages, "");
  }
}

TEST(Robustness, LongerCodeIsAMessage) {
  Understood u(cellProgram("return " + repeat("- ", 100000) + "c;"));
  EXPECT_NE(u.messages.find("the code of this rule is too long"), std::string::npos);
  Understood v(cellProgram(repeat("if (c > 0) ; else ", 100000) + "return 1; return 2;"));
  EXPECT_NE(v.messages.find("the code of this rule is too long"), std::string::npos);
}

TEST(Robustness, AnyBytes) {
  std::uint32_t state = 12345;
  const std::string alphabet =
      "abn0123(){}[];,.+-*/%<>=!&|?:\"'\\#@$ \n\tif for return cell double spawn sync ";
  for (int round = 0; round < 60; ++round) {
    std::string body;
    for (int i = 0; i < 60; ++i) {
      state = state * 1664525 + 1013904223;
      body += (state >> 24) % 16 == 0 ? static_cast<char>(state >> 16)
                                      : alphabet[(state >> 16) % alphabet.size()];
    }
    Understood u(viewProgram(body)); // no crash is the test
  }
}

TEST(Robustness, NamesThatAreWordsOfCxxOrOfThePrelude) {
  for (const char *name : {"class", "printf", "sqrt", "Region", "std", "spawn"}) {
    Understood u("transform T from A[" + std::string(name) + "] to B[" + name +
                 "] { B.cell(i) from(A.cell(i) a) { return a; } }");
    EXPECT_EQ(u.messages.find("internal error"), std::string::npos) << name << ": " << u.messages;
    Understood t("transform " + std::string(name) +
                 " from A[n] to B[n] { to(B b) from(A a) { b.cell(0) = sqrt(a.cell(0)); } }");
    EXPECT_EQ(t.messages.find("internal error"), std::string::npos) << name << ": " << t.messages;
  }
}

TEST(Robustness, ManyRules) {
  std::string program = "transform T from A[n] to B[n] {\n";
  for (int i = 0; i < 300; ++i)
    program += "  B.cell(i) from(A.cell(i) a) { return a + " + std::to_string(i) + "; }\n";
  Understood u(program + "}\n");
  EXPECT_EQ(u.messages, "");
  EXPECT_EQ(u.nodes(0, 299), "B = a + 299.0");
}

} // namespace
} // namespace pbc::body
