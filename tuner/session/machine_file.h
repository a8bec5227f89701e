// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The machine's rates for bounds: the file that `--machine` names, or a new one.
#pragma once
#include <functional>
#include <string>

namespace pbc::tuner {

/// Measures this machine for some seconds if no file is given, into a file in the folder. Throws TunerError.
std::string machineFileOf(const std::string &given, const std::string &folder,
                          const std::function<void(const std::string &)> &note);

} // namespace pbc::tuner
