// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `--kernels --guide`: which schedule is predicted to be fast, by a search that follows what limits a kernel (`pbc emulate --guide`), before
// variants of the program are compared.
//
//   KernelPrediction p = predictionOf(settings, kernel);
//   p.script       "tasks(); vector(x); jam(y; 4)"
//   p.limit        "limited by L2 throughput (0.81), next arithmetic throughput (0.13)"
//
// Nothing is measured for it. Source: bottleneck-analysis.md 6.3.
#pragma once
#include "tuner/kernels/proofs.h"
#include "tuner/kernels/screen.h"

#include <map>

namespace pbc::tuner {

struct KernelPrediction {
  std::string transform, kernel;
  std::string why;    // it is not predicted; a sentence
  std::string limit;  // of the compiler's own schedule
  std::string script; // the proposed one
  /// Those on the way to it, the last one first.
  std::vector<std::string> path;
  /// Steps that make smaller what limits the compiler's own schedule, by how much of the time depends on that.
  std::vector<std::string> remedies;
  double timesAsFast = 1; // as predicted

  std::string title() const { return transform + "." + kernel; }
};

/// What is predicted for a kernel's own schedule.
struct KernelTime {
  std::string why;    // it is not predicted; a sentence
  double seconds = 0; // on one thread
};

/// By the kernels' titles; `kernels`: all of the program. Throws TunerError as predictionOf() does.
std::map<std::string, KernelTime> timesOf(const ProofSettings &settings,
                                          const std::vector<KernelOption> &kernels);
/// Reads the output of `pbc emulate --times`.
std::map<std::string, KernelTime> parseKernelTimes(const std::string &json);

/// Runs `pbc emulate --guide`, which predicts at most so many schedules. Throws TunerError if it cannot run, or was stopped.
KernelPrediction predictionOf(const ProofSettings &, const KernelOption &kernel, int most);
/// Reads its output.
KernelPrediction parsePrediction(const std::string &json, const KernelOption &kernel);

/// The scripts to be compared with what is in use: the proposed one, and some on the way to it. Nothing to try if all are the same.
KernelOption seedOf(const KernelPrediction &, const KernelOption &kernel);

/// Predicts scripts by `pbc emulate --script`, as long as there is time for it: a model that is no help is to cost little.
class EmulatedAdvice : public Advice {
public:
  /// `allowance`: seconds for all predictions; `each`: about how long one takes.
  EmulatedAdvice(ProofSettings settings, double allowance, double each)
      : settings_(std::move(settings)), left_(allowance), each_(each) {}
  std::vector<double> seconds(const KernelOption &, const std::vector<std::string> &scripts) override;
  double spent() const { return spent_; }

private:
  const ProofSettings settings_;
  double left_, each_, spent_ = 0;
};
/// Reads its output, for so many scripts.
std::vector<double> parseTimes(const std::string &json, std::size_t count);

} // namespace pbc::tuner
