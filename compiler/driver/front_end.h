// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the reader of rule bodies and all units ask of Clang's front end: the same options and the same headers, so
// that one preamble (compiler/preamble) serves all of them.
//
//   const body::FrontEnd frontEnd = frontEndOf(c);                 // for body::understand
//   build::CompileRequest r = commonRequest(options, "native", false);
//   r.headers = headersOf(r, c.understood.beginning);              // for each unit
//
// Invariant: for the first processor, the request of bodies and that of units have the same key.
#pragma once
#include "compiler/driver/compilation.h"

namespace pbc::driver {

build::CompileRequest commonRequest(const Options &, const std::string &cpu, bool mayThrow);

/// Nothing where the options are refused.
std::optional<preamble::Request> headersOf(build::CompileRequest common, const body::Beginning &);

/// It refers to the compilation.
body::FrontEnd frontEndOf(Compilation &);

} // namespace pbc::driver
