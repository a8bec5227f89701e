// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Files: read to their end, and written whole or not at all.
#pragma once
#include <string>

namespace pbc::tuner {

/// "" if there is none. Throws TunerError where there is no end to it, as of a device.
std::string textOf(const std::string &path);
/// Another text when there is another file of this name, or another time or size of it; "" if there is none.
std::string versionOf(const std::string &path);
/// All or nothing: a reader never sees half a file. Links are followed, a file keeps its permissions, and
/// what is no file (a pipe, a device) is written to. Throws TunerError.
void writeAtomically(const std::string &path, const std::string &text, bool isProgram = false);

} // namespace pbc::tuner
