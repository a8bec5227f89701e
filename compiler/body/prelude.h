// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The C++ text that precedes every rule body: what bodies and raw blocks may use without including anything
// (language reference 1.6). The emitter puts the same text before the generated code, so that a name means
// the same when Clang checks a body and when it compiles it.
//
//   prelude(Library::None)    #include "pb/body.h", and declarations of the C functions and constants: parses in 3 ms
//   prelude(Library::Base)    the same through the C library's headers: for programs whose raw blocks include some
//   prelude(Library::System)  also cblas, time, pthread, ...
//   prelude(Library::All)     also the C++ library
//
// Invariant: each declares what the previous one does, with the same meaning; sqrt(float) is float, sqrt(int)
// is double. A program gets the smallest one that knows all its names (understand.cpp), because headers take
// most of the compile time.
#pragma once
#include "compiler/body/facts.h"
#include <cstdint>
#include <string_view>

namespace pbc::body {

std::string prelude(Library);

/// The headers at the beginning of every generated unit, as files in memory: the prelude (`prelude.h`) and the
/// runtime's headers.
std::vector<std::pair<std::string, std::string>> headers(Library);

/// The lines of a unit that include these headers, in their order. A preamble begins with them.
std::string headerLines();

/// The length of the directives (with comments and blank lines) at the beginning of the text, as far as each `#if`
/// among them has its `#endif`. A preamble may contain this part of a raw block.
std::uint32_t leadingDirectives(std::string_view text);

/// leadingDirectives() of each raw block. Once a block has something else, the later blocks get 0, so that the order
/// of the text stays the same.
std::vector<std::uint32_t> leadingDirectives(const sema::Module &);

/// Whether a program needs code for unwinding: only raw blocks, bodies that say so and the C++ library.
bool mayThrow(const sema::Module &, Library);

/// None, or Base if the program's raw blocks include headers, which may include the C library.
Library leastLibrary(const sema::Module &);

/// Macros for `spawn`, `sync` and their older forms, used only for reading a body; opens `namespace
/// pb_program`, in which transforms and rules hide declarations of the prelude.
std::string markers();

} // namespace pbc::body
