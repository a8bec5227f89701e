// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The C++ in front of every rule body: what bodies and raw blocks may use without including anything
// (language reference 1.6). The emitter puts the same text in front of the generated code, so that a name
// means the same when Clang checks a body and when it compiles it.
//
//   prelude(Library::None)   #include "pb/body.h", the C functions and constants declared by hand: parses in
//                            3 ms
//   prelude(Library::Base)   the same through the C library's headers: for programs whose raw blocks include
//                            some
//   prelude(Library::System) and cblas, time, pthread, ...; Library::All: and the C++ library
//
// Invariant: each declares what the one before it does, with the same meaning; sqrt(float) is float,
// sqrt(int) is double. A program gets the least that knows all its names (understand.cpp), because headers
// are most of what its compilation takes.
#pragma once
#include "compiler/body/facts.h"

namespace pbc::body {

std::string prelude(Library);

/// None, or Base if the program's raw blocks include headers, which may bring the C library.
Library leastLibrary(const sema::Module &);

/// `spawn`, `sync` and their old spellings as macros, only for reading a body; opens `namespace pb_program`,
/// in which transforms and rules hide whatever the prelude declares.
std::string markers();

} // namespace pbc::body
