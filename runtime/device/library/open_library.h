// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How one of CUDA's libraries is opened, and what its calls say; internal to the folder.
//
//   const SharedLibrary library = openCudaLibrary("libcublas.so", {"13", "12", "11"}, "cuBLAS", folder);
//   requireCall(status, "cublasDgemm");
//
// Never closed, as all libraries that programs open.
#pragma once
#include "runtime/device/device.h"
#include "runtime/device/shared_library.h"

namespace pb::device {

/// Throws DeviceError(Build) where there is none.
SharedLibrary openCudaLibrary(const char *file, const std::vector<const char *> &versions, const char *name,
                              const std::string &folder);
[[noreturn]] void lacksFunction(const char *name, const char *symbol);
/// Statuses of all three count alike: 0 is well, others are of a call that did not begin.
void requireCall(int status, const char *call);

// NOLINTBEGIN(bugprone-macro-parentheses): declarations
#define PB_LIBRARY_MEMBER(member, symbol, parameters) int(*member) parameters = nullptr;
/// In a constructor that has `library` and `name`.
#define PB_LIBRARY_LOAD(member, symbol, parameters)                                                          \
  if (!(member = library.function<int parameters>(symbol)))                                                  \
    lacksFunction(name, symbol);
// NOLINTEND(bugprone-macro-parentheses)

} // namespace pb::device
