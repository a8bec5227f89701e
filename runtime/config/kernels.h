// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The section [kernels] of a configuration: how the compiler is asked to realise the program's loops. A
// running program can no longer follow it, but compares it with what it was compiled with.
//
//   [kernels]                                   =>  "Heat.inside.jam = 2\n"
//   Heat.inside.jam = 2
#pragma once
#include <string>
#include <toml++/toml.h>

namespace pb::config {

/// One line for each option, sorted, as in Program::kernels. Entries that are not tables belong to a
/// transform of that name.
std::string kernelLines(const toml::table &kernels);

/// The first line that only one of the two texts has.
std::string firstDifference(const std::string &a, const std::string &b);

} // namespace pb::config
