// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device of CUDA on the project's own driver for tests (cuda_driver.cpp), which counts what a program does wrong.
#pragma once
#include "runtime/device/cuda/cuda_api.h"
#include "runtime/device/list.h"
#include "support.h"
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace pb::device::test {

#define NEEDS_NVRTC()                                                                                        \
  if (nvrtcVersion().empty())                                                                                \
  GTEST_SKIP() << "this machine has no NVRTC"

class CudaDevices : public testing::Test {
protected:
  void SetUp() override {
    setenv("PB_CUDA_DRIVER", PB_TEST_CUDA_DRIVER, 1);
    std::vector<std::string> complaints;
    auto devices = openDevices("cuda", complaints);
    if (devices.empty() || devices[0]->about().name != "a test")
      GTEST_SKIP()
          << "an earlier test of this process looked for the real driver: run this one alone, as ctest does";
    device = std::move(devices[0]);
    driver = dlopen(PB_TEST_CUDA_DRIVER, RTLD_NOW);
    ASSERT_TRUE(driver) << dlerror();
    mistakes = of<int()>("pb_test_mistakes")();
  }
  void TearDown() override {
    if (!driver)
      return;
    device.reset();
    EXPECT_EQ(of<int()>("pb_test_mistakes")(), mistakes);
  }
  template <class F>
  F *of(const char *name) {
    return reinterpret_cast<F *>(dlsym(driver, name));
  }
  EventRef scale(Kernel &kernel, Buffer &buffer, long n, double by) {
    return device->launch(kernel,
                          {Argument::writes(buffer), Argument::of(0L),
                           Argument::of(__builtin_bit_cast(long, by)), Argument::of(0L), Argument::of(n)},
                          gridOf((n + 63) / 64 * 64, 64));
  }
  std::unique_ptr<Device> device;
  void *driver = nullptr;
  int mistakes = 0;
};

} // namespace pb::device::test
