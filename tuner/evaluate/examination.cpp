// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/evaluate/examination.h"

#include "tuner/evaluate/interrupt.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace pbc::tuner {
namespace {

constexpr double kExaminationPatience = 0.5, kTimesDefault = 30;

bool isPrime(long n) {
  for (long d = 2; d * d <= n; ++d)
    if (n % d == 0)
      return false;
  return n > 1;
}

/// Sets growing variables to `size`, the second of them to a little more, and so on, so that no two can be
/// confused; none becomes larger than it was. Nothing if there is no such variable.
std::optional<Sizes> withSize(const ProgramSpace &space, const Sizes &full, long size) {
  Sizes sizes = full;
  long more = 0;
  for (auto &[name, value] : sizes) {
    if (value < kGrowing || space.isParam(name))
      continue;
    value = std::min(value, size + (size > 2 ? more : 0));
    more += 2;
  }
  if (more == 0)
    return {};
  return sizes;
}

class ExaminedInputs {
public:
  ExaminedInputs(const ProgramSpace &space, const Sizes &full) : space_(space), full_(full) {}

  void add(long size, const std::string &values = "") {
    const auto sizes = withSize(space_, full_, size);
    if (!sizes || size < 0)
      return;
    ExaminedInput input{*sizes, values};
    if (std::find(all_.begin(), all_.end(), input) == all_.end())
      all_.push_back(std::move(input));
  }
  const std::vector<ExaminedInput> &all() const { return all_; }

private:
  const ProgramSpace &space_;
  const Sizes &full_;
  std::vector<ExaminedInput> all_;
};

} // namespace

std::vector<ExaminedInput> quickInputs(const ProgramSpace &space, const Sizes &full) {
  ExaminedInputs inputs(space, full);
  for (long size : {17, 2, 1, 0, 3, 7, 13, 33, 67, 101, 60, 105}) // the last two have many divisors
    inputs.add(size);
  for (long size : {23, 97})
    for (const char *values : {"constant", "few", "mixed", "sorted", "reversed", "negative", "zeros", "tiny"})
      inputs.add(size, values);
  return inputs.all();
}

std::vector<ExaminedInput> thoroughInputs(const ProgramSpace &space, const std::vector<Step> &steps,
                                          const std::vector<Configuration> &configurations) {
  constexpr std::size_t kMostCutoffs = 12;
  const Step &last = steps.back();
  ExaminedInputs inputs(space, last.sizes);
  std::set<long> cutoffs;
  for (const Configuration &configuration : configurations)
    for (const Selector &selector : configuration.selectors())
      for (const Level &level : selector.levels())
        if (level.below < last.n && cutoffs.size() < kMostCutoffs)
          cutoffs.insert(level.below);
  for (long cutoff : cutoffs)
    for (long size : {cutoff - 1, cutoff, cutoff + 1})
      inputs.add(size);
  for (const Step &step : steps) {
    long prime = step.n - 1;
    while (prime > 2 && !isPrime(prime))
      --prime;
    inputs.add(prime);
    constexpr double kShort = 0.02; // seconds: values that make an algorithm quadratic must not take too long
    if (&step != &last && step.defaultSeconds < kShort && (&step + 1)->defaultSeconds >= kShort)
      for (const char *values : {"constant", "mixed", "sorted", "reversed"})
        inputs.add(prime, values);
  }
  inputs.add(last.n - 1);
  return inputs.all();
}

Examination::Examination(Worker worker, const ProgramSpace &space, std::vector<Step> steps)
    : worker_(std::move(worker)), space_(space), steps_(std::move(steps)) {}

std::optional<Prepared> Examination::prepare(const ExaminedInput &input) {
  if (!input.values.empty() && !hasOwnValues_)
    return {};
  const double patience = 5 + kTimesDefault * steps_.back().defaultSeconds;
  const auto prepared = worker_.prepare(input.sizes, patience, {input.values, true});
  if (!prepared && !input.values.empty() && prepared.failure.reason.find("\"values\"") != std::string::npos)
    hasOwnValues_ = false;
  else if (prepared && prepared.value->isFinite && prepared.value->isStable)
    return prepared.value;
  return {};
}

double Examination::secondsAt(const ExaminedInput &input) const {
  long n = 0;
  for (const auto &[name, value] : input.sizes)
    if (!space_.isParam(name))
      n = std::max(n, value);
  if (n < steps_.front().n / 2)
    return 0; // the sizes are too small to count
  for (const Step &step : steps_)
    if (step.n >= n)
      return step.defaultSeconds;
  return steps_.back().defaultSeconds;
}

std::optional<Misfit> Examination::look(const Configuration &configuration, const ExaminedInput &input,
                                        const Prepared &prepared) {
  const std::string toml = toToml(space_, configuration, {});
  double patience = kExaminationPatience + kTimesDefault * prepared.seconds;
  Misfit misfit;
  misfit.size = nameOf(input.sizes);
  misfit.n = prepared.n;
  // The second attempt is in a new process, and has more time.
  for (int attempt = 0; attempt < 2; ++attempt, patience *= 4) {
    const auto answer = worker_.measure(toml, 1, patience, patience);
    if (answer ? answer.value->agrees : answer.failure.stopped)
      return {};
    misfit.rejected = answer ? Rejected{Failure::WrongResult, answer.value->disagreement}
                             : Rejected{answer.failure.kind, answer.failure.reason};
    worker_.restart();
  }
  if (!input.values.empty())
    misfit.rejected.reason += fmt::format(" with {} values", input.values);
  return misfit;
}

std::vector<std::optional<Misfit>> Examination::examine(const std::vector<Configuration> &configurations,
                                                        Depth depth, const std::function<double()> &left) {
  std::vector<std::optional<Misfit>> result(configurations.size());
  std::vector<ExaminedInput> inputs = telling_;
  const auto add = [&](const std::vector<ExaminedInput> &more) {
    for (const ExaminedInput &input : more)
      if (std::find(inputs.begin(), inputs.end(), input) == inputs.end())
        inputs.push_back(input);
  };
  add(quickInputs(space_, steps_.back().sizes));
  if (depth == Depth::Thorough)
    add(thoroughInputs(space_, steps_, configurations));
  int compared = 0;
  for (const ExaminedInput &input : inputs) {
    if (std::all_of(result.begin(), result.end(), [](const auto &misfit) { return misfit.has_value(); }) ||
        stopRequested() || left() <= 0)
      break;
    constexpr double kRunsOfDefault = 3; // for the reference, for values up to rounding, and one in reserve
    if (secondsAt(input) * (kRunsOfDefault + static_cast<double>(configurations.size())) > left())
      continue;
    const auto prepared = prepare(input);
    if (!prepared)
      continue;
    ++compared;
    for (std::size_t i = 0; i < configurations.size() && !stopRequested() && left() > 0; ++i) {
      if (result[i])
        continue;
      result[i] = look(configurations[i], input, *prepared);
      if (result[i] && std::find(telling_.begin(), telling_.end(), input) == telling_.end())
        telling_.insert(telling_.begin(), input);
    }
  }
  compared_ = std::max(compared_, compared);
  worker_.restart(); // its matrices and threads are not needed until the next time
  return result;
}

} // namespace pbc::tuner
