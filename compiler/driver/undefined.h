// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reports symbols that the linker did not find, at the place where the program uses them.
//
//   prog.pbcc:12:5: error: `dgetrf_` is in none of the libraries that were found
//   help: it has the form of a Fortran routine, as BLAS and LAPACK are: install libopenblas-dev, or ...
#pragma once
#include "compiler/sema/module.h"
#include "compiler/source/diagnostics.h"

namespace pbc::driver {

/// Reports each "undefined symbol" in the linker's messages. False if there is none, because the link failed
/// for another reason.
bool explainUndefined(const std::string &linkerSays, const sema::Module &, source::Diagnostics &);

} // namespace pbc::driver
