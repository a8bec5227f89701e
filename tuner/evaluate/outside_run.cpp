// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/evaluate/outside_run.h"

#include "tuner/evaluate/interrupt.h"
#include "tuner/evaluate/steps.h"
#include "tuner/temporary_folder.h"
#include "tuner/write_file.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace pbc::tuner {
namespace {

namespace fs = std::filesystem;

constexpr double kPart = 0.25;    // part of a claimed gain that must be visible
constexpr double kAbout = 2;      // times the reported seconds, which are still about as long
constexpr double kVisible = 0.02; // seconds of a gain that whole processes show
constexpr double kShare = 0.3;    // the same as a part of the default's whole process
constexpr double kStopped = 0.7;  // seconds that the check may still take when the user wants to end

bool areSame(const std::string &one, const std::string &other) {
  std::ifstream a(one, std::ios::binary), b(other, std::ios::binary);
  std::string left(1 << 16, '\0'), right(1 << 16, '\0');
  while (a && b) {
    a.read(left.data(), static_cast<std::streamsize>(left.size()));
    b.read(right.data(), static_cast<std::streamsize>(right.size()));
    if (a.gcount() != b.gcount() || left.compare(0, static_cast<std::size_t>(a.gcount()), right, 0,
                                                 static_cast<std::size_t>(b.gcount())) != 0)
      return false;
    if (a.gcount() == 0)
      return true;
  }
  return a.eof() && b.eof();
}

} // namespace

bool areContradicted(const Claim &claim, double byDefault, double own) {
  const bool hasGain = byDefault - own > kPart * (claim.byDefault - claim.claimed);
  return !hasGain && own > kAbout * claim.claimed;
}

OutsideRun::OutsideRun(std::string program, WorkerOptions options, const ProgramSpace &space)
    : program_(std::move(program)), options_(std::move(options)), space_(space) {}

std::vector<std::string> OutsideRun::outputFiles(const std::string &prefix) const {
  std::vector<std::string> files;
  for (const Matrix &matrix : space_.matrices)
    if (matrix.role != "input")
      files.push_back(fmt::format("{}{}.npy", prefix, files.size()));
  return files;
}

bool OutsideRun::hasRoom(const std::string &folder, const Sizes &sizes) const {
  constexpr double kBytes = 2 * 2 * 8; // two results of eight-byte numbers, and as much in reserve
  std::error_code problem;
  const fs::space_info space = fs::space(folder, problem);
  return !problem && kBytes * estimatedElements(space_, sizes) < static_cast<double>(space.available);
}

OutsideRun::Ran OutsideRun::run(const std::string &configuration, const Sizes &sizes,
                                const std::string &outputs, long trials, double until) {
  std::vector<std::string> command{program_, "--config=" + configuration, "--nowarnings",
                                   fmt::format("--seed={}", options_.seed)};
  if (options_.threads > 0)
    command.push_back(fmt::format("--threads={}", options_.threads));
  if (!options_.transform.empty())
    command.push_back("--transform=" + options_.transform);
  if (trials > 0)
    command.insert(command.end(), {"--time", fmt::format("--trials={}", trials)});
  if (options_.inputs.empty()) {
    for (const auto &[name, value] : sizes)
      command.push_back(fmt::format("--size={}={}", name, value));
  } else {
    for (const std::string &param : space_.params)
      if (const auto at = sizes.find(param); at != sizes.end())
        command.push_back(std::to_string(at->second));
    command.insert(command.end(), options_.inputs.begin(), options_.inputs.end());
  }
  if (!outputs.empty())
    for (std::string &file : outputFiles(outputs))
      command.push_back(std::move(file));

  Ran ran;
  const double begin = steadySeconds();
  ChildProcess child(command, options_.limits);
  std::string line;
  for (;;) {
    constexpr double kSlice = 0.1;
    if (stopSignal() != 0 && stopBy_ == 0) // the result is still checked if that takes little time
      stopBy_ = steadySeconds() + kStopped;
    const double left = (stopBy_ > 0 ? std::min(until, stopBy_) : until) - steadySeconds();
    const auto read = child.readLine(std::min(left, kSlice), &line);
    if (read == ChildProcess::Read::Line || (read == ChildProcess::Read::Timeout && left > 0))
      continue;
    if (read == ChildProcess::Read::TooLarge)
      ran.rejected = Rejected{Failure::OutOfMemory, "run by itself, wants more than its share of the memory"};
    if (read != ChildProcess::Read::Ended)
      return ran;
    break;
  }
  child.waitForEnd(1);
  ran.seconds = steadySeconds() - begin;
  ran.isDone = !child.endedBySignal() && child.exitStatus() == 0;
  if (!ran.isDone)
    ran.rejected = Rejected{child.endedBySignal() ? Failure::Crash : Failure::Exit,
                            asOneLine("run by itself, " + child.describeEnd())};
  return ran;
}

std::optional<Rejected> OutsideRun::compare(const std::string &folder, const std::string &defaults,
                                            const Sizes &sizes, double until) {
  const std::vector<std::string> expected = outputFiles(folder + "/default"),
                                 found = outputFiles(folder + "/tuned");
  bool isSame = true;
  for (std::size_t i = 0; i < expected.size(); ++i)
    isSame = isSame && areSame(expected[i], found[i]);
  if (isSame)
    return {};
  // The bytes differ. A process that has run nothing but the default compares the results up to rounding.
  WorkerOptions options = options_;
  options.keep.clear();
  options.reference = folder + "/tuned";
  Worker worker(program_, options);
  worker.setBase(defaults);
  if (!worker.prepare(sizes, until - steadySeconds())) {
    remark_ = "its results, run by itself, could not be compared";
    return {};
  }
  const double left = until - steadySeconds();
  const auto answer = worker.measure(defaults, 1, left, left);
  if (!answer)
    remark_ = "its results, run by itself, could not be compared";
  else if (!answer.value->agrees)
    return Rejected{Failure::WrongResult, "run by itself, gives a different result from the default"};
  return {};
}

std::optional<Rejected> OutsideRun::look(const std::string &toml, const std::string &defaults,
                                         const Sizes &sizes, const Claim &claim, double until) {
  remark_.clear();
  if (!options_.version.empty() && versionOf(program_) != options_.version) {
    remark_ = "the program is another one by now";
    return {};
  }
  const StopHeard toTheEnd;
  const TemporaryFolder folder;
  if (!hasRoom(folder.path(), sizes)) {
    remark_ = "there is no room for its results in " + folder.path();
    return {};
  }
  const std::string tuned = folder.path() + "/tuned.cfg", plain = folder.path() + "/default.cfg";
  writeAtomically(tuned, toml);
  writeAtomically(plain, defaults);
  const Ran first = run(plain, sizes, folder.path() + "/default", 0, until);
  if (!first.isDone) {
    remark_ = first.rejected ? "the default, " + first.rejected->reason : "there was no time for it";
    return {};
  }
  constexpr double kHangs = 10, kAtLeast = 2; // times the default's time, and seconds
  const double patience = steadySeconds() + std::max(kHangs * first.seconds, kAtLeast);
  const Ran own = run(tuned, sizes, folder.path() + "/tuned", 0, std::min(until, patience));
  if (own.rejected)
    return own.rejected;
  if (!own.isDone && steadySeconds() >= patience)
    return Rejected{Failure::TooSlow,
                    fmt::format("run by itself, was stopped after {:.2g} s; the default took {:.2g} s",
                                std::max(kHangs * first.seconds, kAtLeast), first.seconds)};
  if (!own.isDone) {
    remark_ = "there was no time for it";
    return {};
  }
  if (!space_.goal) // results of variable accuracy may differ
    if (auto rejected = compare(folder.path(), defaults, sizes, until))
      return rejected;
  const double gain = claim.byDefault - claim.claimed;
  const bool isVisibleAtOnce = gain >= std::max(kVisible, kShare * first.seconds);
  if (isVisibleAtOnce && first.seconds - own.seconds > kPart * gain)
    return {};
  // Starting may take longer than the gain, so the times of further runs are compared: of as many as make the gain
  // visible.
  constexpr double kRunFor = 0.3; // seconds
  const long more = std::clamp(static_cast<long>(kRunFor / std::max(claim.byDefault, 1e-6)), 1L, 100L);
  constexpr double kSure = 5; // times what one process shows, so that noise refutes no true gain
  if (gain * static_cast<double>(more) < kSure * kVisible || gain < kShare * claim.byDefault)
    return {};
  double further[2] = {};
  for (const bool isOwn : {false, true}) {
    const Ran once = run(isOwn ? tuned : plain, sizes, "", 1, until),
              often = run(isOwn ? tuned : plain, sizes, "", 1 + more, until);
    if (!once.isDone || !often.isDone) {
      if (!isVisibleAtOnce) {
        remark_ = "there was no time to compare many runs by themselves";
        return {};
      }
      // The comparison of whole processes stands.
      return Rejected{
          Failure::Error,
          fmt::format("run by itself, the program takes {:.3g} s with it, and {:.3g} s with the default; it "
                      "has reported {:.3g} s less",
                      own.seconds, first.seconds, gain)};
    }
    further[isOwn] = (often.seconds - once.seconds) / static_cast<double>(more);
  }
  if (!areContradicted(claim, further[0], further[1]))
    return {};
  return Rejected{Failure::Error,
                  fmt::format("run by itself, a run of it takes {:.3g} s, and one of the default {:.3g} s; "
                              "it has reported {:.3g} s",
                              further[1], further[0], claim.claimed)};
}

} // namespace pbc::tuner
