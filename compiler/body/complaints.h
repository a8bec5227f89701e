// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Turns what Clang said about the unit into messages about the user's program.
//
//   error at byte 4711 "no matching function for call to 'Sort'",
//         note "requires 2 arguments, but 1 was provided"
//   =>  sort.pbcc:9:5: error: `Sort` takes out (1-d double), in (1-d double); found 1 argument
//       sort.pbcc:1:1: note: `Sort` is declared here
#pragma once
#include "compiler/body/clang_reader.h"
#include "compiler/source/diagnostics.h"

namespace pbc::body {

void report(const Reading &, const Unit &, const sema::Module &, source::Diagnostics &);

} // namespace pbc::body
