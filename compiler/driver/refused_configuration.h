// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether a finished program accepts the configuration that was built into it.
//
// The program reads it at its start, so the program is asked: no second reader here could agree with it in
// everything. One that is made for another processor cannot be asked and is taken as it is.
#pragma once
#include <optional>
#include <string>

namespace pbc::driver {

/// The messages, if the program refuses it; `file` is the configuration's name in them.
std::optional<std::string> refusedConfiguration(const std::string &program, const std::string &file);

} // namespace pbc::driver
