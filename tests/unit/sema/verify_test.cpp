// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The verifier of modules: it says nothing about modules that the checker makes, and gives a sentence for
// each broken invariant.
#include "compiler/sema/check.h"
#include "compiler/sema/verify.h"
#include "compiler/syntax/parse.h"
#include <functional>
#include <gtest/gtest.h>

namespace {

using namespace pbc;

const char *const kProgram = R"(
transform Half from A[n] to B[n/2] { B.cell(i) from(A.cell(2*i) a) { return a; } }
main transform T
from A[w, mod], K
to B[w, mod]
through C[mod]
tunable t(2, 1, 3)
{
  to(C.cell(y) c) from(A.row(y) a) using(V[w + t]) where y < mod - t { c = a.cell(0); }
  secondary C.cell(y) from(K k) { return k; }
  rule whole to(B b) from(A a, C.region(0, mod) c) { }
}
)";

/// Checks the program, breaks the module by `change`, and returns the verifier's messages.
std::vector<std::string> broken(const std::function<void(sema::Transform &)> &change) {
  source::SourceManager sources;
  const auto file = sources.add("t.pbcc", kProgram);
  source::Diagnostics d(sources);
  const auto program = syntax::parse(syntax::preprocess(sources, file, d), file, d);
  auto module = sema::check(program, "t", "", d);
  EXPECT_EQ(d.render(), "");
  change(module.transforms.at(1));
  return sema::verify(module);
}

using Texts = std::vector<std::string>;

TEST(VerifyModule, AcceptsWhatTheCheckerMakes) {
  EXPECT_EQ(broken([](sema::Transform &) {}), Texts{});
}

TEST(VerifyModule, NamesWhatIsBroken) {
  EXPECT_EQ(broken([](auto &t) { t.index = 0; }), Texts{"transform 1 has the index 0"});
  EXPECT_EQ(broken([](auto &t) { t.name = "Half"; }), Texts{"two transforms are called Half"});
  EXPECT_EQ(broken([](auto &t) { t.sizeVariables.erase(t.sizeVariables.begin() + 1); }).at(0),
            "T: an extent of A uses mod_, which is nothing");
  EXPECT_EQ(broken([](auto &t) { t.params = {"mod"}; }),
            Texts{"T: the params are not the first size variables"});
  EXPECT_EQ(broken([](auto &t) { t.matrices[1].role = sema::Role::Through; }),
            Texts{"T: the matrices are not inputs, outputs, through"});
  EXPECT_EQ(broken([](auto &t) { t.matrices[3].name = "A"; }), Texts{"T: two matrices are called A"});
  EXPECT_EQ(broken([](auto &t) { t.tunables[0].initial = 4; }),
            Texts{"T: the tunable t begins outside its range"});
}

TEST(VerifyModule, NamesWhatIsBrokenInARule) {
  EXPECT_EQ(broken([](auto &t) { t.rules[1].index = 0; }), Texts{"T: rule 1 has the index 0"});
  EXPECT_EQ(broken([](auto &t) { t.rules[1].label = "rule0"; }),
            Texts{"T: the label `rule0` is not the rule's own"});
  EXPECT_EQ(broken([](auto &t) { t.rules[1].body = nullptr; }), Texts{"T: rule1 has no body"});
  EXPECT_EQ(broken([](auto &t) { t.rules[1].freeVariables = {"y", "w"}; }),
            Texts{"T: rule1: `w` is not its own"});
  EXPECT_EQ(broken([](auto &t) { t.rules[1].freeVariables.clear(); }).at(0),
            "T: rule1: a region of C uses y, which is nothing");
  EXPECT_EQ(broken([](auto &t) { t.rules[0].where[0].right.isl = "q"; }),
            Texts{"T: rule0: a condition uses q, which is nothing"});
  EXPECT_EQ(broken([](auto &t) { t.rules[0].locals[0].extents[0].isl = ""; }),
            Texts{"T: rule0: an extent of V is empty"});
}

TEST(VerifyModule, NamesWhatIsBrokenInARegion) {
  EXPECT_EQ(broken([](auto &t) { t.rules[0].inputs[0].matrix = 7; }),
            Texts{"T: rule0 has a region of matrix 7"});
  EXPECT_EQ(broken([](auto &t) { t.rules[2].outputs[0].matrix = 0; }),
            Texts{"T: whole: a region of A writes an input"});
  EXPECT_EQ(broken([](auto &t) { t.rules[2].inputs[0].isOutput = true; }).at(0),
            "T: whole has a region on the wrong side");
  EXPECT_EQ(broken([](auto &t) { t.rules[0].inputs[0].end.pop_back(); }),
            Texts{"T: rule0: a region of A has not one interval per dimension"});
  EXPECT_EQ(broken([](auto &t) { t.rules[2].outputs[0].viewDims = {1, 0}; }),
            Texts{"T: whole: a region of B keeps dimensions that are not the matrix's, in order"});
  EXPECT_EQ(broken([](auto &t) { t.rules[2].outputs[0].isCell = true; }),
            Texts{"T: whole: a region of B is a cell with a view"});
}

} // namespace
