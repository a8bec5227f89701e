// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/race.h"

#include "tuner/strategy/turns.h"

#include <algorithm>

namespace pbc::tuner {
namespace {

constexpr int kFewestRounds = 5;      // five wins in a row are beyond chance (1/32)
constexpr int kRoundsWithoutTime = 3; // if the time is over, for a candidate that is faster by kHalf
constexpr double kHalf = 0.5;         // of the other's time
constexpr int kRoundsWithOneLost = 8; // winning all but one of these is beyond chance, too (9/256)
constexpr int kMostRounds = 15;       // in a row
constexpr int kSpreadRounds = 45;     // at most so many more, over the remaining time
constexpr double kSpread = 6;         // seconds of it
constexpr double kExamination = 0.4, kLeastExamination = 1; // share of the time, and seconds

struct Runner {
  Configuration configuration;
  std::vector<double> seconds;
  bool out = false;
};

/// Keeps the first candidates for which there is time until the deadline; the earlier winner, and one more,
/// always stay.
std::vector<Configuration> affordable(const Tester &tester, std::vector<Configuration> candidates, int size,
                                      double seconds, bool hasPrevious) {
  const double ofRound = std::max(seconds / kFewestRounds - tester.defaultAt(size), 0.0);
  const double most = std::max(ofRound / tester.bestAt(size), hasPrevious ? 2.0 : 1.0);
  if (most < static_cast<double>(candidates.size()))
    candidates.resize(static_cast<std::size_t>(most));
  return candidates;
}

/// True if further rounds would not change the answer.
bool areAllSlower(const Runner &reference, const std::vector<Runner> &runners) {
  return std::all_of(runners.begin(), runners.end(), [&](const Runner &runner) {
    return runner.out || judgePairs(reference.seconds, runner.seconds).clearlySlower;
  });
}

/// Whether it is faster beyond chance, considering the number of rivals.
bool isFaster(const Runner &reference, const Runner &runner, std::size_t rivals) {
  return !runner.out && judgePairs(reference.seconds, runner.seconds, static_cast<int>(rivals)).faster;
}

bool isNoSlower(const Runner &reference, const Runner &runner) {
  return !runner.out && !runner.seconds.empty() &&
         !judgePairs(reference.seconds, runner.seconds).clearlySlower;
}

/// Whether some candidate needs less than `ratio` of the reference's time, but could still be faster by
/// chance because of a disturbed turn or two.
bool isNearlyDecided(const Runner &reference, const std::vector<Runner> &runners, double ratio) {
  const auto leads = [&](const Runner &runner) {
    return !runner.out && judgePairs(reference.seconds, runner.seconds).ratio < ratio;
  };
  return std::any_of(runners.begin(), runners.end(), leads) &&
         std::none_of(runners.begin(), runners.end(),
                      [&](const Runner &r) { return isFaster(reference, r, runners.size()); });
}

/// The reference itself if no candidate is faster.
Runner *fastest(Runner &reference, std::vector<Runner> &runners) {
  Runner *best = &reference;
  double ratio = 1;
  for (Runner &runner : runners)
    if (isFaster(reference, runner, runners.size()))
      if (const double own = judgePairs(reference.seconds, runner.seconds).ratio; own < ratio) {
        ratio = own;
        best = &runner;
      }
  return best;
}

bool isFarAhead(const Runner &reference, const Runner &runner) {
  return &runner != &reference && judgePairs(reference.seconds, runner.seconds).ratio < kHalf;
}

/// Whether there is another round, after so many.
bool goesOn(int rounds, const Tester &tester, int size, double deadline, Rounds kind, Runner &reference,
            std::vector<Runner> &runners) {
  constexpr double kPromise = 0.85, kFar = 0.8, kAhead = 0.99;
  const bool hasTime = tester.mayGoOn(deadline);
  if (rounds < kFewestRounds)
    return hasTime || rounds < kRoundsWithoutTime || !isFarAhead(reference, *fastest(reference, runners));
  // On shared processors and memory, the gain from two threads varies from second to second: a candidate that
  // was much faster in the whole search, but is not now, may have met a bad moment.
  const bool isPromised =
      kind == Rounds::Spread && hasTime && tester.bestAt(size) < kPromise * tester.defaultAt(size);
  if (areAllSlower(reference, runners) && !isPromised)
    return false;
  if (rounds < kMostRounds)
    return !(runners.size() == 1 && isFaster(reference, runners.front(), 1)) &&
           (hasTime || (rounds < kRoundsWithOneLost && isNearlyDecided(reference, runners, kFar)));
  // If the race were evaluated after each of so many rounds, some candidate would win by chance; so it is
  // evaluated only once more, at the end.
  return kind == Rounds::Spread && hasTime && rounds < kMostRounds + kSpreadRounds &&
         (rounds > kMostRounds || isNearlyDecided(reference, runners, kAhead) ||
          (isPromised && fastest(reference, runners) == &reference));
}

/// Compares once more in another process, the winner first this time. The times are added to those of the
/// runners.
bool isConfirmed(Tester &tester, Runner &keeper, Runner &winner, Runner &reference, Turns &turns,
                 double deadline) {
  if (!tester.evaluator().renew())
    return true; // nothing would change
  std::vector<Runner *> order{&winner, &keeper};
  if (&keeper != &reference)
    order.push_back(&reference);
  double ratio = 1; // of the winner's times to the keeper's, in the rounds of this process
  for (int round = 1; round <= kFewestRounds; ++round) {
    turns.beginRound();
    for (Runner *runner : order)
      if (!turns.take(runner->configuration, runner->seconds))
        return tester.evaluator().stopped();
    std::reverse(order.begin(), order.end());
    const auto newest = [&](const Runner &runner) {
      return std::vector<double>(runner.seconds.end() - round, runner.seconds.end());
    };
    ratio = judgePairs(newest(keeper), newest(winner)).ratio;
    if (ratio < kHalf && !tester.mayGoOn({deadline}))
      break;
  }
  return ratio < 1 && isFaster(keeper, winner, 1);
}

} // namespace

RaceResult race(Tester &tester, const std::vector<Configuration> &candidates, int size, double deadline,
                const Configuration *previous, Rounds kind, Ties ties) {
  Runner reference{Configuration::defaults(tester.space()), {}, false};
  std::vector<Runner> runners;
  const double now = tester.evaluator().elapsed(), left = std::max(deadline - now, 0.0);
  for (const Configuration &candidate :
       tester.sound(affordable(tester, candidates, size, (1 - kExamination) * left, previous != nullptr),
                    now + std::max(kExamination * left, kLeastExamination)))
    if (candidate != reference.configuration)
      runners.push_back({candidate, {}, false});
  RaceResult result{reference.configuration};
  const int before = tester.measurements();
  Turns turns(tester, size, Results::Unknown);
  double end = deadline;
  for (int round = 0;
       !tester.evaluator().stopped() && goesOn(round, tester, size, end, kind, reference, runners); ++round) {
    const double elapsed = tester.evaluator().elapsed();
    if (round == kMostRounds)
      end = std::min(deadline, elapsed + kSpread);
    if (round >= kMostRounds)
      tester.evaluator().pause((end - elapsed) / (kMostRounds + kSpreadRounds - round));
    if (round > 0 && round % kFewestRounds == 0)
      tester.evaluator().renew();
    std::vector<Runner *> order{&reference};
    for (Runner &runner : runners)
      if (!runner.out)
        order.push_back(&runner);
    if (order.size() == 1 && round >= kRoundsWithoutTime)
      break; // no candidate is left: a few times of the default for the report
    if (round % 2)
      std::reverse(order.begin(), order.end());
    turns.beginRound();
    std::vector<Runner *> ran;
    bool isWhole = true;
    for (Runner *runner : order) {
      if (turns.take(runner->configuration, runner->seconds))
        ran.push_back(runner);
      else if (tester.evaluator().stopped() || runner == &reference)
        isWhole = false;
      else
        runner->out = true;
      if (!isWhole)
        break;
    }
    if (tester.evaluator().stopped())
      break;
    if (isWhole)
      ++result.rounds; // candidates that left the race keep their times, which are unused
    else
      for (Runner *runner : ran) // otherwise the next round would pair wrong times
        runner->seconds.pop_back();
  }
  Runner *winner = &reference;
  while (true) {
    winner = fastest(reference, runners);
    Runner *keeper = &reference; // the one that stays if no candidate is faster
    for (Runner &runner : runners)
      if (previous && runner.configuration == *previous &&
          (isFaster(reference, runner, runners.size()) ||
           (ties == Ties::Previous && isNoSlower(reference, runner))))
        keeper = &runner;
    if (winner != keeper && !tester.evaluator().stopped() &&
        ((keeper != &reference && !isFaster(*keeper, *winner, runners.size())) ||
         !isConfirmed(tester, *keeper, *winner, reference, turns, deadline))) {
      result.keptPrevious = keeper != &reference;
      winner = keeper;
    }
    if (winner == &reference || tester.evaluator().stopped() ||
        tester.staysRight(winner->configuration, size))
      break;
    winner->out = result.isOneWrong = true;
    result.keptPrevious = false;
  }
  result.measurements = tester.measurements() - before;
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
