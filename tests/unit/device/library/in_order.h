// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the libraries of this folder share. They have those functions of CUDA's libraries that programs call,
// implement them by definition, slowly and strictly, and compute in the processor's memory: at once without a
// stream (the fake device), else in the order of a stream of the driver that PB_CUDA_DRIVER names
// (../cuda_driver.cpp).
#pragma once
#include <cstdlib>
#include <dlfcn.h>
#include <functional>

namespace pb::device::test {

inline void inOrder(void *stream, std::function<void()> work) {
  if (!stream) {
    work();
    return;
  }
  using Launch = int(void *, void (*)(void *), void *);
  static void *const driver = dlopen(std::getenv("PB_CUDA_DRIVER"), RTLD_NOW | RTLD_LOCAL);
  static auto *const launch = reinterpret_cast<Launch *>(dlsym(driver, "cuLaunchHostFunc"));
  launch(
      stream,
      [](void *given) {
        auto *f = static_cast<std::function<void()> *>(given);
        (*f)();
        delete f;
      },
      new std::function<void()>(std::move(work)));
}

struct Handle {
  void *stream = nullptr;
};

} // namespace pb::device::test
