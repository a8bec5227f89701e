#include "runtime/base/closest.h"
#include "runtime/matrix/writing.h"
#include "runtime/program/accuracy.h"
#include "runtime/program/check.h"
#include "runtime/program/command.h"
#include <algorithm>
#include <climits>
#include <cstdio>

namespace pb::program {
namespace {

using Strings = std::vector<std::string>;

std::string several(size_t n, const char *what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

/// The command line's files, told apart.
struct Arguments {
  std::vector<long> params;
  Strings inputs, outputs;
};

Arguments divide(const Program &program, const Transform &t, const Options &o) {
  const auto params = static_cast<size_t>(t.paramCount), inputs = static_cast<size_t>(inputCount(t)),
             all = params + static_cast<size_t>(t.matrixCount), found = o.positional.size();
  const size_t outputs = all - params - inputs;
  Arguments a;
  if (o.randomInputs()) {
    if (found && found != outputs)
      throw UsageError("with --n or --size expected no files or " + several(outputs, "output") + ", found " +
                           several(found, "argument"),
                       usage(program, t));
    a.outputs = o.positional;
    return a;
  }
  // --check, --time and --accuracy need no outputs.
  if (found != all && !((o.check || o.time || o.accuracy) && found == params + inputs))
    throw UsageError("expected " + several(all, "argument") + " (" + several(params, "number") + ", " +
                         several(inputs, "input") + ", " + several(outputs, "output") + "), found " +
                         std::to_string(found),
                     usage(program, t));
  const auto at = o.positional.begin();
  for (size_t i = 0; i < params; ++i)
    a.params.push_back(parseInteger(at[static_cast<long>(i)], std::string("the parameter ") + t.paramNames[i],
                                    INT_MIN, INT_MAX));
  a.inputs = {at + static_cast<long>(params), at + static_cast<long>(params + inputs)};
  a.outputs = {at + static_cast<long>(params + inputs), o.positional.end()};
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

} // namespace

double medianTime(Runner &runner, const Instance &instance) {
  std::vector<double> samples;
  for (double total = 0; samples.size() < 3 || (total < 0.5 && samples.size() < 1000);
       total += samples.back())
    samples.push_back(runner.run(instance));
  std::sort(samples.begin(), samples.end());
  const size_t n = samples.size();
  return n % 2 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
}

int runCommand(const Program &program, const Transform &t, const Options &o, int threads) {
  const Arguments arguments = divide(program, t, o);
  const Instance instance = o.randomInputs()
                                ? randomInstance(program, t, askedSizes(t, o), o.seed, t.generator, threads)
                                : instanceFor(t, loadInputs(t, arguments.inputs), arguments.params);
  if (o.check)
    return check(program, instance, {threads, o.limit, o.seed}) ? 1 : 0;

  const std::vector<matrix::OutputFile> files = openOutputs(instance, arguments.outputs);
  if (o.accuracy && !t.metric)
    throw base::UserError(std::string("--accuracy: ") + t.name + " has no accuracy_metric");
  double seconds = 0;
  Accuracy accuracy;
  {
    Runner runner(threads);
    seconds = o.time ? medianTime(runner, instance) : runner.run(instance);
    if (o.accuracy)
      accuracy = accuracyOf(program, instance, runner);
  }
  std::fflush(stdout); // what rule bodies printed comes before a matrix on standard output
  bool onStandardOutput = false;
  for (size_t i = 0; i < files.size(); ++i) {
    files[i].write(instance.matrices[static_cast<size_t>(inputCount(t)) + i]);
    onStandardOutput |= files[i].isStandardOutput();
  }
  // A matrix on standard output stays readable: the figures then go to standard error.
  std::FILE *figures = onStandardOutput ? stderr : stdout;
  if (o.time)
    std::fprintf(figures, "time: %.6g s\n", seconds);
  if (o.accuracy)
    std::fprintf(figures, "accuracy: %s\n", print(t, accuracy).c_str());
  return 0;
}

} // namespace pb::program
