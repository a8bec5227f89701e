// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/syntax/front.h"

namespace pbc::syntax {
namespace {

std::string tree(const std::string &text) {
  Front front(text);
  return front.messages() + front.tree();
}

std::string rule(const std::string &text) {
  std::string all = tree("transform T from A to B { " + text + " }");
  std::string head = "transform T\n  from A\n  to B\n";
  return all.compare(0, head.size(), head) == 0 ? all.substr(head.size()) : all;
}

std::string expression(const std::string &text) {
  Front front("transform T from A[" + text + "] to B;");
  return front.messages() + (front.program.transforms.empty()
                                 ? ""
                                 : print(*front.program.transforms[0].from.at(0).extents.at(0)));
}

TEST(Parse, Header) {
  EXPECT_EQ(tree("main memoized transform T template <V(0,2), W(-1,3)> from A, K<0..k>[n, m] : float to "
                 "B<n>[w] : double\n"
                 "through C using D from E param p, q accuracy_metric M accuracy_bins 0, 2.5, -1 gen G "
                 "input_feature F\n"
                 "scaled_by S;"),
            "transform T main memoized forward\n"
            "  template V 0 2\n  template W -1 3\n"
            "  from A\n  from K<0..k>[n, m] : float\n  from E\n"
            "  to B<n>[w] : double\n"
            "  through C\n  through D\n"
            "  param p\n  param q\n  accuracy_metric M\n  generator G\n  input_feature F\n  scaled_by S\n"
            "  accuracy_bins 0 2.5 -1\n");
}

TEST(Parse, Items) {
  EXPECT_EQ(
      tree("transform T to B tunable a tunable b() tunable c(32, 1, 512) tunable double d(1, -0.5, 2)\n"
           "tunable sizespecific accuracyhint e(3) tunable array(4) float min(-1.0) max(1.0) initial(0.5) w\n"
           "config k(1.5) accuracy_variable r(1,1,100);"),
      "transform T forward\n  to B\n"
      "  tunable a integer\n  tunable b integer\n  tunable c integer initial 32 min 1 max 512\n"
      "  tunable d float initial 1 min -0.5 max 2\n"
      "  tunable e integer sizespecific accuracyhint initial 3\n"
      "  tunable w float array 4 initial 0.5 min -1 max 1\n"
      "  config k float initial 1.5\n  accuracy_variable r integer initial 1 min 1 max 100\n");
}

TEST(Parse, ReturnAndToStyle) {
  EXPECT_EQ(rule("B from(A a) { return a; }"),
            "  rule returns\n    output B\n    input A as a\n    body \" return a; \"\n");
  EXPECT_EQ(
      rule("to(B.cell(i) b, C.region(0, n/2) c) from(A.row(j) a, A.col(2) d, A.column(x) e, A.all() f) {};"),
      "  rule\n    output B.cell(i) as b\n    output C.region(0, n / 2) as c\n"
      "    input A.row(j) as a\n    input A.column(2) as d\n    input A.column(x) as e\n    input A as f\n   "
      " body \"\"\n");
  EXPECT_EQ(rule("B.cell(i) { return 0; }"),
            "  rule returns\n    output B.cell(i)\n    body \" return 0; \"\n");
}

TEST(Parse, RulePartsInAnyOrder) {
  EXPECT_EQ(
      rule(
          "B where i < n && j >= 2 using(T[n], U) from(A.cell(i) a = 0, X<k-1> x = OPTIONAL) where k = 3 {}"),
      "  rule returns\n    output B\n    input A.cell(i) as a or 0\n    input X<k - 1> as x or OPTIONAL\n"
      "    local T[n]\n    local U\n    where i < n\n    where j >= 2\n    where k == 3\n    body \"\"\n");
}

TEST(Parse, Conditions) {
  EXPECT_EQ(rule("B where i < n || !(j != 2 and (k + 1) > i) or not i = 3 {}"),
            "  rule returns\n    output B\n    where (i < n or not (j != 2 and k + 1 > i) or not i == 3)\n   "
            " body \"\"\n");
  EXPECT_EQ(rule("B where (i < 1 or i > 2) and i != 7 {}"),
            "  rule returns\n    output B\n    where (i < 1 or i > 2)\n    where i != 7\n    body \"\"\n");
}

TEST(Parse, Flags) {
  EXPECT_EQ(rule("primary secondary priority(3) rotatable recursive recursive(n*2) duplicate(v,-1,3) rule "
                 "name fast B {}"),
            "  rule returns\n    flag primary\n    flag secondary\n    flag priority 3\n    flag rotatable\n"
            "    flag recursive\n    flag recursive n * 2\n    flag duplicate v -1 3\n    flag label name\n  "
            "  flag fast\n"
            "    output B\n    body \"\"\n");
}

TEST(Parse, Functions) {
  EXPECT_EQ(
      tree("main function F from A[n], S to B[n] through C { x; } or { y; }"),
      "function F main\n  from A[n]\n  from S\n  to B[n]\n  through C\n"
      "  rule\n    output B as B\n    output C as C\n    input A as A\n    input S as S\n    body \" x; \"\n"
      "  rule\n    output B as B\n    output C as C\n    input A as A\n    input S as S\n    body \" y; "
      "\"\n");
}

TEST(Parse, Expressions) {
  EXPECT_EQ(expression("n-1.5"), "n - 1.5");
  EXPECT_EQ(expression("n - 2 - (3 - m)"), "n - 2 - (3 - m)");
  EXPECT_EQ(expression("-(a+b)*c/2^i^3"), "-(a + b) * c / 2^i^3");
  EXPECT_EQ(expression("(a^b)^c - -d"), "(a^b)^c - (-d)");
  EXPECT_EQ(expression("1e3+.5"), "1e3 + .5");
}

TEST(Parse, KeywordsCanBeNames) {
  EXPECT_EQ(expression("from + to*where - rule/main"), "from + to * where - rule / main");
  EXPECT_EQ(rule("primary.cell(row) from(main.cell(to) config, fast priority) {}"),
            "  rule returns\n    output primary.cell(row)\n    input main.cell(to) as config\n    input fast "
            "as priority\n"
            "    body \"\"\n");
  EXPECT_EQ(tree("transform T from cell, row[n] to rule;"),
            "transform T forward\n  from cell\n  from row[n]\n  to rule\n");
}

TEST(Parse, BracesThatAreNoBraces) {
  EXPECT_EQ(rule("B { '{'; \"}}\"; R\"x(})x\"; /* } */ 1'0; // }\n { { } } }"),
            "  rule returns\n    output B\n    body \" '{'; \\\"}}\\\"; R\\\"x(})x\\\"; /* } */ 1'0; // }\\n "
            "{ { } } \"\n");
}

TEST(Parse, RawBlocks) {
  EXPECT_EQ(tree("%{\n#include <x.h>\nint f() { return '}'; }\n%}\n%{ int g; %}\ntransform T to B;"),
            "raw \"\\n#include <x.h>\\nint f() { return '}'; }\\n\"\nraw \" int g; \"\ntransform T forward\n "
            " to B\n");
}

TEST(Parse, SpansPointIntoTheFile) {
  std::string text =
      "// head\ntransform T from A[n] to B[n] {\n  B.cell(i) from(A.cell(i) a)  { return a; }\n}\n";
  Front front(text);
  const Transform &t = front.program.transforms.at(0);
  const Rule &r = t.rules.at(0);
  auto at = [&](Span span) { return std::string(front.sources.text(span)); };
  EXPECT_EQ(at(r.headerSpan), "B.cell(i) from(A.cell(i) a)");
  EXPECT_EQ(at(r.body.span), "{ return a; }");
  EXPECT_EQ(at(r.outputs[0].accessorSpan), "cell(i)");
  EXPECT_EQ(at(r.inputs[0].span), "A.cell(i) a");
  EXPECT_EQ(at(t.from[0].span), "A[n]");
  EXPECT_EQ(at(t.name.span), "T");
  EXPECT_EQ(at(t.span), text.substr(8, text.size() - 9));
  EXPECT_EQ(r.body.text.text, " return a; ");
}

TEST(Parse, EmptyFile) {
  EXPECT_EQ(tree(""), "");
  EXPECT_EQ(tree(" // nothing\n"), "");
}

} // namespace
} // namespace pbc::syntax
