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
constexpr long kFirstOtherSeed = 1000003; // far from what a user takes for tuning

std::optional<double> accuracyAt(Worker &worker, const ProgramSpace &space,
                                 const Configuration &configuration, double patience) {
  const auto answer = worker.measure(toToml(space, configuration, {}), 1, patience, patience);
  if (!answer || !answer.value->accuracy || std::isnan(*answer.value->accuracy))
    return {};
  return answer.value->accuracy;
}

/// Programs prepared with inputs of their own.
class Inputs {
public:
  Inputs(const std::string &program, const WorkerOptions &options, const ProgramSpace &space,
         const Sizes &sizes, const Configuration &base, int attempt, double patience, int inputs)
      : space_(space), patience_(patience) {
    const int count = options.inputs.empty() ? inputs : 1;
    for (int k = 0; k < count; ++k) {
      WorkerOptions own = options;
      own.seed = options.seed + kFirstOtherSeed + attempt * count + k;
      workers_.push_back(std::make_unique<Worker>(program, own));
      workers_.back()->setBase(toToml(space, base, {}));
      ready_ = ready_ && workers_.back()->prepare(sizes, patience);
    }
  }

  int count() const { return static_cast<int>(workers_.size()); }

  /// Of all inputs.
  std::optional<double> worst(const Configuration &configuration) {
    std::optional<double> result;
    for (const auto &worker : workers_) {
      const auto accuracy = ready_ && !stopRequested() ? accuracyAt(*worker, space_, configuration, patience_)
                                                       : std::optional<double>();
      if (!accuracy)
        return {};
      if (!result || (space_.goal->largerIsBetter ? *accuracy < *result : *accuracy > *result))
        result = accuracy;
    }
    return result;
  }

private:
  const ProgramSpace &space_;
  const double patience_;
  std::vector<std::unique_ptr<Worker>> workers_;
  bool ready_ = true;
};

} // namespace

ReachedSizes reachAtSizes(Worker &worker, const ProgramSpace &space, const std::vector<Sizes> &sizes,
                          const Configuration &start, double patience, const std::function<bool()> &mayGoOn,
                          const std::function<void(const std::string &)> &note) {
  ReachedSizes result{start, {}, 0};
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
    result.accuracy = reached.accuracy;
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

VerifiedSizes verifyAll(const std::string &program, const WorkerOptions &options, const ProgramSpace &space,
                        const std::vector<Step> &steps, const Configuration &configuration,
                        const std::vector<std::string> &unmet, double patience) {
  VerifiedSizes all{configuration, {}, unmet};
  for (const auto &[step, inputs] : verifiedSteps(program, options, space, steps, patience)) {
    all.largest = verify(program, options, space, step.sizes, step.n, all.configuration, patience, inputs);
    if (!all.largest.met && std::ranges::count(unmet, nameOf(step.sizes)) == 0)
      all.missed.push_back(nameOf(step.sizes));
    // What makes a size more exact leaves larger ones as fast as they are: their turn comes.
    all.configuration = all.largest.configuration.withLargerFrom(space, all.configuration, step.n);
    all.mended |= all.largest.mended;
  }
  return all;
}

} // namespace pbc::tuner
