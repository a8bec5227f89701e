// The state of a serving program between requests (protocol: serve.h).
//
//   ServeSession session(program, sort, 2);
//   session.answer(R"({"op":"prepare","sizes":{"n":64}})") == R"({"ok":true,"n":64,"seconds":1e-05})"
//
// Invariant: answer() always returns one line of JSON; a request that fails leaves the session usable.
#pragma once
#include "runtime/program/inputs.h"
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace pb::program {

class ServeSession {
public:
  ServeSession(const Program &, const Transform &, int threads);
  ~ServeSession();
  std::string answer(const std::string &request);

private:
  using Json = nlohmann::ordered_json;
  Json handle(const Json &request);
  Json prepare(const Json &request);
  /// Writes the reference to files, or takes it from there, where the request says so.
  void exchangeReference(const Json &request);
  Json measure(const Json &request);
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
  std::unique_ptr<Runner> runner_;
};

} // namespace pb::program
