// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What NVRTC makes of the dialect, which version of it compiles, and when it need not.
#include "cuda_fixture.h"
#include "runtime/device/dialect.h"

#include <gmock/gmock.h>

namespace pb::device::test {
namespace {

TEST(CompileCuda, TheWholeDialectForSeveralArchitectures) {
  NEEDS_NVRTC();
  const std::string text = kernelText(kCudaPrelude, {everythingInTheDialect(), "everything", {4, 1, 1}});
  for (const char *architecture : {"sm_80", "sm_90"}) {
    const std::string cubin = compileCuda(text, architecture);
    EXPECT_EQ(cubin.substr(0, 4), "\177ELF") << architecture;
    EXPECT_THAT(cubin, testing::HasSubstr("everything")) << architecture; // by its own name
  }
  EXPECT_THAT(compileCuda(text, "sm_999"),
              testing::HasSubstr(".visible .entry everything")); // PTX, for the driver
}

TEST(CompileCuda, SaysWhatIsWrong) {
  NEEDS_NVRTC();
  try {
    compileCuda(
        kernelText(
            kCudaPrelude,
            {"PB_KERNEL(k)(PB_GLOBAL int *A_p)\n{\n  PB_BEGIN\n  A_p[0] = nobody;\n  PB_END\n}\n", "k"}),
        "sm_90");
    FAIL() << "it compiled";
  } catch (const DeviceError &error) {
    EXPECT_EQ(error.failure(), Failure::Build);
    EXPECT_THAT(error.what(), testing::HasSubstr("k(4): error: identifier \"nobody\" is undefined"));
  }
  EXPECT_THROW(compileCuda("", "sm_10"), DeviceError);
}

TEST(CompileCuda, TooMuchLocalMemoryDoesNotCompile) { // requirement 21
  NEEDS_NVRTC();
  const KernelSource source{
      "PB_KERNEL(k)(PB_GLOBAL int *A_p)\n{\n  PB_LOCAL_ARRAY(int, t, 20000);\n  PB_BEGIN\n"
      "  t[PB_LOCAL_ID(0)] = A_p[0];\n  PB_BARRIER();\n  A_p[1] = t[A_p[0]];\n  PB_END\n}\n",
      "k"};
  EXPECT_THROW(compileCuda(kernelText(kCudaPrelude, source), "sm_90"), DeviceError);
}

TEST(CompileCuda, LooksForTheCompilerThatTheDriverCanLoad) {
  setenv("CUDA_HOME", "/home", 1);
  const auto first = [](int driver) { return nvrtcNames(driver).front(); };
  EXPECT_EQ(first(13000), "/home/lib64/libnvrtc.so.13");
  EXPECT_EQ(first(12040), "/home/lib64/libnvrtc.so.12");
  EXPECT_EQ(first(14010), "/home/lib64/libnvrtc.so.14");
  EXPECT_EQ(first(11080), "/home/lib64/libnvrtc.so.12"); // the oldest that there may be
  EXPECT_EQ(first(0), "/home/lib64/libnvrtc.so.13");
  const std::vector<std::string> all = nvrtcNames(12040);
  EXPECT_LT(std::find(all.begin(), all.end(), "libnvrtc.so.12"),
            std::find(all.begin(), all.end(), "libnvrtc.so.13"));
  EXPECT_EQ(all.back(), "/usr/local/cuda/lib64/libnvrtc.so");
  unsetenv("CUDA_HOME");
}

TEST_F(CudaDevices, TheSecondBuildCompilesNothing) { // requirements 83, 95
  NEEDS_NVRTC();
  std::filesystem::remove_all(scratchFolder() / "kernels");
  device->build({kScale, "scale", {64, 1, 1}});
  device->build({kScale, "scale", {64, 1, 1}});
  EXPECT_EQ(device->builds().compiled, 1);
  EXPECT_EQ(device->builds().cached, 1);
}

/// With two compilers installed, an older driver gets code that it can load, and code that only the newer
/// compiler understands is refused, not the device.
TEST_F(CudaDevices, AnOlderDriverGetsTheOlderCompiler) {
  setenv("CUDA_HOME", PB_TEST_CUDA_HOME, 1);
  for (const int version : {12, 14}) {
    of<void(int)>("pb_test_version")(version * 1000 + 40);
    std::vector<std::string> complaints;
    device = std::move(openDevices("cuda", complaints).at(0));
    const int compiler = std::min(version, 13); // 14 is not there
    EXPECT_EQ(device->about().driver,
              "driver " + std::to_string(version) + ".4, NVRTC " + std::to_string(compiler) + ".4");
    EXPECT_TRUE(device->build({"// since 12", "scale", {64, 1, 1}}));
    try {
      device->build({"// since 13", "scale", {64, 1, 1}});
      EXPECT_EQ(version, 14);
    } catch (const DeviceError &error) {
      EXPECT_EQ(version, 12);
      EXPECT_EQ(error.failure(), Failure::Build);
      EXPECT_STREQ(error.what(), "the kernel does not compile for sm_90 by NVRTC 12.4:\n"
                                 "error: this compiler is too old");
    }
    auto buffer = bufferOf(*device, std::vector<float>(64, 1));
    const auto kernel = device->build({"// since 12", "scale", {64, 1, 1}});
    finish(*device, scale(*kernel, *buffer, 64, 2));
    EXPECT_THAT(contentsOf<float>(*device, *buffer, 64), testing::Each(2.0f));
  }
  unsetenv("CUDA_HOME");
}

} // namespace
} // namespace pb::device::test
