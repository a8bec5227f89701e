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

/// A run that is shorter than the slice of time which another program gets is either whole or hit by all of
/// it: where others are at work, single runs then only tell how often that was. Short runs make a turn
/// together, and what disturbs some of them is left out.
int runsOfATurn(const Tester &tester, int size) {
  constexpr double kTurn = 0.005; // seconds
  constexpr double kMostRuns = 15;
  const double seconds = std::min(tester.bestAt(size), tester.defaultAt(size));
  return seconds > 0 ? static_cast<int>(std::clamp(kTurn / seconds, 1.0, kMostRuns)) : 1;
}

bool takeTurn(Tester &tester, Runner &runner, int size, int runs, double limit) {
  const Measurement result = tester.evaluator().measure({runner.configuration, size, runs, limit, true});
  if (result.rejected)
    tester.noteFailure(runner.configuration, size, *result.rejected);
  if (result.seconds.empty() || result.rejected)
    return false;
  runner.seconds.push_back(lowerQuartile(result.seconds));
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

bool isFaster(const Runner &reference, const Runner &runner) {
  return !runner.out && judgePairs(reference.seconds, runner.seconds).faster;
}

/// The reference itself if nobody is faster.
Runner *fastest(Runner &reference, std::vector<Runner> &runners) {
  Runner *best = &reference;
  double ratio = 1;
  for (Runner &runner : runners)
    if (isFaster(reference, runner))
      if (const double own = judgePairs(reference.seconds, runner.seconds).ratio; own < ratio) {
        ratio = own;
        best = &runner;
      }
  return best;
}

/// Once more in another process, the winner first this time. Times are added to those of the runners.
template <typename TakeTurn>
bool isConfirmed(Tester &tester, Runner &keeper, Runner &winner, Runner &reference,
                 const TakeTurn &takeTurn) {
  if (!tester.evaluator().renew())
    return true; // nothing would be different
  std::vector<Runner *> order{&winner, &keeper};
  if (&keeper != &reference)
    order.push_back(&reference);
  const auto newest = [](const Runner &runner) {
    return std::vector<double>(runner.seconds.end() - static_cast<std::ptrdiff_t>(kFewestRounds),
                               runner.seconds.end());
  };
  for (int round = 0; round < kFewestRounds; ++round) {
    for (Runner *runner : order)
      if (!takeTurn(*runner))
        return tester.evaluator().stopped();
    std::reverse(order.begin(), order.end());
  }
  return judgePairs(newest(keeper), newest(winner)).ratio < 1;
}

} // namespace

RaceResult race(Tester &tester, const std::vector<Configuration> &candidates, int size, double deadline,
                const Configuration *previous) {
  Runner reference{Configuration::defaults(tester.space()), {}, false};
  std::vector<Runner> runners;
  const double now = tester.evaluator().elapsed();
  for (const Configuration &candidate :
       tester.sound(candidates, now + std::max(kExamination * (deadline - now), kLeastExamination)))
    if (candidate != reference.configuration)
      runners.push_back({candidate, {}, false});
  RaceResult result{reference.configuration};
  const double limit = std::max(10 * tester.defaultAt(size), 1.0);
  const int runs = runsOfATurn(tester, size);
  const auto turn = [&](Runner &runner) { return takeTurn(tester, runner, size, runs, limit); };
  for (int round = 0; round < kMostRounds && !tester.evaluator().stopped(); ++round) {
    if (round > 0 && round % kFewestRounds == 0)
      tester.evaluator().renew();
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
      if (!turn(*runner)) {
        if (tester.evaluator().stopped() || runner == &reference)
          break;
        runner->out = true;
      }
    if (tester.evaluator().stopped())
      break;
    ++result.rounds;
    // An unfinished round would pair wrong times; who left the race keeps what it has, unused.
  }
  Runner *winner = fastest(reference, runners);
  Runner *keeper = &reference; // who stays if nobody is faster
  for (Runner &runner : runners)
    if (previous && runner.configuration == *previous && isFaster(reference, runner))
      keeper = &runner;
  if (winner != keeper && !tester.evaluator().stopped() &&
      ((keeper != &reference && !isFaster(*keeper, *winner)) ||
       !isConfirmed(tester, *keeper, *winner, reference, turn))) {
    result.keptPrevious = keeper != &reference;
    winner = keeper;
  }
  result.winner = winner->configuration;
  result.changed = winner != &reference;
  result.defaultTimes = reference.seconds;
  result.winnerTimes = winner->seconds;
  result.defaultSeconds = median(reference.seconds);
  result.defaultUndisturbed = lowerQuartile(reference.seconds);
  result.winnerSeconds = median(winner->seconds);
  result.winnerUndisturbed = lowerQuartile(winner->seconds);
  return result;
}

} // namespace pbc::tuner
