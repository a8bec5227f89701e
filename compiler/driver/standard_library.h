// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The libraries that come with pbc: `#include <linalg.pbcc>`.
//
//   standardFolder()                              =>  "/opt/pbc/share/pbc/stdlib", for /opt/pbc/bin/pbc
//   leaveOutUnused(program, sources, folder, "")  =>  without transforms of the library that are not used
//
// Unused transforms cost nothing: a transform of the library is compiled only if one of the program's own
// transforms, or one that is compiled, names it in a body or a clause. A program without transforms of its
// own gets all of them.
#pragma once
#include "compiler/syntax/ast.h"

namespace pbc::driver {

/// PBC_STDLIB, or the folder that belongs to this pbc; empty if there is none.
std::string standardFolder();

/// `mainName`: a transform that was asked for by name.
void leaveOutUnused(syntax::Program &, const source::SourceManager &, const std::string &folder,
                    const std::string &mainName);

} // namespace pbc::driver
