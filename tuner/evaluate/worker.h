// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tuner's end of `PROG --serve` (runtime/program/serve.h): one process that answers requests, and is
// started again after it crashed, hung or ended.
//
//   Worker worker("./prog", {});
//   worker.prepare({{"n", 1024}}, 30)          -> Prepared{n 1024, 0.031 s}
//   worker.measure(toml, 3, 0.5, 2.0)          -> Measured{seconds, agrees} or what went wrong
//
// Each request has a token (request_token.h); only lines that begin with it belong to the answer.
//
// Invariant: a failed call leaves no process behind; the next call starts one and prepares it again.
#pragma once
#include "tuner/evaluate/child_process.h"
#include "tuner/strategy/evaluator.h"

#include <map>
#include <memory>
#include <optional>

namespace pbc::tuner {

using Sizes = std::map<std::string, long>;

/// "h=768 w=1024": the same text for the same sizes.
std::string nameOf(const Sizes &);

/// Removes control characters: a candidate's output must not move a terminal's cursor.
std::string asOneLine(std::string);

inline constexpr double kLongestCompilation = 30; // seconds for one kernel of a device

struct WorkerOptions {
  /// The version of the program's file (write_file.h). If the file has changed, a request fails and asks the
  /// tuning to stop (interrupt.h), because the next process would run another program. Empty: any version.
  std::string version;
  std::vector<std::string> inputs; // files; empty: random by seed
  long seed = 1;
  int threads = 0; // 0: the program's own default
  ProcessLimits limits;
  double longestCompilation = kLongestCompilation;
  std::string transform; // empty: the program's main transform
  std::string keep;      // the prefix of files for the default's outputs (serve.h); empty: none
  /// The prefix of such files of another program; empty: the default's own outputs are the reference.
  std::string reference;
};

/// Why a request has no answer; `stopped` if the user ended it.
struct WorkerFailure {
  Failure kind = Failure::Error;
  std::string reason;
  bool stopped = false;
  /// The default could not be prepared; the configuration to be measured did not cause this.
  bool isOfDefault = false;
};

template <typename T>
struct Answer {
  std::optional<T> value;
  WorkerFailure failure; // when there is no value
  explicit operator bool() const { return value.has_value(); }
};

struct Prepared {
  long n = 0;
  double seconds = 0;
  /// Only if the worker was asked to judge: the default's results are numbers, and they are the same for
  /// inputs that differ only by rounding.
  bool isFinite = true, isStable = true;
};

/// Properties of inputs other than their sizes.
struct InputWishes {
  std::string values; // a kind that `--serve` knows (runtime/program/values.h); empty: random
  bool judge = false;
};

struct Measured {
  bool agrees = true;
  std::string disagreement; // "gives a different result from the default (difference 0.5 at B[4]: ...)"
  std::vector<double> seconds;
  std::vector<double> joules;     // of each run, if they were asked for
  std::optional<double> bytes;    // the most at once, if it was asked for
  double overhead = 0;            // seconds of the request that were not spent running
  std::optional<double> accuracy; // of a program that has a metric; NaN: the metric gave no number
};

/// What the machine can measure in addition to time.
struct Meters {
  std::vector<std::string> energy; // names of counters; empty: `energyProblem` says why
  std::string energyProblem;
  double energyWindow = 0; // seconds for which a run is repeated
  bool memory = false;
};

class Worker {
public:
  Worker(std::string program, WorkerOptions);

  /// The configuration that prepare() runs and that outputs are compared with; "": the program's default.
  void setBase(const std::string &toml);
  /// The sizes that the program's inputs or its own defaults give.
  Answer<Sizes> sizes(double seconds);
  Answer<Meters> meters(double seconds);
  Answer<Prepared> prepare(const Sizes &, double seconds, const InputWishes & = {});
  /// prepare() must have been called; it is repeated if the process is a new one. Gives up after `patience`
  /// seconds. `metrics`: what is measured in addition to the time.
  Answer<Measured> measure(const std::string &toml, int trials, double limit, double patience,
                           const std::vector<Metric> &metrics = {}, Compared = Compared::First);
  /// Whether a process is running that has made these inputs and has the reference for them.
  bool isPreparedFor(const Sizes &sizes) const { return process_ && processPrepared_ && prepared_ == sizes; }
  /// Whether the process has run other configurations than the one it was prepared with, which may have
  /// caused a failure now.
  bool isUsed() const { return process_ && isUsed_; }
  /// The next request starts a new process.
  void restart() { process_.reset(); }
  /// The seed of random inputs, used by the next process.
  void setSeed(long seed) { options_.seed = seed; }
  long seed() const { return options_.seed; }
  const WorkerOptions &options() const { return options_; }

private:
  struct Reply;
  Reply ask(const std::string &request, double seconds);
  std::string prepareRequest() const;

  std::string program_;
  WorkerOptions options_;
  std::unique_ptr<ChildProcess> process_;
  std::optional<Sizes> prepared_; // the sizes asked for; a new process may not know them yet
  InputWishes wishes_;
  std::string base_;
  double preparePatience_ = 60;
  long requests_ = 0;
  long preparedBytes_ = 0; // memory that the process had after preparing
  bool processPrepared_ = false, isUsed_ = false;
};

} // namespace pbc::tuner
