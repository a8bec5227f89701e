// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The section [kernels] of a configuration: what the compiler was, or is, to make of the program's loops. A
// running program cannot follow it any more; it compares it with what it was compiled with.
//
//   [kernels]                                   =>  "Heat.inside.jam = 2\n"
//   Heat.inside.jam = 2
#pragma once
#include <string>
#include <toml++/toml.h>

namespace pb::config {

/// One line for each option, sorted, as Program::kernels has them; entries that are no tables belong to a
/// transform of that name.
std::string kernelLines(const toml::table &kernels);

/// The first line that only one of the two has.
std::string firstDifference(const std::string &a, const std::string &b);

} // namespace pb::config
