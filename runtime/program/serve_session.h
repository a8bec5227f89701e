// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The state of a serving program between requests (protocol: serve.h).
//
//   ServeSession session(program, sort, 2, [](const std::string &event) { ... });
//   session.answer(R"({"op":"prepare","sizes":{"n":64}})") == R"({"ok":true,"n":64,"seconds":1e-05})"
//
// Invariant: answer() always returns one line of JSON; the session remains usable after a request that fails;
// every run begins with the inputs that prepare made, even if earlier runs changed them.
#pragma once
#include "runtime/program/energy_meter.h"
#include "runtime/program/inputs.h"
#include "runtime/program/run_times.h"
#include "runtime/program/unseen_inputs.h"
#include <atomic>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace pb::program {

class ServeSession {
public:
  /// `tell` gets lines about events before the answer (from any thread); it may be empty.
  ServeSession(const Program &, const Transform &, int threads,
               std::function<void(const std::string &line)> tell = {});
  ~ServeSession();
  std::string answer(const std::string &request);

private:
  using Json = nlohmann::ordered_json;
  Json handle(const Json &request);
  Json prepare(const Json &request);
  /// Random inputs, or those that the request asks for.
  Instance inputs(const Json &request, int threads);
  /// Runs the default once more, on inputs that are the same up to rounding.
  bool isStable(int threads);
  /// Restores all inputs; returns the first one that the run had changed, or -1.
  int restoreInputs();
  void noteBuild(const std::string &kernel, bool begins);
  /// Writes the reference to files, or reads it from files, if the request asks for this.
  void exchangeReference(const Json &request);
  Json measure(const Json &request);
  Origin originOfInputs(const Json &request);
  /// What a run is given: the inputs of the reference, or such as no run before has seen.
  enum class On { Prepared, Unseen };
  /// The cost of one run. If energy is asked for, it is taken from as many runs as the counters need.
  RunCost runOnce(Runner &, bool wantsEnergy, On);
  /// The peak of a run with new threads, which hold no memory yet; includes the matrices that the run is
  /// given.
  double peakBytes(int threads);
  Json meters();
  EnergyMeter &meter();
  Json sizes(const Json &request);
  Json fit(const Json &request);
  std::vector<long> startSizes(const Json &request);
  const std::vector<Matrix> *load(const Json &request);
  Runner &runner(int threads);
  void resetConfiguration(int *threads);
  /// Sets the defaults and then the values of the request's "config".
  void configure(const Json &request, int *threads);
  /// Gives outputs whose size is a tunable the size that it has now; returns whether all sizes are those of
  /// the reference.
  bool fitOutputs();

  const Program &program_;
  const Transform &transform_;
  int threads_;
  unsigned long seed_ = 1;
  std::vector<std::string> files_; // the files whose matrices are in loaded_
  std::vector<Matrix> loaded_;
  std::optional<Instance> instance_;   // has a value after prepare
  std::optional<UnseenInputs> unseen_; // changes the inputs of instance_ between timed runs
  std::vector<Matrix> reference_;
  std::vector<Matrix> inputs_;        // copies, as they were before the first run
  bool defaultChangesInputs_ = false; // if so, other configurations may change them, too
  std::unique_ptr<Runner> runner_;
  int mostThreads_ = 0;                // the most threads of any runner so far
  std::unique_ptr<EnergyMeter> meter_; // made when first needed
  std::function<void(const std::string &)> tell_;
  std::atomic<long> builds_ = 0; // number of kernels that were compiled
};

} // namespace pb::program
