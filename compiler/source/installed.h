// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Files that come with pbc and are read at run time.
//
//   installedFolder("PBC_STDLIB", "stdlib")   =>  "/opt/pbc/share/pbc/stdlib", for /opt/pbc/bin/pbc
//
// The build tree has the same layout as an installation: share/pbc beside the folder of the program.
#pragma once
#include <string>

namespace pbc::source {

/// The folder that the environment's `variable` names, or share/pbc/`name`; empty where there is none.
std::string installedFolder(const char *variable, const char *name);

} // namespace pbc::source
