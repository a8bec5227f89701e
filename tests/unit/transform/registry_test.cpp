// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random kernels with random steps: what a transformation accepts keeps every dependence and all results, also in tasks and
// after the kernel was printed and read back, and what it refuses has a sentence. So a wrong schedule is impossible, whatever a
// script says. Half of the steps are of a transformation that few kernels have accepted so far.
//
//   PBC_PAIRS=10000 PBC_SEED=7 build/release/bin/test_transform --gtest_filter='*Registry*'      more of them, and others
#include "compiler/kernel/legal.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/transform/run.h"
#include "compiler/kernel/verify.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/transform/compiled.h"
#include "tests/unit/transform/random_steps.h"
#include "tests/unit/transform/textual.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <gmock/gmock.h>
#include <map>

using namespace pbc::kernel;

namespace {

long fromEnvironment(const char *name, long otherwise) {
  const char *text = std::getenv(name);
  return text ? std::atol(text) : otherwise;
}

/// For the verifier, the text and the code of a kernel, each of which would need a minute for a few kernels.
constexpr unsigned long kCheckBudget = 2'000'000;

/// Random steps, and how often those of each transformation were accepted.
class Steps {
public:
  explicit Steps(Random &r) : r_(r) {}

  /// Tries some until a few of them apply; those that do not have a reason.
  Scheduled apply(const Scheduled &start, std::string &what) {
    Scheduled kernel = withLabels(start);
    kernel.schedule.target = Target::Processor; // where the test runs what is accepted
    long wanted = r_.number(1, 4);
    for (int left = kMostTries; left > 0 && wanted > 0;) {
      const Transformation &next = r_.once(2) ? rare() : any();
      // It needs a vector loop, in which little else can be done.
      for (int tries = next.name == "jam" ? 3 : 0; tries > 0; --tries, --left)
        if (isAccepted(randomStep(r_, kernel, *findTransformation("vector")), kernel, what))
          break;
      for (int tries = r_.number(1, 4); tries > 0 && left > 0; --tries, --left)
        if (isAccepted(randomStep(r_, kernel, next), kernel, what)) {
          --wanted;
          break;
        }
    }
    return kernel;
  }

  std::map<std::string, int> accepted() const {
    std::map<std::string, int> all;
    for (const Transformation &t : transformations())
      all[std::string(t.name)] = count(t);
    return all;
  }

private:
  static constexpr int kMostTries = 16, kRare = 4;

  int count(const Transformation &t) const {
    const auto at = accepted_.find(t.name);
    return at == accepted_.end() ? 0 : at->second;
  }

  const Transformation &any() {
    const Transformation *chosen = &r_.of(transformations());
    if (chosen->name == "scalar") // it always applies, and then little else does
      chosen = &r_.of(transformations());
    return *chosen;
  }

  /// One of the few that were accepted least.
  const Transformation &rare() {
    std::vector<const Transformation *> all;
    for (const Transformation &t : transformations())
      all.push_back(&t);
    r_.shuffle(all);
    std::partial_sort(
        all.begin(), all.begin() + kRare, all.end(),
        [&](const Transformation *a, const Transformation *b) { return count(*a) < count(*b); });
    return *all[static_cast<std::size_t>(r_.number(0, kRare - 1))];
  }

  bool isAccepted(const pbc::script::Step &step, Scheduled &kernel, std::string &what) {
    StepOutcome made;
    try {
      made = run(step, kernel);
    } catch (const std::exception &e) {
      ADD_FAILURE() << e.what() << " in " << pbc::script::text(step) << " after\n" << what;
    }
    if (!made.kernel) {
      EXPECT_TRUE(testing::Test::HasFailure() || made.problem.what.size() > 10U) << pbc::script::text(step);
      return false;
    }
    kernel = std::move(*made.kernel);
    what += pbc::script::text(step) + ";\n";
    ++accepted_[step.transformation];
    std::vector<std::string> complaints;
    if (pbc::poly::withBudget(kernel.context.ctx(), kCheckBudget, [&] { complaints = verify(kernel); }))
      EXPECT_THAT(complaints, testing::IsEmpty()) << what;
    return true;
  }

  Random &r_;
  std::map<std::string, int, std::less<>> accepted_;
};

/// In four parts, which can run at the same time.
class Registry : public testing::TestWithParam<int> {};

TEST_P(Registry, AcceptedStepsKeepDependencesAndResults) {
  constexpr std::size_t kLongText = 3000; // whose dependences may take too long to find
  const long pairs = fromEnvironment("PBC_PAIRS", testsAll() ? 200 : kSanitized ? 40 : 80) / 4, batch = 24;
  Random r(static_cast<unsigned long>(fromEnvironment("PBC_SEED", 1) * 4 + GetParam()));
  Steps steps(r);
  long left = 0; // pairs that were not compared, because their code would take too long
  for (long first = 0; first < pairs && !HasFailure(); first += batch) {
    Texts texts;
    Comparison comparison(texts.context());
    for (long k = first; k < std::min(pairs, first + batch); k += 2) {
      const std::string text = randomKernel(r);
      SCOPED_TRACE(text);
      const Scheduled kernel = texts.kernel(text);
      for (int twice = 0; twice < 2; ++twice) {
        std::string what = text;
        const Scheduled after = steps.apply(kernel, what);
        if (!kernel.reassociates)
          EXPECT_TRUE(withFlags(after.schedule.tree, kernel.dependences)) << what;
        // Half of them go through their text first.
        std::string printed;
        const bool isReadBack =
            r.once(2) &&
            pbc::poly::withBudget(after.context.ctx(), kCheckBudget, [&] { printed = print(after); }) &&
            printed.size() < kLongText;
        const Scheduled compared = isReadBack ? texts.kernel(printed) : after;
        left += !pbc::poly::withBudget(after.context.ctx(), kCheckBudget,
                                       [&] { comparison.add(what, kernel, compared); });
      }
    }
    EXPECT_EQ(comparison.differences(), "");
  }
  if (std::getenv("PBC_PAIRS"))
    std::printf("accepted: %s\n", testing::PrintToString(steps.accepted()).c_str());
  EXPECT_LE(left, 1 + pairs / 20);
  // The pairs are of use only if the transformations apply to many of the kernels.
  std::vector<std::string> never;
  for (const auto &[name, count] : steps.accepted())
    if (count == 0)
      never.push_back(name);
  if (pairs >= 500)
    EXPECT_THAT(never, testing::IsEmpty());
  else if (pairs >= 50)
    EXPECT_LE(2 * never.size(), transformations().size()) << testing::PrintToString(never);
}

INSTANTIATE_TEST_SUITE_P(Random, Registry, testing::Range(0, 4));

} // namespace
