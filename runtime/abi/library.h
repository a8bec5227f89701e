// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The interface between the generated code of a library and the runtime: what program.h is for programs.
//
//   extern const pb::Library pb_library = {...};
//   int32_t pbc_mm_Smooth(pbc_context *c, const pbc_array *A, pbc_array *B) {
//     pbc_array *const arrays[] = {const_cast<pbc_array *>(A), B};
//     return pb::pb_library_call(&pb_library, c, 0, arrays, nullptr, 0);
//   }
#pragma once
#include "pbc.h"
#include "program.h"

namespace pb {

struct Library {
  const Program *versions; // the same program for one or several processors, the least capable one first
  int count;
  char *slots, *slotsEnd; // the section of all slots
  const pbc_library *about;
  const int *first;   // by function: its first accuracy bin in Program::transforms
  bool takesPointers; // rules may ask for the address of their memory, so that matrices must have no gaps
  bool remembers;     // some transform is memoized
};

extern "C" {
int pb_library_create(const Library *, int abiVersion, const pbc_options *, pbc_context **);
/// Does nothing with a context of another library.
void pb_library_destroy(const Library *, pbc_context *);
const char *pb_library_message(const Library *, pbc_context *);
const char *pb_library_configuration(const Library *, pbc_context *);
void pb_library_free(pbc_array *);
/// `accuracy` is only read where the function has several targets.
int pb_library_call(const Library *, pbc_context *, int function, pbc_array *const *arrays,
                    const int64_t *sizes, double accuracy);
}

/// A number as an array of rank 0.
inline pbc_array numberAt(void *place, int element) {
  pbc_array a = pbc_array_1d(place, element, 0);
  a.rank = 0;
  return a;
}

} // namespace pb
