// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/evaluate/accuracy.h"

#include "tuner/evaluate/interrupt.h"
#include "tuner/evaluate/steps.h"
#include "tuner/space/toml.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pbc::tuner {
namespace {

constexpr int kAttempts = 3;
constexpr long kFirstOtherSeed = 1000003; // far from any seed that a user takes for tuning

std::optional<double> accuracyAt(Worker &worker, const ProgramSpace &space,
                                 const Configuration &configuration, double patience) {
  const auto answer = worker.measure(toToml(space, configuration, {}), 1, patience, patience);
  if (!answer || !answer.value->accuracy || std::isnan(*answer.value->accuracy))
    return {};
  return answer.value->accuracy;
}

/// Inputs that were not used for tuning, one after the other, so that memory for one is enough.
class Inputs {
public:
  Inputs(const std::string &program, const WorkerOptions &options, const ProgramSpace &space,
         const Sizes &sizes, const Configuration &base, int attempt, double patience, int inputs)
      : space_(space), sizes_(sizes), patience_(patience), worker_(program, options),
        count_(options.inputs.empty() ? inputs : 1),
        firstSeed_(options.seed + kFirstOtherSeed + static_cast<long>(attempt) * count_) {
    worker_.setBase(toToml(space, base, {}));
  }

  int count() const { return count_; }

  /// The worst accuracy over all inputs.
  std::optional<double> worst(const Configuration &configuration) {
    std::optional<double> result;
    const int first = std::max(current_, 0);
    for (int k = 0; k < count_; ++k) {
      const auto accuracy = !stopRequested() && take((first + k) % count_)
                                ? accuracyAt(worker_, space_, configuration, patience_)
                                : std::optional<double>();
      if (!accuracy)
        return {};
      if (!result || (space_.goal->largerIsBetter ? *accuracy < *result : *accuracy > *result))
        result = accuracy;
    }
    return result;
  }

private:
  /// Prepares the program with this input; false if it fails with it.
  bool take(int input) {
    if (input == current_)
      return true;
    worker_.restart();
    worker_.setSeed(firstSeed_ + input);
    current_ = worker_.prepare(sizes_, patience_) ? input : -1;
    return current_ == input;
  }

  const ProgramSpace &space_;
  const Sizes &sizes_;
  const double patience_;
  Worker worker_;
  const int count_;
  const long firstSeed_;
  int current_ = -1; // the input that the program is prepared with
};

} // namespace

ReachedSizes reachAtSizes(Worker &worker, const ProgramSpace &space, const std::vector<Sizes> &sizes,
                          const Configuration &start, double patience, const std::function<bool()> &mayGoOn,
                          const std::function<void(const std::string &)> &note) {
  ReachedSizes result{start, {}};
  for (const Sizes &step : sizes) {
    worker.setBase(toToml(space, result.configuration, {}));
    const auto prepared = worker.prepare(step, patience);
    if (!prepared) {
      note(fmt::format("{}: left out, the program {}", nameOf(step), prepared.failure.reason));
      continue;
    }
    const Reached reached = reach(
        space, result.configuration, prepared.value->n, [&](const Configuration &c) -> std::optional<double> {
          return mayGoOn() ? accuracyAt(worker, space, c, patience) : std::optional<double>();
        });
    result.configuration = reached.configuration;
    if (reached.met)
      result.met.push_back(step);
    else
      note(fmt::format("{}: the accuracy {:.4g} is the best that was found, the target is {:.4g}",
                       nameOf(step), reached.accuracy, space.goal->target));
  }
  worker.setBase(toToml(space, result.configuration, {}));
  return result;
}

std::vector<VerifiedStep> verifiedSteps(const std::string &program, const WorkerOptions &options,
                                        const ProgramSpace &space, const std::vector<Step> &steps,
                                        double patience) {
  Worker worker(program, options);
  std::vector<VerifiedStep> all;
  for (const Step &step : steps) {
    const Sizes odd = oddBelow(step.sizes, space.params);
    if (odd != step.sizes && !all.empty() && !stopRequested())
      if (const auto answer = worker.prepare(odd, patience))
        all.push_back({{odd, answer.value->n, answer.value->seconds}, 1});
    all.push_back({step});
  }
  return all;
}

Verified verify(const std::string &program, const WorkerOptions &options, const ProgramSpace &space,
                const Sizes &sizes, long n, const Configuration &configuration, double patience, int count) {
  Verified result;
  result.configuration = configuration;
  result.otherInputs = options.inputs.empty();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Inputs inputs(program, options, space, sizes, result.configuration, attempt, patience, count);
    result.inputs = inputs.count();
    const auto worst = inputs.worst(result.configuration);
    result.accuracy = worst.value_or(std::nan(""));
    result.met = space.goal->isMetBy(result.accuracy);
    if (result.met || !worst || attempt + 1 == kAttempts)
      break;
    const Reached reached =
        reach(space, result.configuration, n, [&](const Configuration &c) { return inputs.worst(c); });
    if (!reached.met)
      break;
    result.configuration = reached.configuration;
    result.mended = true;
  }
  return result;
}

namespace {

/// The sizes for inputs that are smaller than the last cut-off of the configuration, so that it takes the
/// alternative below; nothing if there are none.
std::optional<Sizes> belowCutOff(const ProgramSpace &space, const Configuration &configuration,
                                 const Sizes &sizes, long n) {
  long cutOff = 0;
  for (std::size_t i = 0; i < space.sites.size(); ++i)
    if (space.sites[i].transform == space.main)
      for (const Level &level : configuration.selectors()[i].levels())
        if (level.below <= n)
          cutOff = std::max(cutOff, level.below);
  if (cutOff < 2)
    return {};
  Sizes smaller = sizes;
  for (auto &[name, value] : smaller)
    if (!space.isParam(name))
      value = std::min(value, cutOff - 1);
  if (smaller == sizes)
    return {};
  return smaller;
}

} // namespace

VerifiedSizes verifyAll(const std::string &program, const WorkerOptions &options, const ProgramSpace &space,
                        const std::vector<Step> &steps, const Configuration &configuration,
                        const std::vector<std::string> &unmet, double patience) {
  constexpr int kMostCutOffs = 12;
  VerifiedSizes all{configuration, {}, unmet};
  const auto look = [&](const Step &step, int inputs) {
    const Verified here =
        verify(program, options, space, step.sizes, step.n, all.configuration, patience, inputs);
    if (stopRequested())
      return false;
    if (!here.met && std::ranges::count(all.missed, nameOf(step.sizes)) == 0)
      all.missed.push_back(nameOf(step.sizes));
    // Making a size more accurate leaves larger sizes as fast as they are; they are treated in later steps.
    all.configuration = here.configuration.withLargerFrom(space, all.configuration, step.n);
    all.mended |= here.mended;
    all.largest = here;
    return true;
  };
  const std::vector<VerifiedStep> wanted = verifiedSteps(program, options, space, steps, patience);
  for (const auto &[step, inputs] : wanted)
    if (!look(step, inputs))
      return {all.configuration, {}, all.missed, all.mended};
  const std::optional<Verified> largest = all.largest;
  // If the configuration takes another alternative for smaller sizes, that one has to meet the target there.
  Worker worker(program, options);
  Step last = wanted.front().step;
  for (int k = 0; k < kMostCutOffs; ++k) {
    const auto sizes = belowCutOff(space, all.configuration, last.sizes, last.n);
    const auto prepared = sizes ? worker.prepare(*sizes, patience) : Answer<Prepared>();
    if (!prepared)
      break;
    last = {*sizes, prepared.value->n, prepared.value->seconds};
    worker.restart();
    if (!look(last, 1))
      return {all.configuration, {}, all.missed, all.mended};
  }
  all.largest = largest;
  return all;
}

} // namespace pbc::tuner
