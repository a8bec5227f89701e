// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the linker did not find, said where the program uses it.
//
//   prog.pbcc:12:5: error: `dgetrf_` is in none of the libraries that were found
//   help: it has the form of a Fortran routine, as BLAS and LAPACK are: install libopenblas-dev, or ...
#pragma once
#include "compiler/sema/module.h"
#include "compiler/source/diagnostics.h"

namespace pbc::driver {

/// Reports each "undefined symbol" in the linker's words. False if there is none: it complains of something
/// else.
bool explainUndefined(const std::string &linkerSays, const sema::Module &, source::Diagnostics &);

} // namespace pbc::driver
