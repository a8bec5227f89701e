// A configuration's file, whole or not at all.
#pragma once
#include <string>

namespace pbc::tuner {

/// "" if there is none. Throws TunerError where there is no end to it, as of a device.
std::string textOf(const std::string &path);
/// All or nothing: a reader never sees half a file. Links are followed, a file keeps its permissions, and
/// what is no file (a pipe, a device) is written to. Throws TunerError.
void writeAtomically(const std::string &path, const std::string &text, bool isProgram = false);

} // namespace pbc::tuner
