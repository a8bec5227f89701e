// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The libraries that come with pbc: `#include <linalg.pbcc>`.
//
//   standardFolder()                              =>  "/opt/pbc/share/pbc/stdlib", for /opt/pbc/bin/pbc
//   leaveOutUnused(program, sources, folder, "")  =>  without transforms of the library that nobody names
//
// A program pays for what it uses: a transform of the library is compiled if one of the program's own
// transforms, or one that is compiled, names it in a body or a clause. A program without any of its own has
// all of them.
#pragma once
#include "compiler/syntax/ast.h"

namespace pbc::driver {

/// PBC_STDLIB, or what lies beside this pbc; empty where there is none.
std::string standardFolder();

/// `mainName`: a transform that was asked for by name.
void leaveOutUnused(syntax::Program &, const source::SourceManager &, const std::string &folder,
                    const std::string &mainName);

} // namespace pbc::driver
