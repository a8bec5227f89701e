// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which alternatives a composition makes, and what they are called; which adaptors belong to a structure.
#include "compiler/compose/alternatives.h"
#include "compiler/compose/structures.h"
#include "compiler/source/diagnostics.h"
#include "compiler/syntax/parse.h"
#include "tests/unit/transform/textual.h"
#include <algorithm>
#include <gmock/gmock.h>

using namespace pbc;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

const char *kProduct = R"(
kernel Trmm [m, n] may reassociate
  context m >= 0 and n >= 0
  buffer A float 2-d input, matrix 0
  buffer B float 2-d input, matrix 1
  buffer C float 2-d output, matrix 2
  S0[i, j, k]: C[j, i] += A[k, i] * B[j, k]
    { S0[i, j, k] : 0 <= i < m and 0 <= j < n and 0 <= k <= i }
  schedule
    band i
      band j
        band k
)";
const char *kOfTriangles =
    "adaptor Triangular(X): | peel_triangular(X); | padding_triangular(X); {cond(blank(X).zero = true)}";

class Alternatives : public testing::Test {
protected:
  script::Script script(const std::string &text) {
    return syntax::parseScript(sources_.add("script", text), diagnostics_).value();
  }
  compose::Adapted adapted(const std::string &adaptor, const std::string &use) {
    const auto all = syntax::parseAdaptors(sources_.add("adaptors", adaptor), diagnostics_);
    const auto read = syntax::parseAdaptation(sources_.add("use", use), diagnostics_);
    EXPECT_TRUE(read && all.size() == 1) << diagnostics_.render(false);
    return {*read, script::instantiated(all.front(), read->arguments)};
  }
  std::vector<compose::Alternative> alternatives(const std::string &steps,
                                                 const std::vector<compose::Adapted> &adaptors) {
    const script::Script base = script(steps);
    const auto made = compose::compose(texts_.kernel(kProduct), base, adaptors);
    EXPECT_TRUE(made.composition) << made.why;
    return compose::alternatives("gemm", base, adaptors, *made.composition, choosing_);
  }
  static std::vector<std::string> kept(const std::vector<compose::Alternative> &all) {
    std::vector<std::string> names;
    for (const compose::Alternative &one : all)
      if (one.kernel)
        names.push_back(one.name);
    return names;
  }
  static const compose::Alternative &named(const std::vector<compose::Alternative> &all,
                                           const std::string &name) {
    return *std::find_if(all.begin(), all.end(), [&](const auto &one) { return one.name == name; });
  }

  kernel::Texts texts_;
  source::SourceManager sources_;
  source::Diagnostics diagnostics_{sources_};
  compose::Choosing choosing_{.decide = [](const script::Condition &) { return compose::Decision(); },
                              .whyNot = [](const kernel::Scheduled &) { return ""; }};
};

const std::string kSteps = "(it, jt, ii, jj) = tile(i, j; 4, 8); scalar(k)";

TEST_F(Alternatives, AreCalledByTheirRulesAndTheWayToMixThem) {
  const auto all = alternatives(kSteps, {adapted(kOfTriangles, "Triangular(A)")});
  EXPECT_THAT(kept(all), ElementsAre("gemm", "gemm+Triangular(A).2/2", "gemm+Triangular(A).3/2"));
  EXPECT_EQ(named(all, "gemm+Triangular(A).3/2").provenance, "gemm + Triangular(A) rule 3, way 2");
  EXPECT_EQ(named(all, "gemm+Triangular(A).2").sameAs, "gemm"); // there is no tile yet
  EXPECT_EQ(named(all, "gemm").provenance, "gemm");
}

TEST_F(Alternatives, OfSeveralAdaptorsSayOnlyWhatChanges) {
  const auto all =
      alternatives(kSteps, {adapted("adaptor Transpose(X): | GM_map(X, Transpose);", "Transpose(B)"),
                            adapted(kOfTriangles, "Triangular(A)")});
  EXPECT_THAT(kept(all), testing::IsSupersetOf({"gemm", "gemm+Triangular(A).2/2", "gemm+Transpose(B).2",
                                                "gemm+Transpose(B).2+Triangular(A).2/2"}));
}

TEST_F(Alternatives, WhoseConditionIsDecidedWhenTheProgramRunsAreGuarded) { // 8
  choosing_.decide = [](const script::Condition &) {
    return compose::Decision{compose::Decision::Kind::IsChecked};
  };
  const auto all = alternatives(kSteps, {adapted(kOfTriangles, "Triangular(A)")});
  EXPECT_THAT(kept(all), ElementsAre("gemm", "gemm+Triangular(A).2/2", "gemm+Triangular(A).3/2"));
  EXPECT_EQ(script::guardText(named(all, "gemm+Triangular(A).3/2").guards),
            "guarded by blank(A).zero, checked once a call");
  EXPECT_THAT(named(all, "gemm+Triangular(A).2/2").guards, IsEmpty());
}

TEST_F(Alternatives, NeedNoGuardIfOthersMakeTheSameLoopsWithoutOne) {
  choosing_.decide = [](const script::Condition &) {
    return compose::Decision{compose::Decision::Kind::IsChecked};
  };
  const auto all = alternatives(
      kSteps,
      {adapted("adaptor Twice(X): peel_triangular(X); {cond(blank(X).zero = true)} | peel_triangular(X);",
               "Twice(A)")});
  EXPECT_THAT(kept(all), testing::IsSupersetOf({"gemm+Twice(A).2/2"}));
  EXPECT_EQ(named(all, "gemm+Twice(A).1/2").sameAs, "gemm+Twice(A).2/2");
}

TEST_F(Alternatives, WithTheSameLoopsUnderDifferentConditionsAreSeveral) {
  choosing_.decide = [](const script::Condition &) {
    return compose::Decision{compose::Decision::Kind::IsChecked};
  };
  const auto all = alternatives(
      kSteps,
      {adapted(
          "adaptor Twice(X): peel_triangular(X); {cond(isOne(X))} | peel_triangular(X); {cond(isTwo(X))}",
          "Twice(A)")});
  EXPECT_THAT(kept(all), testing::IsSupersetOf({"gemm+Twice(A).1/2", "gemm+Twice(A).2/2"}));
}

TEST_F(Alternatives, WhoseConditionFailsAreNone) {
  choosing_.decide = [](const script::Condition &c) {
    return compose::Decision{compose::Decision::Kind::Fails, script::text(c) + " is not known"};
  };
  const auto all = alternatives(kSteps, {adapted(kOfTriangles, "Triangular(A)")});
  EXPECT_THAT(kept(all), ElementsAre("gemm", "gemm+Triangular(A).2/2"));
  EXPECT_EQ(named(all, "gemm+Triangular(A).3").why, "cond(blank(A).zero = true) is not known");
}

TEST_F(Alternatives, KeepAStepOfTheScript) {
  const auto all =
      alternatives("vector(z)", {adapted("adaptor Transpose(X): | GM_map(X, Transpose);", "Transpose(B)")});
  EXPECT_THAT(kept(all), IsEmpty());
  EXPECT_THAT(named(all, "gemm").why, HasSubstr("`vector(z)`: no loop is called `z`"));
  EXPECT_THAT(named(all, "gemm+Transpose(B).2").why, HasSubstr("`vector(z)`: no loop is called `z`"));
}

TEST_F(Alternatives, AreNoMoreThanAskedForAndThoseOfMostStepsComeFirst) {
  choosing_.most = 1;
  // Mixed in the first way, the adaptor's step realises a loop that the script's tiles would cut.
  const auto all = alternatives(kSteps, {adapted("adaptor Wrong(X): scalar(i);", "Wrong(A)")});
  EXPECT_THAT(kept(all), ElementsAre("gemm+Wrong(A).1/2"));
  EXPECT_EQ(named(all, "gemm+Wrong(A).1").why, "no more than 1 alternatives are made of one schedule, and "
                                               "those that keep more of its steps come first");
}

TEST_F(Alternatives, CanBeRefused) {
  choosing_.whyNot = [](const kernel::Scheduled &) { return "there are no such loops"; };
  for (const compose::Alternative &one : alternatives(kSteps, {adapted(kOfTriangles, "Triangular(A)")}))
    EXPECT_TRUE(one.why == "there are no such loops" || !one.sameAs.empty()) << one.name;
}

class Structures : public Alternatives {
protected:
  std::vector<std::string> adaptorsOf(const sema::Structure &structure) {
    transform_.matrices = {{.name = "A", .structure = structure}, {.name = "B"}, {.name = "C"}};
    std::vector<std::string> all;
    for (const script::Adaptation &one : compose::adaptationsOf(transform_, texts_.kernel(kProduct)))
      all.push_back(script::text(one));
    return all;
  }
  sema::Transform transform_;
};

TEST_F(Structures, EachHasItsAdaptors) {
  using Half = sema::Structure::Half;
  EXPECT_THAT(adaptorsOf({.stored = Half::Lower}), ElementsAre("Triangular(A)"));
  EXPECT_THAT(adaptorsOf({.stored = Half::Upper, .isUnit = true, .isTransposed = true}),
              ElementsAre("Triangular(A)", "Transpose(A)"));
  EXPECT_THAT(adaptorsOf({.stored = Half::Upper, .isMirrored = true}), ElementsAre("Symmetry(A)"));
  EXPECT_THAT(adaptorsOf({.isMirrored = true}), IsEmpty());
  EXPECT_THAT(adaptorsOf({.isUnit = true, .isUnchecked = true}), IsEmpty());
}

TEST_F(Structures, SayWhatIsZero) {
  using Half = sema::Structure::Half;
  const script::Condition blank{.matrix = "A"};
  adaptorsOf({.stored = Half::Lower, .isUnchecked = true});
  using Kind = compose::Decision::Kind;
  EXPECT_EQ(compose::decided(blank, transform_).kind, Kind::Holds);
  adaptorsOf({.stored = Half::Lower, .isMirrored = true});
  EXPECT_EQ(compose::decided(blank, transform_).kind, Kind::IsChecked);
  adaptorsOf({.isTransposed = true});
  EXPECT_EQ(compose::decided(blank, transform_).kind, Kind::Fails);
  EXPECT_EQ(compose::decided(blank, transform_).why,
            "`blank(A).zero` says nothing: the structure of `A` leaves no cells out");
  const script::Condition small{
      .kind = script::Condition::Kind::Predicate, .matrix = "A", .predicate = "isSmall(A)"};
  EXPECT_EQ(compose::decided(small, transform_).kind, Kind::IsChecked);
}

} // namespace
