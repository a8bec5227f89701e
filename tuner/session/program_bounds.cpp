// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/session/program_bounds.h"

#include "tuner/evaluate/child_process.h"
#include "tuner/report/words.h"
#include "tuner/session/machine_file.h"
#include "tuner/temporary_folder.h"

#include <fmt/format.h>

namespace pbc::tuner {
namespace {

constexpr double kPatience = 120; // seconds for the compiler

std::vector<std::string> commandFor(const TuneOptions &options, const std::string &machine,
                                    const Sizes &sizes, int threads, bool isLargest) {
  std::vector<std::string> command{compilerPath(),         "explain",
                                   options.bounds,         "--json",
                                   "--machine=" + machine, fmt::format("--threads={}", threads)};
  for (const auto &[name, value] : sizes)
    command.push_back(fmt::format("--size={}={}", name, value));
  if (options.why && isLargest)
    command.emplace_back("--why");
  if (options.guide && isLargest)
    command.emplace_back("--times");
  command.insert(command.end(), options.words.begin(), options.words.end());
  return command;
}

int mostThreads(const ProgramSpace &space) {
  int most = 1;
  for (const Tunable &tunable : space.tunables)
    if (tunable.isThreads())
      most = static_cast<int>(tunable.isOpen() ? tunable.maximum : tunable.initial);
  return most;
}

void requireSource(const TuneOptions &options, const ProgramSpace &space,
                   const std::map<std::string, std::string> &hashes) {
  for (const auto &[name, hash] : space.transforms)
    if (const auto found = hashes.find(name); found == hashes.end() || found->second != hash)
      throw TunerError(fmt::format(
          "--bounds={}: this is not the source of {}: its transform {} is {}\n"
          "  help: compile it again; options of the compiler, as -DN=4, follow after `--`",
          options.bounds, options.program, name, found == hashes.end() ? "missing" : "another one"));
}

/// What the compiler says of a step. Where it refuses the sizes because the source is another program's, this is what is said.
std::string boundsAt(const Step &step, const TuneOptions &options, const std::string &machine,
                     const ProgramSpace &space, bool isLargest) {
  const int threads = mostThreads(space);
  try {
    return outputOf(commandFor(options, machine, step.sizes, threads, isLargest), kPatience);
  } catch (const TunerError &) {
    std::vector<std::string> withoutSizes = commandFor(options, machine, {}, threads, false);
    withoutSizes.emplace_back("--n=16");
    std::map<std::string, std::string> hashes;
    parseBounds(outputOf(withoutSizes, kPatience), space.main, &hashes);
    requireSource(options, space, hashes);
    throw;
  }
}

} // namespace

std::unique_ptr<LowerBounds> programBounds(const SessionContext &context, PreparedBin &bin) {
  const TuneOptions &options = context.options;
  if (options.bounds.empty())
    return nullptr;
  const ProgramSpace &space = bin.focus.space;
  const TemporaryFolder folder;
  const std::string machine = machineFileOf(options.machine, folder.path(),
                                            [&](const std::string &line) { context.progress.note(line); });
  std::vector<LowerBounds::Size> sizes;
  for (const Step &step : bin.steps) {
    std::map<std::string, std::string> hashes;
    TransformBounds bounds =
        parseBounds(boundsAt(step, options, machine, space, &step == &bin.steps.back()), space.main, &hashes);
    requireSource(options, space, hashes);
    bin.journal.add(
        JournalBounds{space.journalKey(), machineName(), nameOf(step.sizes), toJson(bounds, space.main)});
    sizes.push_back({nameOf(step.sizes), step.n, std::move(bounds)});
  }
  return std::make_unique<LowerBounds>(space, std::move(sizes));
}

} // namespace pbc::tuner
