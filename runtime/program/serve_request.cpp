// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/serve_request.h"
#include "runtime/base/errors.h"
#include <climits>
#include <nlohmann/json.hpp>

namespace pb::program::request {

std::string text(const Json &value, const std::string &what) {
  if (!value.is_string())
    throw base::UserError(what + " must be a string");
  return value.get<std::string>();
}

double number(const Json &request, const char *key, double otherwise, double low, double high) {
  if (!request.contains(key))
    return otherwise;
  const Json &v = request[key];
  if (!v.is_number() || !(v.get<double>() >= low && v.get<double>() <= high))
    throw base::UserError(std::string("\"") + key + "\" must be a number from " + Json(low).dump() + " to " +
                          Json(high).dump());
  return v.get<double>();
}

long integer(const Json &v, const std::string &what) {
  if (!v.is_number_integer() || v.get<double>() < 0 || v.get<double>() > INT_MAX)
    throw base::UserError(what + " must be a whole number, 0 or more");
  return v.get<long>();
}

Metrics metricsOf(const Json &request) {
  Metrics metrics;
  if (!request.contains("metrics"))
    return metrics;
  if (!request["metrics"].is_array())
    throw base::UserError("\"metrics\" must be a list");
  for (const Json &entry : request["metrics"]) {
    const std::string name = text(entry, "an entry of \"metrics\"");
    if (name != "energy" && name != "memory")
      throw base::UserError("unknown entry '" + name + "' of \"metrics\"; known: energy, memory");
    (name == "energy" ? metrics.energy : metrics.memory) = true;
  }
  return metrics;
}

} // namespace pb::program::request
