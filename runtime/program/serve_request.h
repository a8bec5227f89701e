// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads the members of a request of the tuner's protocol (serve.h), and says what is wrong with them.
//
//   {"op":"measure","trials":3,"metrics":["energy"]}
//   number(request, "trials", 1, 1, 1e6)     3; 1 if it is missing; UserError if it is no number from 1 to 1e6
//   metricsOf(request).energy                true
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pb::program::request {

using Json = nlohmann::ordered_json;

/// The string; `what` names the member in the message of the UserError.
std::string text(const Json &value, const std::string &what);

/// The member `key`, or `otherwise` if it is missing. Throws UserError if it is no number from `low` to `high`.
double number(const Json &request, const char *key, double otherwise, double low, double high);

/// A whole number from 0 to INT_MAX; throws UserError otherwise.
long integer(const Json &value, const std::string &what);

/// The metrics that "metrics" asks for in addition to the time.
struct Metrics {
  bool energy = false, memory = false;
};
Metrics metricsOf(const Json &request);

} // namespace pb::program::request
