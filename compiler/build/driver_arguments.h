// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The arguments that Clang's driver would pass to the front end and the linker on this machine: include
// folders, processor features, start files, library folders. Only used inside this folder.
#pragma once
#include <string>
#include <vector>

namespace pbc::build {

/// The virtual folder of all texts in memory, and of the headers among them.
inline constexpr const char *kVirtualFolder = "/pbc";
inline constexpr const char *kVirtualIncludes = "/pbc/include";

/// Placeholders for the objects and for the output in a link line.
inline constexpr const char *kInputMark = "/pbc/unit.o";
inline constexpr const char *kOutputMark = "/pbc/program";

/// The arguments of the front end for these options of clang++, without "-cc1" and without the file; computed
/// once for each set of options. Empty, with `messages`, if an option is refused.
std::vector<std::string> driverFrontArguments(const std::vector<std::string> &options, std::string &messages);

/// The arguments of ld.lld, with the placeholders above.
std::vector<std::string> driverLinkArguments(bool shared, std::string &messages);

} // namespace pbc::build
