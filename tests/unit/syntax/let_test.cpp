// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where the value of a constant ends, and which values are expressions of whole numbers.
#include "compiler/syntax/let_value.h"
#include "compiler/syntax/parse.h"
#include "compiler/syntax/whole_expression.h"
#include <gtest/gtest.h>

namespace {

using namespace pbc;

std::string valueOf(std::string_view text, bool closed = true) {
  const syntax::LetValue value = syntax::findLetValue(text, 0);
  EXPECT_EQ(value.closed, closed) << text;
  return std::string(text.substr(value.begin, value.end - value.begin));
}

TEST(LetValue, EndsAtItsSemicolon) {
  EXPECT_EQ(valueOf(" exp(-a) ; B"), "exp(-a)");
  EXPECT_EQ(valueOf("f([&] { return ';'; }()) + 1;"), "f([&] { return ';'; }()) + 1");
  EXPECT_EQ(valueOf("a /* ; */ + b;"), "a /* ; */ + b");
  EXPECT_EQ(valueOf(" ;"), "");
}

TEST(LetValue, WithoutSemicolonEndsWithItsLine) {
  EXPECT_EQ(valueOf("exp(-a)\n  B.cell(i) from() { return 0; }", false), "exp(-a)");
  EXPECT_EQ(valueOf("exp(-a)\n  let d = 2;", false), "exp(-a)");
  EXPECT_EQ(valueOf("exp(-a) }", false), "exp(-a)");
  EXPECT_EQ(valueOf("", false), "");
}

std::string wholeOf(const std::string &text) {
  source::MappedText mapped;
  mapped.append(text, {0, 0, static_cast<std::uint32_t>(text.size())}, true);
  const syntax::ExprPtr e = syntax::wholeExpression(mapped);
  return e ? syntax::print(*e) : "none";
}

TEST(WholeExpression, ReadsSumsAndProducts) {
  EXPECT_EQ(wholeOf("(n - 3) / 2"), "(n - 3) / 2");
  EXPECT_EQ(wholeOf("n - m - k*2 /* twice */"), "n - m - k * 2");
  EXPECT_EQ(wholeOf("-(n + 1) * 2"), "-(n + 1) * 2");
}

TEST(WholeExpression, TakesNothingElse) {
  for (const char *text : {"", "n / 2.0", "f(n)", "n % 2", "n + ", "(n", "n m", "1'000", "n > 2"})
    EXPECT_EQ(wholeOf(text), "none") << text;
  EXPECT_EQ(wholeOf(std::string(1000, '(') + "n" + std::string(1000, ')')), "none");
}

} // namespace
