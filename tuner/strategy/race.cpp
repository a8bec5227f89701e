#include "tuner/strategy/race.h"

#include <algorithm>

namespace pbc::tuner {
namespace {

constexpr int kFewestRounds = 5; // five wins in a row are beyond chance (1/32)
constexpr int kMostRounds = 15;
constexpr double kExamination = 0.4, kLeastExamination = 1; // share of the time, and seconds

struct Runner {
  Configuration configuration;
  std::vector<double> seconds;
  bool out = false;
};

bool runOnce(Tester &tester, Runner &runner, int size, double limit) {
  const Measurement result = tester.evaluator().measure({runner.configuration, size, 1, limit, true});
  if (result.rejected)
    tester.noteFailure(runner.configuration, size, *result.rejected);
  if (result.seconds.empty() || result.rejected)
    return false;
  runner.seconds.push_back(result.seconds.front());
  return true;
}

/// True when further rounds would not change the answer.
bool decided(const Runner &reference, const std::vector<Runner> &runners) {
  return std::all_of(runners.begin(), runners.end(), [&](const Runner &runner) {
    if (runner.out)
      return true;
    const Pairs pairs = judgePairs(reference.seconds, runner.seconds);
    return pairs.clearlySlower || (pairs.faster && runners.size() == 1);
  });
}

} // namespace

RaceResult race(Tester &tester, const std::vector<Configuration> &candidates, int size, double deadline) {
  Runner reference{Configuration::defaults(tester.space()), {}, false};
  std::vector<Runner> runners;
  const double now = tester.evaluator().elapsed();
  for (const Configuration &candidate :
       tester.sound(candidates, now + std::max(kExamination * (deadline - now), kLeastExamination)))
    if (candidate != reference.configuration)
      runners.push_back({candidate, {}, false});
  RaceResult result{reference.configuration};
  const double limit = std::max(10 * tester.defaultAt(size), 1.0);
  for (int round = 0; round < kMostRounds && !tester.evaluator().stopped(); ++round) {
    if (round >= kFewestRounds && (!tester.mayGoOn(deadline) || decided(reference, runners)))
      break;
    std::vector<Runner *> order{&reference};
    for (Runner &runner : runners)
      if (!runner.out)
        order.push_back(&runner);
    if (order.size() == 1 && round >= 3)
      break; // nobody left: a few times of the default for the report
    if (round % 2)
      std::reverse(order.begin(), order.end());
    for (Runner *runner : order)
      if (!runOnce(tester, *runner, size, limit)) {
        if (tester.evaluator().stopped() || runner == &reference)
          break;
        runner->out = true;
      }
    if (tester.evaluator().stopped())
      break;
    ++result.rounds;
    // An unfinished round would pair wrong times; who left the race keeps what it has, unused.
  }
  result.defaultSeconds = result.winnerSeconds = median(reference.seconds);
  result.defaultUndisturbed = result.winnerUndisturbed = lowerQuartile(reference.seconds);
  double best = 1;
  for (const Runner &runner : runners) {
    if (runner.out)
      continue;
    const Pairs pairs = judgePairs(reference.seconds, runner.seconds);
    if (!pairs.faster || pairs.ratio >= best)
      continue;
    best = pairs.ratio;
    result.winner = runner.configuration;
    result.winnerSeconds = median(runner.seconds);
    result.winnerUndisturbed = lowerQuartile(runner.seconds);
    result.changed = true;
  }
  return result;
}

} // namespace pbc::tuner
