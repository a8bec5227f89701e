// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Outputs whose memory the library allocates, as NumPy arrays. They are made by NumPy's own interface in C, since a conversion by DLPack takes
// as long as the whole rest of a call.
//
//   a pbc_array of extents {w, h}  =>  an array of shape (h, w), which gives the memory back to the library when nobody uses it any more
//   a pbc_array of rank 0          =>  a number
#pragma once
#include "python/core/library.h"
#include <nanobind/nanobind.h>

namespace pbc_python {

/// To be called once, before the others. Throws Python's ImportError where there is no NumPy.
void useNumPy();

/// Whether it is an array of NumPy's own type, not of one derived from it.
bool isNumPyArray(nanobind::handle);

/// Takes the memory from `made`.
nanobind::object wrapped(pbc_array &made, const pbc_library &library);

} // namespace pbc_python
