// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tables of bodies on devices: what becomes one, and in which memory it is.

#include "compiler/body/device_body.h"
#include "tests/unit/body/support.h"
#include <gtest/gtest.h>

namespace pbc::body {
namespace {

/// The line that defines a table of a body, up to its values; "none" if there is none.
std::string tableOf(const std::string &body, const std::string &before = "") {
  const Understood u((before.empty() ? "" : "%{\n" + before + "\n%}\n") + cellProgram(body));
  EXPECT_EQ(u.messages, "");
  if (!u.facts().onDevice)
    return "not on a device";
  if (!u.facts().onDevice->obstacle.empty())
    return u.facts().onDevice->obstacle;
  const std::string &text = u.facts().onDevice->text;
  const std::size_t at = text.find("TABLE ");
  if (at == std::string::npos)
    return "none";
  const std::size_t begin = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
  return text.substr(begin, text.find(" = ", at) - begin);
}

std::string loopOver(const std::string &declaration, const std::string &value = "w[k]") {
  return declaration + " double s = 0; for (int k = 0; k < n; ++k) s += " + value + "; return s;";
}

TEST(DeviceTable, ArraysThatNothingChangesAreInConstantMemory) {
  const std::string expected = "PB_COMMON_TABLE const double R0_w_";
  for (const char *declaration : {"static const double w[3] = {1, 2, 4};",
                                  "constexpr double w[] = {1, 2, 4};", "const double w[3] = {1, 2, 4};",
                                  "static constexpr double w[3] = {1, 2, 4};", "double w[3] = {1, 2, 4};"})
    EXPECT_EQ(tableOf(loopOver(declaration)).substr(0, expected.size()), expected) << declaration;
  EXPECT_EQ(tableOf(loopOver("const std::array<double, 3> w = {1, 2, 4};"), "#include <array>")
                .substr(0, expected.size()),
            expected);
}

TEST(DeviceTable, AnArrayThatIsChangedBelongsToTheItem) {
  for (const char *change : {"w[n % 3] = c;", "std::swap(w[0], w[1]);", "double *p = w; p[n % 3] = c;",
                             "double &r = w[1]; r = c;"})
    EXPECT_EQ(tableOf(loopOver("double w[3] = {1, 2, 4}; " + std::string(change))), "none") << change;
  EXPECT_EQ(tableOf(loopOver("const double w[3] = {1, c, 4};")), "none");
}

TEST(DeviceTable, IndicesThatDifferBetweenItemsNeedAnotherMemory) {
  struct Case {
    const char *value;
    bool isCommon;
  };
  for (const Case &c :
       {Case{"w[k]", true}, Case{"w[n - k - 1]", true}, Case{"w[(k + 1) % 3]", true}, Case{"w[i]", false},
        Case{"w[k + i]", false}, Case{"w[int(c)]", false}, Case{"w[k] + w[int(a.cell(k))]", false}})
    EXPECT_EQ(tableOf(loopOver("const double w[3] = {1, 2, 4};", c.value)).starts_with("PB_COMMON_TABLE"),
              c.isCommon)
        << c.value;
  const std::string table = "const double w[3] = {1, 2, 4}; double s = 0; ";
  EXPECT_TRUE(
      tableOf(table + "for (int k = int(c); k < n; ++k) s += w[k]; return s;").starts_with("PB_TABLE"));
  EXPECT_TRUE(tableOf(table + "int k = 0; while (k < n) { s += w[k]; k += int(c); } return s;")
                  .starts_with("PB_TABLE"));
  EXPECT_TRUE(tableOf(table + "for (int k = 0; k < n; ++k) { if (c > 0) ++k; s += w[k]; } return s;")
                  .starts_with("PB_TABLE"));
  EXPECT_TRUE(tableOf(table + "for (int k = 2; k >= 0; --k) { const int j = 2 - k; s += w[j]; } return s;")
                  .starts_with("PB_COMMON_TABLE"));
}

TEST(DeviceTable, WhatFunctionsGetDecidesAboutTheirTables) {
  const std::string function = "static double at(int k) { constexpr double w[3] = {1, 2, 4}; return w[k]; }";
  EXPECT_TRUE(tableOf(loopOver("", "at(k)"), function).starts_with("PB_COMMON_TABLE"));
  EXPECT_TRUE(tableOf(loopOver("", "at(k) + at(i)"), function).starts_with("PB_TABLE"));
  EXPECT_TRUE(tableOf(loopOver("", "at(int(c))"), function).starts_with("PB_TABLE"));
  const std::string nested = function + " static double twice(int j) { return 2 * at(j + 1); }";
  EXPECT_TRUE(tableOf(loopOver("", "twice(k)"), nested).starts_with("PB_COMMON_TABLE"));
  EXPECT_TRUE(tableOf(loopOver("", "twice(i)"), nested).starts_with("PB_TABLE"));
  // a pointer may be read anywhere
  EXPECT_TRUE(tableOf(loopOver("static const double w[3] = {1, 2, 4};", "first(w, k)"),
                      "static double first(const double *w, int k) { return w[k]; }")
                  .starts_with("PB_TABLE"));
}

TEST(DeviceTable, LargeTablesAreNotInConstantMemory) {
  EXPECT_TRUE(tableOf(loopOver("static const double w[4096] = {1, 2};")).starts_with("PB_COMMON_TABLE"));
  EXPECT_TRUE(tableOf(loopOver("static const double w[4097] = {1, 2};")).starts_with("PB_TABLE"));
  EXPECT_EQ(tableOf(loopOver("static const double w[8193] = {1, 2};")),
            "the table `w` has more than 8192 elements");
}

} // namespace
} // namespace pbc::body
