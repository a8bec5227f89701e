// The C++ in front of every rule body: what bodies and raw blocks may use without including anything
// (language reference 1.6). The emitter puts the same text in front of the generated code, so that a name
// means the same when Clang checks a body and when it compiles it.
//
//   prelude(false)   #include "pb/region.h", the C functions and constants declared by hand: parses in 3 ms
//   prelude(true)    the same through the C++ library's headers: for programs whose raw blocks include some
//
// Invariant: both declare the same names with the same meaning; sqrt(float) is float, sqrt(int) is double.
#pragma once
#include "compiler/sema/module.h"

namespace pbc::body {

std::string prelude(bool withLibrary);

/// Whether the program's raw blocks include headers, which may bring the C++ library.
bool needsLibrary(const sema::Module &);

/// `spawn`, `sync` and their old spellings as macros, only for reading a body; opens `namespace pb_program`,
/// in which transforms and rules hide whatever the prelude declares.
std::string markers();

/// A C function of numbers without side effects, if the name is one ("fabs", "pow"): the number of its
/// arguments.
int pureFunctionArity(const std::string &name);

} // namespace pbc::body
