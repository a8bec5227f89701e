// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/accuracy_target.h"

#include "tuner/evaluate/interrupt.h"
#include "tuner/evaluate/steps.h"
#include "tuner/strategy/objective_evaluator.h"

#include <algorithm>

namespace pbc::tuner {

std::vector<Sizes> AccuracyTarget::reach(const std::vector<Sizes> &sizes,
                                         const std::function<bool()> &mayGoOn,
                                         const std::function<void(const std::string &)> &note) {
  ReachedSizes reached =
      reachAtSizes(worker_, space_, sizes, Configuration::defaults(space_), patience_, mayGoOn, note);
  unmet_.clear();
  for (const Sizes &step : sizes)
    if (std::find(reached.met.begin(), reached.met.end(), step) == reached.met.end())
      unmet_.push_back(nameOf(step));
  reached_ = std::move(reached.configuration);
  return reached.met.empty() ? std::vector<Sizes>{sizes.back()} : std::move(reached.met);
}

void AccuracyTarget::verifyAlso(std::vector<Step> tooQuick, const Sizes &first) {
  quick_ = std::move(tooQuick);
  for (const Sizes &s : shrinkingSizes(first, space_.params))
    if (const auto answer = worker_.prepare(s, patience_))
      quick_.push_back({s, answer.value->n, answer.value->seconds});
  std::sort(quick_.begin(), quick_.end(), [](const Step &a, const Step &b) { return a.n < b.n; });
}

VerifiedSizes AccuracyTarget::verified(const Configuration &configuration,
                                       const std::vector<Step> &steps) const {
  std::vector<Step> all = quick_;
  all.insert(all.end(), steps.begin(), steps.end());
  return verifyAll(program_, options_, space_, all, configuration, unmet_, patience_);
}

void AccuracyTarget::verify(Summary &summary, const std::vector<Step> &steps,
                            const std::vector<Metric> &metrics) {
  // Nothing was measured below the first size: the values that met the target there are the best guess.
  const long first = steps.front().n;
  summary.result.best = summary.result.best.withSmallerLike(space_, first);
  // The last size that there was time for.
  const Step &last = steps[static_cast<std::size_t>(summary.result.size)];
  // Beyond the sizes that were tuned, the most accurate values are kept.
  if (!unmet_.empty() || &last != &steps.back())
    summary.result.best = summary.result.best.withLargerFrom(space_, reached_, last.n);
  worker_.restart(); // frees its memory for the other workers
  VerifiedSizes result = verified(summary.result.best, steps);
  if (result.mended && summary.objective.isTime() && !stopRequested()) {
    // A more accurate configuration may be slower than the one that met the target at first.
    const VerifiedSizes start = verified(reached_.withSmallerLike(space_, first), steps);
    if (start.largest && start.missed.size() <= result.missed.size() &&
        isFaster(start.configuration, result.configuration))
      result = start;
  }
  summary.missed = result.missed;
  summary.accuracy = result.largest;
  if (!summary.accuracy)
    return;
  const bool isAsRaced = result.configuration == summary.result.best;
  summary.result.best = result.configuration;
  if (isAsRaced)
    return;
  summary.accuracy->mended = result.mended;
  summary.result.changed = true;
  measureAgain(summary, metrics);
}

void AccuracyTarget::measureAgain(Summary &summary, const std::vector<Metric> &metrics) {
  constexpr int kRuns = 5;
  summary.result.defaultTimes.clear();
  summary.result.bestTimes.clear();
  summary.result.bestSeconds = 0;
  const auto again =
      worker_.measure(toToml(space_, summary.result.best, {}), kRuns, patience_, patience_, metrics);
  if (!again)
    return;
  summary.result.bestSeconds = median(again.value->seconds);
  if (summary.objective.isTime())
    return;
  const std::vector<Metrics> runs =
      Measurement{again.value->seconds, {}, again.value->joules, again.value->bytes}.metrics();
  summary.tuned = ObjectiveEvaluator::Archived{summary.result.best, runs}.typical();
  if (summary.byDefault)
    summary.result.bestSeconds =
        summary.result.defaultSeconds * summary.objective.cost(*summary.tuned, *summary.byDefault);
}

bool AccuracyTarget::isFaster(const Configuration &one, const Configuration &other) {
  constexpr int kTurns = 9;
  std::vector<double> times[2];
  for (int turn = 0; turn < kTurns; ++turn)
    for (const int which : {turn % 2, 1 - turn % 2}) {
      const auto answer =
          worker_.measure(toToml(space_, which ? other : one, {}), 1, patience_, patience_, {});
      if (!answer)
        return false;
      times[which].push_back(answer.value->seconds.front());
    }
  return judgePairs(times[1], times[0]).faster;
}

} // namespace pbc::tuner
