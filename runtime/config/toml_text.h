// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes pieces of TOML.
#pragma once
#include <string>

namespace pb::config {

std::string quoted(const std::string &text);
/// A key: bare where TOML allows it, else in quotes.
std::string key(const std::string &name);

} // namespace pb::config
