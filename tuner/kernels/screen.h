// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `--kernels --guide`: edits that a model predicts to be much slower than what is in use are mostly left out, and the others are tried in the
// order of their predictions.
//
//   in use 1.0 ms; edits 0.8, 3.0, 1.1, not predicted  =>  0.8, 1.1, the one that is not predicted; 3.0 once in ten times
//
// A prediction is no bound, so nothing is left out for certain. What was measured is compared with what was predicted; where the two differ by more
// than a factor of 1.65 in the median, the model knows nothing of this program, and nothing is left out any more.
// A model is also asked for the best of all edits of a kernel, from what is in use on.
// Source: bottleneck-analysis.md 6.3, (2), (4) and (5).
#pragma once
#include "tuner/space/kernel_settings.h"
#include "tuner/strategy/random.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pbc::tuner {

/// What a model says of scripts.
class Advice {
public:
  virtual ~Advice() = default;
  /// Of each script, on one thread; 0: it is not predicted.
  virtual std::vector<double> seconds(const KernelOption &kernel,
                                      const std::vector<std::string> &scripts) = 0;
};

class Screen {
public:
  /// Without advice, all edits are worth a measurement. The advice has to outlive the screen.
  explicit Screen(Advice *advice) : advice_(advice) {}

  /// The edits to be measured, those with the shortest predicted times first.
  std::vector<std::string> worth(const KernelOption &);
  /// Of edits of one kernel, about whatever: those that were not measured yet and are predicted to be faster than what is in use, the fastest
  /// first, at most so many. None without advice that is trusted.
  std::vector<std::string> proposals(const std::vector<KernelOption> &edits, std::size_t most);
  /// The edit has taken so many times as long as what was in use.
  void measured(const std::string &script, double timesAsLong);

  bool isTrusted() const;
  int leftOut() const { return leftOut_; }
  /// The median factor between measured and predicted ratios; 1 without any.
  double factor() const;

private:
  using Script = std::pair<std::string, std::string>; // the kernel's title; its script
  /// Of what is in use and of scripts, in this order; 0: it is not predicted.
  std::vector<double> predictedOf(const KernelOption &, const std::vector<std::string> &scripts);

  Advice *advice_;
  Random random_{1};
  std::string kernel_;             // about which was asked last
  std::map<Script, double> known_; // predicted seconds
  std::set<Script> measured_;
  std::map<std::string, double> predicted_; // times as long as what was in use, of those tried last
  std::vector<double> errors_;              // logarithms
  int leftOut_ = 0;
};

} // namespace pbc::tuner
