// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/evaluate/worker_evaluator.h"

#include "tuner/evaluate/examination.h"
#include "tuner/evaluate/interrupt.h"
#include "tuner/evaluate/lower_bounds.h"
#include "tuner/evaluate/outside_run.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <thread>

namespace pbc::tuner {
namespace {

/// Whether memory may have been overwritten, by this configuration or by an earlier one.
bool isSuspicious(const Answer<Measured> &answer) {
  return answer ? !answer.value->agrees
                : answer.failure.kind == Failure::Crash || answer.failure.kind == Failure::Exit;
}

Measurement measurementOf(const std::vector<Metrics> &runs) {
  Measurement result;
  for (const Metrics &run : runs) {
    result.seconds.push_back(run.seconds);
    if (run.joules)
      result.joules.push_back(*run.joules);
    result.bytes = run.bytes;
  }
  return result;
}

} // namespace

WorkerEvaluator::WorkerEvaluator(const ProgramSpace &space, std::vector<Step> steps, Worker &worker,
                                 Journal *journal, WorkerEvaluatorSettings settings)
    : space_(space), steps_(std::move(steps)), worker_(worker), notes_(journal),
      settings_(std::move(settings)), start_(std::chrono::steady_clock::now()) {
  if (journal && settings_.remember)
    recall(*journal);
}

void WorkerEvaluator::recall(const Journal &journal) {
  for (const JournalEntry &entry : journal.load(space_.journalKey(), settings_.machine)) {
    Known &known = known_[{entry.size, entry.configurationKey}];
    if (entry.outcome == "ok") {
      // An earlier configuration may have caused the failure. Wrong results are different: perhaps only some
      // inputs show them.
      if (known.rejected && known.rejected->kind != Failure::WrongResult)
        known.rejected.reset();
      if (!hasMetrics(entry))
        continue;
      const std::vector<Metrics> runs = Measurement{entry.seconds, {}, entry.joules, entry.bytes}.metrics();
      known.runs.insert(known.runs.end(), runs.begin(), runs.end());
    } else if (const auto kind = failureNamed(entry.outcome)) {
      const bool isKnown = known.rejected && known.rejected->kind == *kind;
      known.limit = isKnown ? std::max(known.limit, entry.limit) : entry.limit;
      known.rejected = Rejected{*kind, entry.reason};
    }
  }
}

bool WorkerEvaluator::hasMetrics(const JournalEntry &entry) const {
  return std::all_of(settings_.metrics.begin(), settings_.metrics.end(), [&](Metric metric) {
    return metric == Metric::Energy   ? entry.joules.size() == entry.seconds.size()
           : metric == Metric::Memory ? entry.bytes.has_value()
                                      : true;
  });
}

double WorkerEvaluator::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool WorkerEvaluator::renew() {
  worker_.restart();
  if (settings_.variesInputs && current_ >= 0) {
    const Step &step = steps_[current_];
    const long before = worker_.seed();
    worker_.setSeed(before + 1);
    // The default need not work with every input, so inputs that work are kept.
    if (!worker_.prepare(step.sizes, settings_.longest + 20 * step.defaultSeconds)) {
      worker_.setSeed(before);
      worker_.restart();
      current_ = -1;
    }
  }
  return true;
}

void WorkerEvaluator::pause(double seconds) {
  constexpr double kSlice = 0.05; // seconds between two checks for Ctrl-C
  for (const double end = elapsed() + seconds; elapsed() < end && !stopped();)
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(kSlice, end - elapsed())));
}

bool WorkerEvaluator::stopped() const { return stopRequested(); }

std::string WorkerEvaluator::sizeKey(int size) const { return nameOf(steps_[size].sizes) + settings_.inputs; }

Measurement WorkerEvaluator::measure(const Request &request) {
  std::optional<Measurement> result = request.fresh ? std::nullopt : remember(request);
  if (result)
    ++remembered_;
  else
    result = run(request);
  if (!result->seconds.empty())
    measuredSizes_.insert(request.size);
  if (bounds_ && !result->seconds.empty())
    bounds_->measured(request.configuration, request.size,
                      *std::min_element(result->seconds.begin(), result->seconds.end()));
  return *result;
}

double WorkerEvaluator::bound(const Configuration &configuration, int size) {
  return bounds_ ? bounds_->of(configuration, size).seconds : 0;
}

void WorkerEvaluator::leftOut(const Configuration &configuration, int size, double bound, double known) {
  ++leftOut_;
  if (!notes_)
    return;
  const LowerBound of = bounds_ ? bounds_->of(configuration, size) : LowerBound{};
  notes_.add({space_.journalKey(),
              settings_.machine,
              sizeKey(size),
              configuration.key(),
              toToml(space_, configuration, {settings_.threads, {}}),
              {},
              kLeftOut,
              fmt::format("was not run: it takes {:.4g} s at least, more than {:.4g} s ({})", bound, known,
                          of.derivation),
              bound});
}

double WorkerEvaluator::limitOf(Failure kind, double seconds) const {
  switch (kind) {
  case Failure::TooSlow:
    return seconds;
  case Failure::OutOfMemory:
    return worker_.options().limits.memoryBytes > 0
               ? static_cast<double>(worker_.options().limits.memoryBytes)
               : std::numeric_limits<double>::infinity();
  case Failure::Compiling:
    return worker_.options().longestCompilation;
  default:
    return 0;
  }
}

std::optional<Measurement> WorkerEvaluator::remember(const Request &request) {
  const auto found = known_.find({sizeKey(request.size), request.configuration.key()});
  if (found == known_.end())
    return {};
  Known &known = found->second;
  if (known.rejected && known.limit >= 0.9 * limitOf(known.rejected->kind, request.limit))
    return Measurement{{}, known.rejected};
  const auto trials = static_cast<std::size_t>(request.trials);
  if (known.runs.size() - known.used < trials)
    return {};
  const auto begin = known.runs.begin() + static_cast<std::ptrdiff_t>(known.used);
  known.used += trials;
  return measurementOf({begin, begin + request.trials});
}

Measurement WorkerEvaluator::run(const Request &request) {
  const Step &step = steps_[request.size];
  if (current_ != request.size) {
    current_ = -1;
    if (!worker_.isPreparedFor(step.sizes)) {
      const auto prepared = worker_.prepare(step.sizes, settings_.longest + 20 * step.defaultSeconds);
      if (prepared.failure.stopped)
        return {};
      if (!prepared)
        return {{}, Rejected{prepared.failure.kind, "the default: " + prepared.failure.reason}};
    }
    current_ = request.size;
    overhead_ = 0;
  }
  const std::string toml = toToml(space_, request.configuration, {settings_.threads, {}});
  // The time for all trials, one more run because the limit is checked between runs, and the time for filling
  // and comparing the matrices; at a size that is not known yet, an estimate.
  const double overhead = overhead_ > 0 ? 3 * overhead_ : 20 * step.defaultSeconds + 1;
  const double patience =
      std::min(request.limit * (request.trials + 1) + overhead + settings_.window * request.trials + 0.2,
               std::max(settings_.longest, request.limit));
  ++runs_;
  const auto ask = [&] {
    return worker_.measure(toml, request.trials, (request.limit + settings_.window) * request.trials,
                           patience, settings_.metrics, request.compared);
  };
  const bool wasUsed = worker_.isUsed();
  auto answer = ask();
  if (answer.failure.isOfDefault && !answer.failure.stopped) // the machine was disturbed
    answer = ask();
  if (isSuspicious(answer) && !answer.failure.stopped) {
    // An earlier configuration in this process may have damaged what this one needs, or this one what the
    // next one needs.
    worker_.restart();
    if (wasUsed)
      answer = ask();
    if (isSuspicious(answer))
      worker_.restart();
  }
  Measurement result;
  if (answer) {
    overhead_ = std::max(overhead_, answer.value->overhead);
    if (space_.goal && request.compared != Compared::Nothing &&
        !space_.goal->isMetBy(answer.value->accuracy.value_or(std::nan(""))))
      result.rejected = Rejected{
          Failure::Inexact, fmt::format("reaches the accuracy {:.4g}, the target is {:.4g}",
                                        answer.value->accuracy.value_or(std::nan("")), space_.goal->target)};
    else if (space_.goal || answer.value->agrees) // results of variable accuracy may differ
      result = {answer.value->seconds, {}, answer.value->joules, answer.value->bytes};
    else
      result.rejected = Rejected{Failure::WrongResult, answer.value->disagreement};
  } else {
    if (answer.failure.stopped)
      return result;
    result.rejected = Rejected{answer.failure.kind, answer.failure.reason};
    if (answer.failure.isOfDefault)
      return result;
  }
  note(sizeKey(request.size), request.configuration, result, request.limit);
  return result;
}

std::vector<std::optional<Misfit>> WorkerEvaluator::examine(const std::vector<Configuration> &configurations,
                                                            Depth depth, double deadline) {
  if (!examination_)
    return Evaluator::examine(configurations, depth, deadline);
  auto misfits = examination_->examine(configurations, depth, [&] { return deadline - elapsed(); });
  for (std::size_t i = 0; i < misfits.size(); ++i)
    if (misfits[i])
      note(misfits[i]->size + settings_.inputs, configurations[i], {{}, misfits[i]->rejected}, 0);
  return misfits;
}

std::optional<Rejected> WorkerEvaluator::confirm(const Configuration &configuration, int size,
                                                 double byDefault, double seconds) {
  if (!outside_)
    return {};
  const TomlOptions wishes{settings_.threads, {}};
  const auto rejected = outside_->look(
      toToml(space_, configuration, wishes), toToml(space_, Configuration::defaults(space_), wishes),
      steps_[static_cast<std::size_t>(size)].sizes, {byDefault, seconds}, outsideUntil_);
  if (rejected)
    note(sizeKey(size), configuration, {{}, rejected}, 0);
  return rejected;
}

void WorkerEvaluator::note(const std::string &size, const Configuration &configuration,
                           const Measurement &result, double limit) {
  if (!notes_)
    return;
  JournalEntry entry{space_.journalKey(),
                     settings_.machine,
                     size,
                     configuration.key(),
                     toToml(space_, configuration, {settings_.threads, {}}),
                     result.seconds};
  if (result.rejected) {
    entry.outcome = nameOf(result.rejected->kind);
    entry.reason = result.rejected->reason;
    limit = limitOf(result.rejected->kind, limit);
  }
  entry.limit = limit;
  entry.joules = result.joules;
  entry.bytes = result.bytes;
  notes_.add(entry);
}

} // namespace pbc::tuner
