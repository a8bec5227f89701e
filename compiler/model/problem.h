// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An error in a question to a model: the value, the range that it must be in, and what to change. The command
// line prints both parts; models throw nothing else on purpose.
//
//   throw Problem("a tile of 8 x 64 x 16 needs 16200 bytes of shared memory, a block may have 12288",
//                 "make tS2 or tT smaller");
//
// Invariant: for inputs out of its range a model throws this and returns no figure.
#pragma once
#include <stdexcept>
#include <string>

namespace pbc::model {

class Problem : public std::runtime_error {
public:
  explicit Problem(const std::string &what, std::string help = {})
      : std::runtime_error(what), help_(std::move(help)) {}
  const std::string &help() const { return help_; }

private:
  std::string help_;
};

} // namespace pbc::model
