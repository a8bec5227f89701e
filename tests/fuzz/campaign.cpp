// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/fuzz/campaign.h"
#include "tests/fuzz/mutate.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace pbc::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Verdict tryOnce(const Target &target) {
  limitTime(target.secondsEach);
  Verdict verdict;
  try {
    verdict = target.tryText(current);
  } catch (const std::exception &e) {
    verdict.problem = std::string("internal error: ") + e.what();
  }
  limitTime(0);
  return verdict;
}

} // namespace

int campaign(const Target &target, int argc, char **argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 60;
  std::mt19937_64 random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  tellOnCrash();
  std::vector<std::vector<std::string>> pool;
  for (const std::string &seed : target.seeds)
    pool.push_back(lexemesOf(seed));
  const auto start = Clock::now();
  unsigned done = 0, accepted = 0;
  double slowest = 0;
  for (; done < target.mostTexts && secondsSince(start) < seconds; ++done) {
    const bool isSeed = target.triesSeeds && done < target.seeds.size();
    current = isSeed ? target.seeds[done] : mutate(pool, random, target.mostMutations);
    const auto begin = Clock::now();
    Verdict verdict = tryOnce(target);
    slowest = std::max(slowest, secondsSince(begin));
    accepted += verdict.isAccepted;
    if (verdict.problem.empty() && isSeed && !verdict.isAccepted)
      verdict.problem = "a valid text is refused";
    if (!verdict.problem.empty()) {
      std::fprintf(stderr, "%s: %s\non this text:\n%s\n", target.name.c_str(), verdict.problem.c_str(),
                   current.c_str());
      return 1;
    }
  }
  std::printf("%u texts, %u of them accepted, the slowest took %.2f s\n", done, accepted, slowest);
  return 0;
}

} // namespace pbc::fuzz
