// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/evaluator.h"

namespace pbc::tuner {

const char *nameOf(Failure failure) {
  switch (failure) {
  case Failure::TooSlow:
    return "too slow";
  case Failure::OutOfMemory:
    return "out of memory";
  case Failure::Compiling:
    return "compiles too long";
  case Failure::Crash:
    return "crash";
  case Failure::Exit:
    return "exit";
  case Failure::WrongResult:
    return "wrong result";
  case Failure::Inexact:
    return "not exact enough";
  case Failure::Error:
    break;
  }
  return "error";
}

std::optional<Failure> failureNamed(const std::string &name) {
  for (Failure kind : {Failure::TooSlow, Failure::OutOfMemory, Failure::Compiling, Failure::Crash,
                       Failure::Exit, Failure::WrongResult, Failure::Inexact, Failure::Error})
    if (name == nameOf(kind))
      return kind;
  return {};
}

std::vector<Metrics> Measurement::metrics() const {
  std::vector<Metrics> runs;
  for (std::size_t i = 0; i < seconds.size(); ++i)
    runs.push_back({seconds[i], i < joules.size() ? std::optional(joules[i]) : std::nullopt, bytes});
  return runs;
}

} // namespace pbc::tuner
