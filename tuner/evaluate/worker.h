// The tuner's end of `PROG --serve` (runtime/program/serve.h): one process that answers requests, and is
// started again after it crashed, hung or ended.
//
//   Worker worker("./prog", {});
//   worker.prepare({{"n", 1024}}, 30)          -> Prepared{n 1024, 0.031 s}
//   worker.measure(toml, 3, 0.5, 2.0)          -> Measured{seconds, agrees} or what went wrong
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

struct WorkerOptions {
  std::vector<std::string> inputs; // files; empty: random by seed
  long seed = 1;
  int threads = 0; // 0: the program's own default
  ProcessLimits limits;
  std::string transform; // empty: the program's main one
  std::string keep;      // where the outputs that others are compared with are written; empty: nowhere
  std::string reference; // where such outputs are, of another program; empty: the default's own
};

/// Why a request has no answer; `stopped` when it is the user who ended it.
struct WorkerFailure {
  Failure kind = Failure::Error;
  std::string reason;
  bool stopped = false;
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
};

struct Measured {
  bool agrees = true;
  double difference = 0;
  std::vector<double> seconds;
  double overhead = 0;            // seconds of the request that were not spent running
  std::optional<double> accuracy; // of a program that has a metric; NaN: it is no number
};

class Worker {
public:
  Worker(std::string program, WorkerOptions);

  /// The configuration that prepare() runs and that outputs are compared with; "": the program's default.
  void setBase(const std::string &toml);
  /// The sizes that the program's inputs or its own defaults give.
  Answer<Sizes> sizes(double seconds);
  Answer<Prepared> prepare(const Sizes &, double seconds);
  /// Needs a prepare() before; repeats it when the process is a new one. Is given up after `patience`
  /// seconds.
  Answer<Measured> measure(const std::string &toml, int trials, double limit, double patience);

private:
  struct Reply;
  Reply ask(const std::string &request, double seconds);
  std::string prepareRequest(const Sizes &) const;

  std::string program_;
  WorkerOptions options_;
  std::unique_ptr<ChildProcess> process_;
  std::optional<Sizes> prepared_; // wanted; the process may be too new to know
  std::string base_;
  double preparePatience_ = 60;
  bool processPrepared_ = false;
};

} // namespace pbc::tuner
