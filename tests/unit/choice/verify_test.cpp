// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The verifier of grids and alternatives: it says nothing about those that chooseGrids() makes, and gives a
// sentence for each broken invariant.
#include "compiler/choice/verify.h"
#include "compiler/sema/check.h"
#include "compiler/syntax/parse.h"
#include <functional>
#include <gtest/gtest.h>

namespace {

using namespace pbc;
using Texts = std::vector<std::string>;

/// Pieces of B: the inside by rule0 | rule3, the two ends (for n = 1 there is one) by rule1 | rule3 and rule2
/// | rule3. C: everything by rule4. Sizes below 1 are refused, because D[0] then has no rule.
const char *const kProgram = R"(
transform T from A[n] to B[n], D[n] through C[n]
{
  B.cell(i) from(A.cell(i - 1) a, A.cell(i + 1) b) { return a + b; }
  B.cell(0) from(A.cell(0) a) where n > 1 { return a; }
  B.cell(n - 1) from(A.cell(n - 1) a) { return a; }
  to(B b) from(A a, C c) { b.cell(0) = 0; }
  C.cell(i) from(A.cell(i) a) { return a; }
  D.cell(i) from(A.cell(2) a) { return a; }
}
)";

class Broken {
public:
  Broken() {
    const auto file = sources_.add("t.pbcc", kProgram);
    program_ = syntax::parse(syntax::preprocess(sources_, file, d_), file, d_);
    module = sema::check(program_, "t", "", d_);
    const std::vector<std::vector<body::Facts>> facts{
        std::vector<body::Facts>(module.transforms[0].rules.size())};
    choices = choice::chooseGrids(module, facts, context, d_);
    EXPECT_EQ(d_.render(), "");
  }
  choice::Grid &grid() { return choices.at(0).grid; }
  choice::Piece &piece(const std::vector<int> &rules) {
    for (auto &p : grid().pieces)
      if (p.rules == rules)
        return p;
    ADD_FAILURE() << "no such piece";
    return grid().pieces.at(0);
  }
  choice::Alternative &alternative(std::size_t k) { return choices.at(0).alternatives.at(k); }
  Texts said() const { return choice::verify(module, choices, context); }

  poly::Context context; // must outlive all objects that are made in it
  sema::Module module;
  std::vector<choice::Choices> choices;

private:
  source::SourceManager sources_;
  source::Diagnostics d_{sources_};
  syntax::Program program_;
};

Texts broken(const std::function<void(Broken &)> &change) {
  Broken b;
  change(b);
  return b.said();
}

TEST(VerifyChoices, AcceptsWhatIsMade) {
  Broken b;
  EXPECT_EQ(b.said(), Texts{});
  EXPECT_EQ(b.grid().guards.size(), 1u);
  EXPECT_EQ(b.choices[0].alternatives.size(), 2u);
}

TEST(VerifyChoices, NamesBrokenApplications) {
  EXPECT_EQ(broken([](Broken &b) { b.grid().applications.pop_back(); }),
            Texts{"T: there is not one application per rule"});
  EXPECT_EQ(broken([](Broken &b) { b.grid().applications[1].writes.clear(); }),
            Texts{"T: the application of rule1 is another rule's"});
  EXPECT_EQ(
      broken([](Broken &b) { b.grid().applications[0].domain = b.context.set("[n] -> { R0[i] }"); }).at(0),
      "T: rule0 runs where a region is outside, or `where` false");
  EXPECT_EQ(broken([](Broken &b) {
              b.grid().applications[4].writes[0] = b.context.map("[n] -> { R4[i] -> C[0] : 0 <= i < n }");
            }).at(0),
            "T: rule4 writes a cell twice");
}

TEST(VerifyChoices, NamesBrokenPieces) {
  const auto ends = [](Broken &b) -> isl::set & { return b.piece({1, 3}).cells; };
  EXPECT_EQ(broken([&](Broken &b) { ends(b) = b.context.set("[n] -> { B[x] : false }"); }).at(0),
            "T: a piece of B is empty");
  EXPECT_EQ(broken([&](Broken &b) { ends(b) = b.context.set("[n] -> { B[x] : x = 0 and n > 7 }"); }),
            Texts{"T: a cell of B has no piece, and no guard refuses it"});
  EXPECT_EQ(
      broken([&](Broken &b) { ends(b) = b.context.set("[n] -> { B[x] : 0 <= x <= 1 and n > 2 }"); }).at(0),
      "T: two pieces of B overlap");
  EXPECT_EQ(
      broken([](Broken &b) { b.piece({4}).cells = b.context.set("[n] -> { C[x] : 0 <= x <= n }"); }).at(0),
      "T: rule4 does not reach all of a piece of C");
  EXPECT_EQ(broken([](Broken &b) { b.grid().guards.clear(); }),
            Texts{"T: a cell of D has no piece, and no guard refuses it"});
  EXPECT_EQ(broken([](Broken &b) { b.piece({1, 3}).rules = {3, 1}; }),
            Texts{"T: the rules of a piece of B are not one level in source order"});
  EXPECT_EQ(broken([](Broken &b) { b.module.transforms[0].rules[0].priority = 0; }).at(0),
            "T: the rules of a piece of B are not one level in source order");
}

TEST(VerifyChoices, NamesBrokenAlternatives) {
  EXPECT_EQ(broken([](Broken &b) { b.choices[0].alternatives.clear(); }),
            Texts{"T: there is no alternative"});
  EXPECT_EQ(broken([](Broken &b) { b.alternative(1).name = b.alternative(0).name; }),
            Texts{"T: two alternatives are called rule0+rule1+rule2"});
  const std::string first = "T: alternative rule0+rule1+rule2 ";
  EXPECT_EQ(broken([](Broken &b) { b.alternative(0).ruleOfPiece.pop_back(); }),
            Texts{first + "has not one rule per piece"});
  EXPECT_EQ(broken([](Broken &b) { b.alternative(0).ruleOfPiece[0] = 5; }).at(0),
            first + "has a rule for a piece of B that is none of the piece's");
  EXPECT_EQ(
      broken([](Broken &b) { b.alternative(0).uses[0].domain = b.context.set("[n] -> { R0[i] : false }"); }),
      Texts{first + "does not fill a piece of B"});
  EXPECT_EQ(
      broken([](Broken &b) { b.alternative(0).uses[0].domain = b.context.set("[n] -> { R0[i] }"); }).at(0),
      first + "runs rule0 where it is not applicable");
  EXPECT_EQ(broken([](Broken &b) {
              b.alternative(0).uses.push_back({3, b.grid().applications[3].domain, {}});
            }).at(0),
            first + "writes cells of B twice");
  EXPECT_EQ(broken([](Broken &b) { b.alternative(0).uses.erase(b.alternative(0).uses.begin()); }).at(0),
            first + "leaves a piece of B out");
}

} // namespace
