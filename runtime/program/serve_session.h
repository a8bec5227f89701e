// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The state of a serving program between requests (protocol: serve.h).
//
//   ServeSession session(program, sort, 2, [](const std::string &event) { ... });
//   session.answer(R"({"op":"prepare","sizes":{"n":64}})") == R"({"ok":true,"n":64,"seconds":1e-05})"
//
// Invariant: answer() always returns one line of JSON; a request that fails leaves the session usable; every
// run begins with the inputs that prepare made, whatever runs before it did to them.
#pragma once
#include "runtime/program/energy_meter.h"
#include "runtime/program/inputs.h"
#include "runtime/program/run_times.h"
#include <atomic>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace pb::program {

class ServeSession {
public:
  /// `tell` gets lines about what happens before the answer (from any thread); may be empty.
  ServeSession(const Program &, const Transform &, int threads,
               std::function<void(const std::string &line)> tell = {});
  ~ServeSession();
  std::string answer(const std::string &request);

private:
  using Json = nlohmann::ordered_json;
  Json handle(const Json &request);
  Json prepare(const Json &request);
  /// Random ones, or as the request has them.
  Instance inputs(const Json &request, int threads);
  /// Runs the default once more, on inputs that are the same up to rounding.
  bool isStable(int threads);
  /// The first input that is not as it was before the run, or -1. They are as before after this.
  int restoreInputs();
  void noteBuild(const std::string &kernel, bool begins);
  /// Writes the reference to files, or takes it from there, where the request says so.
  void exchangeReference(const Json &request);
  Json measure(const Json &request);
  /// One run, or, where energy is asked for, as many as the counters can tell: what one of them takes.
  RunCost runOnce(Runner &, bool wantsEnergy);
  /// Of a run with new threads, which hold nothing yet; the matrices that it is given count, too.
  double peakBytes(int threads);
  Json meters();
  EnergyMeter &meter();
  Json sizes(const Json &request);
  Json fit(const Json &request);
  std::vector<long> startSizes(const Json &request);
  const std::vector<Matrix> *load(const Json &request);
  Runner &runner(int threads);
  void resetConfiguration(int *threads);
  /// The defaults, then what the request's "config" says.
  void configure(const Json &request, int *threads);
  /// Outputs whose size is a tunable get the one that it has now; whether all sizes are those of the
  /// reference.
  bool fitOutputs();

  const Program &program_;
  const Transform &transform_;
  int threads_;
  unsigned long seed_ = 1;
  std::vector<std::string> files_; // whose matrices are in loaded_
  std::vector<Matrix> loaded_;
  std::optional<Instance> instance_; // set while prepared
  std::vector<Matrix> reference_;
  std::vector<Matrix> inputs_;        // copies, as they were before the first run
  bool defaultChangesInputs_ = false; // then others may, too
  std::unique_ptr<Runner> runner_;
  int mostThreads_ = 0;                // of any runner
  std::unique_ptr<EnergyMeter> meter_; // when somebody has asked
  std::function<void(const std::string &)> tell_;
  std::atomic<long> builds_ = 0; // kernels that were compiled
};

} // namespace pb::program
