// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads whole files, and writes files completely or not at all.
#pragma once
#include <string>

namespace pbc::tuner {

/// The file's text; "" if there is no file. Throws TunerError if it has no end, as a device may.
std::string textOf(const std::string &path);
/// A text that changes when the file is replaced or its time or size changes; "" if there is no file.
std::string versionOf(const std::string &path);
/// Writes all or nothing: a reader never sees half a file. Links are followed, a file keeps its permissions,
/// and what is not a regular file (a pipe, a device) is written to directly. Throws TunerError.
void writeAtomically(const std::string &path, const std::string &text, bool isProgram = false);

} // namespace pbc::tuner
