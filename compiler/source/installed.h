// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What comes with pbc and is read at run time.
//
//   installedFolder("PBC_STDLIB", "stdlib")   =>  "/opt/pbc/share/pbc/stdlib", for /opt/pbc/bin/pbc
//
// In the build tree as where pbc is installed: share/pbc beside the folder of the program.
#pragma once
#include <string>

namespace pbc::source {

/// The folder that the environment's `variable` names, or share/pbc/`name`; empty where there is none.
std::string installedFolder(const char *variable, const char *name);

} // namespace pbc::source
