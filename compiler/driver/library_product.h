// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What `pbc --shared` and `pbc --static` make beside the objects.
//
//   pbc --shared mm.pbcc -o build/libfast.so
//     libraryOf(c)          ->  {name "fast", callable: all transforms of the program's own files}
//     addHeaders(c)         ->  build/fast.h, build/fast.hpp
//
// The name of the library is that of its file: it is part of the names of all functions, so that a program can use
// several libraries.
#pragma once
#include "compiler/driver/compilation.h"

namespace pbc::driver {

emit::Library libraryOf(const Compilation &);
/// Adds the headers for C and C++ to the files that are written.
void addHeaders(Compilation &);
/// Adds what the linker has to know of a shared library: its name, and which functions others see.
void addLibrary(const Compilation &, build::LinkRequest &);

} // namespace pbc::driver
