// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The token that begins a request to `PROG --serve --channel=N` and every line of the answer: its number and 128 new
// random bits. A rule body cannot know it, so nothing that a rule body prints begins with it.
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
