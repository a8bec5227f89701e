// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/closest.h"
#include "runtime/base/median.h"
#include "runtime/matrix/writing.h"
#include "runtime/program/accuracy.h"
#include "runtime/program/check.h"
#include "runtime/program/command.h"
#include <algorithm>
#include <climits>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <sys/time.h>
#include <unistd.h>

namespace pb::program {
namespace {

using Strings = std::vector<std::string>;

std::string several(size_t n, const char *what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

/// The files on the command line, by their role.
struct Arguments {
  std::vector<long> params;
  Strings inputs, outputs;
};

/// PREFIX_in0.dat, PREFIX_in1.dat, ...
Strings namesOf(const std::string &prefix, const char *kind, size_t count) {
  Strings names;
  for (size_t k = 0; k < count; ++k)
    names.push_back(prefix + "_" + kind + std::to_string(k) + ".dat");
  return names;
}

/// Whether there are no input files: --n is given, or --size for a size that files would determine.
bool randomInputs(const Transform &t, const Options &o) {
  const bool tellsOpen = std::all_of(o.sizes.begin(), o.sizes.end(),
                                     [&](const auto &size) { return isOpenSize(t, size.first); });
  const bool hasFiles = inputCount(t) + t.paramCount > 0 && !o.positional.empty();
  return o.runFiles.empty() && (o.n || (!o.sizes.empty() && (!tellsOpen || !hasFiles)));
}

Arguments divide(const Transform &t, const Options &o) {
  const auto params = static_cast<size_t>(t.paramCount), inputs = static_cast<size_t>(inputCount(t)),
             all = params + static_cast<size_t>(t.matrixCount);
  Strings positional = o.positional;
  if (!o.runFiles.empty()) {
    const Strings files = namesOf(o.runFiles, "in", inputs);
    positional.insert(positional.begin() + static_cast<long>(std::min(params, positional.size())),
                      files.begin(), files.end());
  }
  const size_t found = positional.size();
  const size_t outputs = all - params - inputs;
  Arguments a;
  const bool isRandom = randomInputs(t, o);
  if (!o.createFiles.empty() && !isRandom)
    throw UsageError("--iogen-create needs a size: add --n=N", usage(t));
  if (isRandom) {
    if (found > outputs)
      throw UsageError("with --n or --size expected no files or " + several(outputs, "output") + ", found " +
                           several(found, "argument"),
                       usage(t));
    a.outputs = positional;
    return a;
  }
  // The last outputs need no files. A run that only measures or checks needs none at all.
  const bool outputsAreOptional = o.check || o.time || o.accuracy || o.hash || o.show || !o.runFiles.empty();
  const size_t least = params + inputs + (outputsAreOptional || !outputs ? 0 : 1);
  if (found > all || found < least)
    throw UsageError("expected " + several(all, "argument") + " (" + several(params, "number") + ", " +
                         several(inputs, "input") + ", " + several(outputs, "output") + "), found " +
                         std::to_string(found),
                     usage(t));
  const auto at = positional.begin();
  for (size_t i = 0; i < params; ++i)
    a.params.push_back(parseInteger(at[static_cast<long>(i)], std::string("the parameter ") + t.paramNames[i],
                                    INT_MIN, INT_MAX));
  a.inputs = {at + static_cast<long>(params), at + static_cast<long>(params + inputs)};
  a.outputs = {at + static_cast<long>(params + inputs), positional.end()};
  return a;
}

/// The values of all size variables that --n and --size ask for.
std::vector<long> askedSizes(const Transform &t, const Options &o) {
  const Strings known(t.sizeNames, t.sizeNames + t.sizeCount);
  for (const auto &[name, value] : o.sizes)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw base::UserError(std::string(t.name) + " has no size variable '" + name + "'" +
                            base::didYouMean(name, known) +
                            (known.empty() ? "" : "; known: " + base::listed(known)));
  std::vector<long> sizes;
  Strings missing;
  for (const std::string &name : known) {
    const auto at = o.sizes.find(name);
    if (at == o.sizes.end() && !o.n)
      missing.push_back(name);
    sizes.push_back(at != o.sizes.end() ? at->second : o.n.value_or(0));
  }
  if (!missing.empty())
    throw base::UserError("no value for the size " + base::listed(missing) + ": add --size " + missing[0] +
                          "=N, or --n=N for all that are not named");
  return sizes;
}

/// The sizes from the command line: the params, and with --size the sizes that no input determines.
std::vector<long> givenSizes(const Transform &t, const Options &o, std::vector<long> params) {
  params.resize(static_cast<size_t>(t.sizeCount), -1);
  for (int i = t.paramCount; i < t.sizeCount; ++i)
    if (const auto at = o.sizes.find(t.sizeNames[i]); at != o.sizes.end())
      params[static_cast<size_t>(i)] = at->second;
  return params;
}

/// Warns about outputs that are written to no file, because this may be a mistake.
void sayWhatIsNotWritten(const Transform &t, size_t named) {
  const size_t first = static_cast<size_t>(inputCount(t)) + named;
  Strings names;
  for (size_t m = first; m < static_cast<size_t>(t.matrixCount); ++m)
    names.push_back(t.matrices[m].name);
  if (!names.empty())
    std::fprintf(stderr, "%s: no file is named for %s: not written\n", base::programName(),
                 base::listed(names).c_str());
}

std::vector<matrix::OutputFile> openOutputs(const Instance &instance, const Strings &names) {
  const Transform &t = *instance.transform;
  std::vector<matrix::OutputFile> files;
  for (size_t i = 0; i < names.size(); ++i) {
    const size_t m = static_cast<size_t>(inputCount(t)) + i;
    files.emplace_back(names[i], instance.matrices[m].extents(), t.matrices[m].extents);
    for (size_t k = 0; k < i; ++k)
      if (!files[i].target().empty() && files[i].target() == files[k].target() &&
          files[i].target().rfind("/dev/", 0))
        throw base::UserError(names[i] + ": two outputs cannot go to the same file");
  }
  return files;
}

/// Writes the matrices [from, ...) to PREFIX_KIND0.dat, ...
void writeAll(const Instance &instance, size_t from, size_t count, const std::string &prefix,
              const char *kind, base::PendingFiles &files) {
  const Strings names = namesOf(prefix, kind, count);
  for (size_t k = 0; k < count; ++k) {
    const Matrix &m = instance.matrices[from + k];
    matrix::OutputFile(names[k], m.extents(), instance.transform->matrices[from + k].extents).write(m, files);
  }
}

/// FNV-1a over extents and bytes of the outputs.
std::uint64_t hashOf(const std::vector<Matrix> &matrices) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](const void *data, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i)
      hash = (hash ^ static_cast<const unsigned char *>(data)[i]) * 0x100000001b3u;
  };
  for (const Matrix &m : matrices) {
    add(m.extents().data(), m.extents().size() * sizeof(int));
    add(m.data(), static_cast<size_t>(m.bytes()));
  }
  return hash;
}

/// Ends the whole process when the time is over, because a rule cannot be interrupted. 0: there is no limit
/// (any more).
void limitTime(double seconds) {
  static char text[120];
  static int length = 0;
  length = std::snprintf(text, sizeof text, "%s: error: the run did not end within %.3g s (--max-sec)\n",
                         base::programName(), seconds);
  std::signal(SIGALRM, [](int) {
    (void)!::write(2, text, static_cast<size_t>(length));
    base::removePendingFiles(); // files that a rule is just writing
    _exit(1);
  });
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>(std::ceil((seconds - std::floor(seconds)) * 999'999));
  setitimer(ITIMER_REAL, &timer, nullptr);
}

} // namespace

double medianTime(Runner &runner, const Instance &instance, UnseenInputs unseen, long trials) {
  std::vector<double> samples;
  const auto isNextTheLast = [&](double total) {
    if (trials)
      return samples.size() + 1 >= static_cast<size_t>(trials);
    return samples.size() >= 2 && (total >= 0.5 || samples.size() >= 999);
  };
  for (double total = 0; !isNextTheLast(total); total += samples.back()) {
    unseen.change();
    samples.push_back(runner.run(instance));
  }
  unseen.restore();
  samples.push_back(runner.run(instance));
  return base::medianOf(std::move(samples));
}

int runCommand(const Program &program, const Transform &t, const Options &o, int threads) {
  const Arguments arguments = divide(t, o);
  const Instance instance =
      randomInputs(t, o)
          ? randomInstance(program, t, askedSizes(t, o), o.seed, t.generator, threads)
          : instanceFor(t, loadInputs(t, arguments.inputs), givenSizes(t, o, arguments.params));
  if (o.check)
    return check(program, instance, {threads, o.limit, o.seed}) ? 1 : 0;

  if (!arguments.outputs.empty() && !(o.show || o.time || o.accuracy || o.hash))
    sayWhatIsNotWritten(t, arguments.outputs.size());
  const std::vector<matrix::OutputFile> files = openOutputs(instance, arguments.outputs);
  if (o.accuracy && !t.metric)
    throw base::UserError(std::string("--accuracy: ") + t.name + " has no accuracy_metric");
  double seconds = 0;
  Accuracy accuracy;
  {
    Runner runner(threads, &program);
    limitTime(o.seconds);
    const Origin origin = randomInputs(t, o) && !t.generator ? Origin::Random : Origin::FilesOrGenerator;
    seconds = o.time ? medianTime(runner, instance, UnseenInputs(instance, o.seed, origin), o.trials)
                     : runner.run(instance);
    limitTime(0);
    if (o.accuracy)
      accuracy = accuracyOf(program, instance, runner);
  }
  const auto inputs = static_cast<size_t>(inputCount(t));
  base::PendingFiles written; // all are written first, then all get their names
  if (!o.createFiles.empty()) {
    writeAll(instance, 0, inputs, o.createFiles, "in", written);
    writeAll(instance, inputs, instance.matrices.size() - inputs, o.createFiles, "out", written);
  }
  std::fflush(stdout); // what rule bodies printed comes before a matrix on standard output
  bool onStandardOutput = false;
  for (size_t i = 0; i < files.size(); ++i) {
    files[i].write(instance.matrices[inputs + i], written);
    onStandardOutput |= files[i].isStandardOutput();
  }
  written.commit();
  if (o.show)
    for (const Matrix &m : instance.outputs())
      std::fputs(matrix::encodeText(m).c_str(), stdout);
  // A matrix on standard output must stay readable, so the figures then go to standard error.
  std::FILE *figures = onStandardOutput || o.show ? stderr : stdout;
  if (o.time)
    std::fprintf(figures, "time: %.6g s\n", seconds);
  if (o.accuracy)
    std::fprintf(figures, "accuracy: %s\n", print(t, accuracy).c_str());
  if (o.hash)
    std::fprintf(figures, "hash: 0x%016lx\n", hashOf(instance.outputs()));
  return 0;
}

} // namespace pb::program
