// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Why a function of a library does nothing: a status of pbc.h, and a sentence.
//
//   throw Refusal(PBC_ERROR_ARGUMENT, "MatMul: the array A is null");      // caught where the call came in
#pragma once
#include <stdexcept>
#include <string>

namespace pb::embed {

struct Refusal : std::runtime_error {
  Refusal(int s, const std::string &text) : runtime_error(text), status(s) {}
  int status;
};

} // namespace pb::embed
