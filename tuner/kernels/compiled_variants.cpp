// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/kernels/compiled_variants.h"

#include "tuner/evaluate/child_process.h"
#include "tuner/evaluate/interrupt.h"
#include "tuner/space/program_space.h"
#include "tuner/write_file.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::tuner {

CompiledVariants::CompiledVariants(CompiledVariantsSettings settings) : settings_(std::move(settings)) {}

double CompiledVariants::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

double CompiledVariants::patience() const {
  constexpr double kForFirst = 300, kAlways = 10, kTimes = 5;
  if (settings_.longestCompilation > 0)
    return settings_.longestCompilation;
  return firstCompilation_ > 0 ? kAlways + kTimes * firstCompilation_ : kForFirst;
}

bool CompiledVariants::stopped() const { return stopRequested(); }

void CompiledVariants::setRuns(RunSettings settings, Journal *journal) {
  runSettings_ = std::move(settings);
  notes_ = Notes(journal);
}

std::string CompiledVariants::fileFor(const KernelSettings &kernels, const std::string &name) const {
  std::string file = settings_.folder + "/" + name + ".toml";
  writeAtomically(file, toToml(kernels));
  return file;
}

std::vector<KernelOption> CompiledVariants::options(const KernelSettings &kernels) {
  constexpr double kLeast = 20; // seconds: no variant is compiled here
  try {
    std::vector<std::string> command{settings_.compiler, "explain",
                                     "--kernels",        "--this-machine",
                                     "--json",           "--config=" + fileFor(kernels, "options")};
    command.insert(command.end(), settings_.arguments.begin(), settings_.arguments.end());
    options_ = parseKernelOptions(outputOf(command, std::max(patience(), kLeast)));
  } catch (const TunerError &) {
    if (!stopRequested() && options_.empty())
      throw;
  }
  return options_;
}

void CompiledVariants::build(const std::vector<KernelSettings> &wanted) {
  for (auto &[kernels, variant] : variants_)
    if (std::find(wanted.begin(), wanted.end(), kernels) == wanted.end())
      variant.worker.reset();
  struct Compilation {
    Variant *variant;
    std::unique_ptr<ChildProcess> process;
    double begin;
  };
  std::deque<Compilation> running;
  const auto finishFirst = [&] {
    Compilation first = std::move(running.front());
    running.pop_front();
    std::string line;
    ChildProcess::Read read;
    do
      read = first.process->readLine(first.begin + patience() - steadySeconds(), &line);
    while (read == ChildProcess::Read::Line);
    if (read == ChildProcess::Read::Ended)
      first.process->waitForEnd(5);
    const bool isMade = read == ChildProcess::Read::Ended && !first.process->endedBySignal() &&
                        first.process->exitStatus() == 0;
    first.variant->rejected.reset();
    if (isMade)
      firstCompilation_ = firstCompilation_ > 0 ? firstCompilation_ : steadySeconds() - first.begin;
    else if (stopRequested())
      first.variant->rejected = Rejected{Failure::Error, "was not compiled"};
    else if (read == ChildProcess::Read::Timeout)
      first.variant->rejected =
          Rejected{Failure::Compiling, fmt::format("is not compiled within {:.3g} s", patience())};
    else if (read == ChildProcess::Read::TooLarge || first.process->endedForMemory())
      first.variant->rejected =
          Rejected{Failure::OutOfMemory, "takes more than its share of the memory to compile"};
    else
      first.variant->rejected = Rejected{Failure::Error, "does not compile: " + first.process->errors()};
  };
  for (const KernelSettings &kernels : wanted) {
    if (variants_.contains(kernels) || stopRequested())
      continue;
    while (running.size() >= static_cast<std::size_t>(settings_.jobs))
      finishFirst();
    const std::string name = fmt::format("variant{}", variants_.size());
    Variant &variant = variants_[kernels];
    variant.program = settings_.folder + "/" + name;
    std::vector<std::string> command{settings_.compiler, "-o", variant.program, "-j", "1"};
    try {
      if (!kernels.empty())
        command.push_back("--config=" + fileFor(kernels, name));
      command.insert(command.end(), settings_.arguments.begin(), settings_.arguments.end());
      running.push_back(
          {&variant, std::make_unique<ChildProcess>(command, settings_.limits), steadySeconds()});
      ++compiled_;
    } catch (const TunerError &problem) { // a full disk must not lose what was found so far
      variant.rejected = Rejected{Failure::Error, fmt::format("is not compiled: {}", problem.what())};
    }
  }
  while (!running.empty())
    finishFirst();
}

void CompiledVariants::renew() {
  for (auto &[kernels, variant] : variants_)
    variant.worker.reset();
}

std::string CompiledVariants::program(const KernelSettings &kernels) {
  build({kernels});
  const auto at = variants_.find(kernels);
  return at == variants_.end() || at->second.rejected ? "" : at->second.program;
}

std::string CompiledVariants::why(const KernelSettings &kernels) {
  const auto at = variants_.find(kernels);
  return at == variants_.end() || !at->second.rejected ? "" : at->second.rejected->reason;
}

Measurement CompiledVariants::measure(const KernelSettings &kernels, int trials) {
  if (!variants_.contains(kernels))
    build({kernels});
  const auto at = variants_.find(kernels);
  if (at == variants_.end())
    return {}; // stopped
  if (at->second.rejected)
    return {{}, at->second.rejected};
  const Measurement result = run(at->second, trials);
  at->second.rejected = result.rejected;
  if (notes_ && (result.rejected || !result.seconds.empty())) {
    JournalEntry entry{runSettings_.hash,
                       runSettings_.machine,
                       nameOf(runSettings_.sizes) + " kernels",
                       fmt::format("{}", fmt::join(inWords(kernels), "; ")),
                       toToml(kernels),
                       result.seconds};
    if (result.rejected) {
      entry.outcome = nameOf(result.rejected->kind);
      entry.reason = result.rejected->reason;
    }
    notes_.add(entry);
  }
  return result;
}

Measurement CompiledVariants::run(Variant &variant, int trials) {
  // A variant that is several times as slow is useless, and the time is better spent on others.
  constexpr double kAnyway = 5, kTimes = 6;
  const double patience = kAnyway + kTimes * runSettings_.seconds * (trials + 1);
  const auto failed = [&](const WorkerFailure &failure) -> Measurement {
    if (failure.stopped)
      return {};
    return {{}, Rejected{failure.kind, failure.reason}};
  };
  if (!variant.worker) {
    variant.worker = std::make_unique<Worker>(variant.program, runSettings_.worker);
    variant.worker->setBase(runSettings_.configuration);
    if (const auto prepared = variant.worker->prepare(runSettings_.sizes, patience); !prepared)
      return failed(prepared.failure);
  }
  ++runs_;
  const auto answer = variant.worker->measure(runSettings_.configuration, trials, patience, patience);
  if (!answer)
    return failed(answer.failure);
  if (!answer.value->agrees)
    return {{}, Rejected{Failure::WrongResult, answer.value->disagreement}};
  return {answer.value->seconds, {}};
}

} // namespace pbc::tuner
