// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A library that is opened when a program runs, if the machine has it.
//
//   SharedLibrary library({"libOpenCL.so.1", "libOpenCL.so"});
//   if (library) auto f = library.function<int(int)>("clFinish");    // null if the library lacks it
//
// Libraries are never closed, because drivers keep threads.
#pragma once
#include <dlfcn.h>
#include <string>
#include <vector>

namespace pb::device {

class SharedLibrary {
public:
  explicit SharedLibrary(const std::vector<std::string> &names) {
    for (const std::string &name : names)
      if (!handle_)
        handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  explicit operator bool() const { return handle_ != nullptr; }
  template <class F>
  F *function(const char *name) const {
    return handle_ ? reinterpret_cast<F *>(dlsym(handle_, name)) : nullptr;
  }

private:
  void *handle_ = nullptr;
};

} // namespace pb::device
