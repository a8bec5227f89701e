// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The options and headers for Clang's front end. The reader of rule bodies and all units use the same ones, so that
// one preamble (compiler/preamble) serves all of them.
//
//   const body::FrontEnd frontEnd = frontEndOf(c);                 // for body::understand
//   build::CompileRequest r = commonRequest(options, "native", false);
//   r.headers = headersOf(r, c.understood.beginning);              // for each unit
//
// Invariant: the request for bodies and the request for units of the first processor have the same key, unless
// --bounds-check is given: errors in bodies are found as without it.
#pragma once
#include "compiler/driver/compilation.h"

namespace pbc::driver {

build::CompileRequest commonRequest(const Options &, const std::string &cpu, bool mayThrow);

/// Nothing if Clang refuses the options.
std::optional<preamble::Request> headersOf(build::CompileRequest common, const body::Beginning &);

/// The result refers to the compilation, which must outlive it.
body::FrontEnd frontEndOf(Compilation &);

} // namespace pbc::driver
