// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds libraries that a program uses without naming them. The original linked BLAS, LAPACK and FFTW into
// every program, so its programs call `cblas_dgemm` or `dgetrf_` without -l.
//
//   foreignSymbols({{"Solve.cpp.o", bytes}})                 =>  {"cblas_dgemm", "dgetrf_"}
//   findLibraries({"cblas_dgemm", "dgetrf_"}, {"/usr/lib"})  =>  {"/usr/lib/libblas.so", "/usr/lib/liblapack.so"}
//   provider("dgetrf_")->package                             =>  "liblapack-dev"
#pragma once
#include "compiler/build/link.h"

namespace pbc::build {

/// Symbols that look like those of such libraries, and that the objects use but do not define.
std::vector<std::string> foreignSymbols(const std::vector<LinkInput> &objects);

/// The libraries of linear algebra and FFT in these folders, shared ones first, that define some of the
/// symbols; each symbol comes from one library. `missing` gets the files that would have been taken before
/// these if they existed.
std::vector<std::string> findLibraries(std::vector<std::string> symbols,
                                       const std::vector<std::string> &folders,
                                       std::vector<std::string> *missing = nullptr);

/// The system's library folders, and those of LIBRARY_PATH and LD_LIBRARY_PATH.
std::vector<std::string> libraryFolders();

/// The library that a symbol belongs to, and the package that has it.
struct Provider {
  const char *prefix, *suffix; // of its symbols
  const char *name;            // "BLAS"
  const char *package, *flag;  // "libopenblas-dev", "-lopenblas"
};
const Provider *provider(const std::string &symbol);

} // namespace pbc::build
