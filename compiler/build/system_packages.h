// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Names the Debian packages of what every program is linked with, where the linker cannot find it.
//
//   {"ld.lld", "Scrt1.o", "-L/usr/lib", "-lpng", "-lmine"}, and none of them is there  =>  {"libc6-dev", "libpng-dev"}
//
// A start file without a folder is one that Clang's driver has not found. Libraries that a program names itself are not known here: find_libraries.h
// has those that it may need. Only used inside this folder.
#pragma once
#include <string>
#include <vector>

namespace pbc::build {

/// Each package once, in the order in which the command line of ld.lld needs them.
std::vector<std::string> missingPackages(const std::vector<std::string> &line);

} // namespace pbc::build
