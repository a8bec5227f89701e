// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What stands before a request to `PROG --serve --channel=N` and before all that is said about it: its number and 128
// random bits, which nobody knew before. What a rule body prints, wherever it goes, does not begin with it.
//
//   RequestToken token(7);        token.before(request)   ->  "7:93be... {...}"
//   token.read("7:93be... {...}") ->  "{...}"             other lines: nothing
#pragma once
#include <optional>
#include <string>

namespace pbc::tuner {

class RequestToken {
public:
  explicit RequestToken(long number);
  std::string before(const std::string &request) const { return text_ + " " + request; }
  std::optional<std::string> read(const std::string &line) const;

private:
  std::string text_;
};

} // namespace pbc::tuner
