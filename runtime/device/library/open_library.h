// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Opens one of CUDA's libraries, and checks the status of its calls; internal to this folder.
//
//   const SharedLibrary library =
//       openCudaLibrary("libcublas.so", {"13", "12", "11"}, "cuBLAS", folder);
//   requireCall(status, "cublasDgemm");
//
// Libraries are never closed, like all that programs open.
#pragma once
#include "runtime/device/device.h"
#include "runtime/device/shared_library.h"

namespace pb::device {

/// Throws DeviceError(Build) where there is none.
SharedLibrary openCudaLibrary(const char *file, const std::vector<const char *> &versions, const char *name,
                              const std::string &folder);
[[noreturn]] void lacksFunction(const char *name, const char *symbol);
/// The statuses of all three libraries are treated alike: 0 is success, others mean that the call did not
/// begin.
void requireCall(int status, const char *call);

// NOLINTBEGIN(bugprone-macro-parentheses): declarations
#define PB_LIBRARY_MEMBER(member, symbol, parameters) int(*member) parameters = nullptr;
/// To be used in a constructor that has the variables `library` and `name`.
#define PB_LIBRARY_LOAD(member, symbol, parameters)                                                          \
  if (!(member = library.function<int parameters>(symbol)))                                                  \
    lacksFunction(name, symbol);
// NOLINTEND(bugprone-macro-parentheses)

} // namespace pb::device
