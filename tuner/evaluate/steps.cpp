// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/evaluate/steps.h"

#include "tuner/evaluate/child_process.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace pbc::tuner {
namespace {

constexpr long kFirst = 64;

bool isParam(const std::vector<std::string> &params, const std::string &name) {
  return std::find(params.begin(), params.end(), name) != params.end();
}

/// Multiplies the variables that grow; false if there is none.
bool scale(Sizes &sizes, const ProgramSpace &space, const Sizes &fixed, double factor) {
  bool changed = false;
  for (auto &[name, value] : sizes)
    if (value >= kGrowing && !space.isParam(name) && !fixed.contains(name)) {
      const long scaled = std::max(static_cast<long>(static_cast<double>(value) * factor), kGrowing);
      changed |= scaled != value;
      value = scaled;
    }
  return changed;
}

/// An answer of the program is a sentence of its own; a description of its end is not.
std::string inWords(const WorkerFailure &failure) {
  return (failure.kind == Failure::Error ? "" : "it ") + failure.reason;
}

[[noreturn]] void defaultFails(const Sizes &sizes, const WorkerFailure &failure) {
  if (failure.stopped)
    throw TunerError("stopped");
  throw TunerError(fmt::format("the program does not run with its default configuration at {}: {}\n"
                               "  help: tuning compares with the default, so that must work first; try the "
                               "program by itself, or another\n"
                               "        size with --n=N or --size NAME=VALUE",
                               nameOf(sizes), inWords(failure)));
}

constexpr int kMostHalvings = 40;

/// Variables of 16 and more stay at least that large; others keep their values.
Sizes halved(const Sizes &full, const std::vector<std::string> &params, int times) {
  Sizes sizes;
  for (const auto &[name, value] : full) {
    const long divisor = 1L << times;
    const long scaled = std::max((value + divisor - 1) / divisor, std::min(value, kGrowing));
    sizes[name] = isParam(params, name) ? value : scaled;
  }
  return sizes;
}

long largest(const Sizes &sizes, const std::vector<std::string> &params) {
  long most = 0;
  for (const auto &[name, value] : sizes)
    if (!isParam(params, name))
      most = std::max(most, value);
  return most;
}

} // namespace

std::string existingProgram(const std::string &name) {
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored))
    throw TunerError(fmt::format("{}: there is no such program\n  help: compile it first: pbc {}.pbcc -o {}",
                                 name, std::filesystem::path(name).filename().string(), name));
  if (std::filesystem::is_directory(name, ignored) || access(name.c_str(), X_OK) != 0)
    throw TunerError(fmt::format("{}: is not a program (it cannot be executed)\n"
                                 "  help: name the file that pbc wrote with -o, not its source",
                                 name));
  return std::filesystem::absolute(name).string();
}

std::vector<Sizes> growingSizes(const Sizes &full, const std::vector<std::string> &params) {
  std::vector<Sizes> result{full};
  for (int halvings = 1; halvings < kMostHalvings; ++halvings) {
    const Sizes sizes = halved(full, params, halvings);
    if (largest(sizes, params) < kFirst || sizes == result.back())
      break;
    result.push_back(sizes);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

std::vector<Sizes> shrinkingSizes(const Sizes &first, const std::vector<std::string> &params) {
  std::vector<Sizes> result;
  for (int halvings = 1; halvings < kMostHalvings; ++halvings) {
    const Sizes sizes = halved(first, params, halvings);
    if (sizes == (result.empty() ? first : result.back()))
      break;
    result.push_back(sizes);
  }
  return result;
}

Sizes oddBelow(const Sizes &sizes, const std::vector<std::string> &params) {
  Sizes result = sizes;
  for (auto &[name, value] : result)
    if (value >= kGrowing && !isParam(params, name))
      value -= value % 2 == 0 ? 1 : 2;
  return result;
}

PreparedSteps prepareSteps(Worker &worker, const std::vector<Sizes> &sizes, double patience,
                           const std::function<void(const std::string &)> &note) {
  constexpr double kNoise = 20e-6;
  PreparedSteps prepared;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool full = i + 1 == sizes.size();
    const auto answer = worker.prepare(sizes[i], patience);
    if (!answer) {
      // Then larger sizes are too slow as well.
      const bool isTooSlow = answer.failure.kind == Failure::TooSlow;
      if (full || answer.failure.stopped || isTooSlow)
        defaultFails(sizes[i], answer.failure);
      note(fmt::format("{}: left out, the default {}", nameOf(sizes[i]), answer.failure.reason));
      continue;
    }
    auto &kind = answer.value->seconds >= kNoise || full ? prepared.steps : prepared.tooQuick;
    kind.push_back({sizes[i], answer.value->n, answer.value->seconds});
  }
  return prepared;
}

double estimatedElements(const ProgramSpace &space, const Sizes &sizes) {
  double sum = 0;
  for (const Matrix &matrix : space.matrices) {
    double product = 1, dimension = 1;
    std::string word;
    for (char c : matrix.extents + ",") {
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
        word += c;
        continue;
      }
      const auto found = sizes.find(word);
      if (found != sizes.end())
        dimension = std::max(dimension, static_cast<double>(found->second));
      word.clear();
      if (c != ',')
        continue;
      product *= dimension;
      dimension = 1;
    }
    sum += product;
  }
  return sum;
}

Sizes calibrate(Worker &worker, const ProgramSpace &space, Sizes sizes, const Sizes &fixed, double patience,
                double longest) {
  // The start-up of a program alone may suggest a size that is far too large for work that grows with n^4.
  for (auto &[name, value] : sizes)
    if (!isParam(space.params, name) && !fixed.contains(name))
      value = std::min(value, kFirst);
  constexpr double kShort = 0.05, kMostElements = 1 << 24;
  longest = std::max(longest, 2 * kShort);
  double seconds = 0;
  for (bool growing = true; growing;) {
    const auto prepared = worker.prepare(sizes, patience);
    if (!prepared)
      defaultFails(sizes, prepared.failure);
    seconds = prepared.value->seconds;
    Sizes larger = sizes;
    growing = seconds < kShort && scale(larger, space, fixed, 2) &&
              estimatedElements(space, larger) <= kMostElements;
    if (growing)
      sizes = larger;
  }
  while (seconds > longest && scale(sizes, space, fixed, 0.5)) {
    const auto prepared = worker.prepare(sizes, patience);
    if (!prepared)
      defaultFails(sizes, prepared.failure);
    seconds = prepared.value->seconds;
  }
  return sizes;
}

Sizes fullSizes(Worker &worker, const ProgramSpace &space, const SizeWishes &wishes, double patience) {
  auto answer = worker.sizes(patience);
  if (!answer && answer.failure.stopped)
    throw TunerError("stopped");
  if (!answer)
    throw TunerError("the program cannot say its sizes: " + inWords(answer.failure));
  Sizes sizes = *answer.value;
  for (const auto &[name, value] : wishes.sizes) {
    if (!sizes.contains(name)) {
      std::vector<std::string> known;
      for (const auto &[other, unused] : sizes)
        known.push_back(other);
      throw TunerError(fmt::format("--size {}={}: {} has no size variable '{}'\n  help: it has {}", name,
                                   value, space.main, name, fmt::join(known, ", ")));
    }
  }
  if (wishes.n > 0)
    for (auto &[name, value] : sizes) {
      if (value >= kGrowing && !space.isParam(name))
        value = wishes.n;
    }
  for (const auto &[name, value] : wishes.sizes)
    sizes[name] = value;
  if (wishes.n == 0 && !wishes.fromFiles)
    return calibrate(worker, space, sizes, wishes.sizes, patience, wishes.longest);
  return sizes;
}

ProgramSpace describeProgram(const std::string &program, const std::string &name, const std::string &main,
                             int threads) {
  try {
    ProgramSpace space = parseProgramSpace(outputOf({program, "--info"}, 20), main);
    if (threads > 0)
      fixThreads(space, threads);
    return space;
  } catch (const TunerError &problem) {
    throw TunerError(fmt::format("{}: is not a program made by pbc, or is broken: {}", name, problem.what()));
  }
}

} // namespace pbc::tuner
