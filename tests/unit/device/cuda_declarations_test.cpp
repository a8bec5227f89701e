// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares the project's declarations of CUDA's driver with CUDA's own header, if it is installed.
#include "runtime/device/cuda/cuda_api.h" // before cuda.h, whose macros rename functions

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
#include <cuda.h>

namespace pb::device {
namespace {

/// A parameter as it is passed in machine code, which is what matters to a caller.
template <class T>
constexpr char passed() {
  if constexpr (std::is_pointer_v<T>)
    return 'p';
  else if constexpr (sizeof(T) == 8)
    return 'l';
  else
    return 'i';
}
template <class R, class... A>
std::string passedTo(R (*)(A...)) {
  return {passed<R>(), passed<A>()...};
}

TEST(CudaDeclarations, FunctionsTakeWhatTheHeaderSays){
// NOLINTBEGIN(bugprone-macro-parentheses): a type
#define PB_COMPARE(member, symbol, parameters)                                                               \
  EXPECT_EQ(passedTo(static_cast<CuStatus(*) parameters>(nullptr)), passedTo(decltype (&::member)(nullptr))) \
      << symbol;
    PB_CUDA_FUNCTIONS(PB_COMPARE) PB_CUDA_GRAPH_FUNCTIONS(PB_COMPARE) PB_CUDA_PEER_FUNCTIONS(PB_COMPARE)
#undef PB_COMPARE
    // NOLINTEND(bugprone-macro-parentheses)
}

TEST(CudaDeclarations, RowsAreLaidOutAlike) {
  EXPECT_EQ(sizeof(CuRows), sizeof(CUDA_MEMCPY2D));
#define PB_SAME(mine, theirs) EXPECT_EQ(offsetof(CuRows, mine), offsetof(CUDA_MEMCPY2D, theirs))
  PB_SAME(fromX, srcXInBytes);
  PB_SAME(fromY, srcY);
  PB_SAME(fromType, srcMemoryType);
  PB_SAME(fromHost, srcHost);
  PB_SAME(fromDevice, srcDevice);
  PB_SAME(fromPitch, srcPitch);
  PB_SAME(toType, dstMemoryType);
  PB_SAME(toHost, dstHost);
  PB_SAME(toDevice, dstDevice);
  PB_SAME(toPitch, dstPitch);
  PB_SAME(bytes, WidthInBytes);
  PB_SAME(rows, Height);
#undef PB_SAME
  EXPECT_EQ(int{CuRows::Host}, CU_MEMORYTYPE_HOST);
  EXPECT_EQ(int{CuRows::Device}, CU_MEMORYTYPE_DEVICE);
  EXPECT_EQ(int{kCuMemoryKind}, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
  EXPECT_EQ(int{kCuMemoryDevice}, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
}

TEST(CudaDeclarations, RowsAcrossAreLaidOutAlike) {
  EXPECT_EQ(sizeof(CuRowsAcross), sizeof(CUDA_MEMCPY3D_PEER));
#define PB_SAME(mine, theirs) EXPECT_EQ(offsetof(CuRowsAcross, mine), offsetof(CUDA_MEMCPY3D_PEER, theirs))
  PB_SAME(from.type, srcMemoryType);
  PB_SAME(from.device, srcDevice);
  PB_SAME(from.context, srcContext);
  PB_SAME(from.pitch, srcPitch);
  PB_SAME(from.height, srcHeight);
  PB_SAME(to.type, dstMemoryType);
  PB_SAME(to.device, dstDevice);
  PB_SAME(to.context, dstContext);
  PB_SAME(to.pitch, dstPitch);
  PB_SAME(to.height, dstHeight);
  PB_SAME(bytes, WidthInBytes);
  PB_SAME(rows, Height);
  PB_SAME(planes, Depth);
#undef PB_SAME
}

TEST(CudaDeclarations, KernelsOfGraphsAreLaidOutAlike) {
  EXPECT_EQ(sizeof(CuKernelNode), sizeof(CUDA_KERNEL_NODE_PARAMS_v2));
#define PB_SAME(mine, theirs)                                                                                \
  EXPECT_EQ(offsetof(CuKernelNode, mine), offsetof(CUDA_KERNEL_NODE_PARAMS_v2, theirs))
  PB_SAME(function, func);
  PB_SAME(grid, gridDimX);
  PB_SAME(group, blockDimX);
  PB_SAME(localBytes, sharedMemBytes);
  PB_SAME(arguments, kernelParams);
  PB_SAME(extra, extra);
  PB_SAME(kernel, kern);
  PB_SAME(context, ctx);
#undef PB_SAME
}

TEST(CudaDeclarations, NumbersAreTheHeaders) {
  EXPECT_EQ(int{kCuGroupItems}, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  EXPECT_EQ(int{kCuGroupExtent}, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
  EXPECT_EQ(int{kCuGridExtent}, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  EXPECT_EQ(int{kCuLocalBytes}, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  EXPECT_EQ(int{kCuUnits}, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  EXPECT_EQ(int{kCuMajor}, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_EQ(int{kCuMinor}, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_EQ(kCuOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(kCuNotReady, CUDA_ERROR_NOT_READY);
}

} // namespace
} // namespace pb::device
#else
TEST(CudaDeclarations, FunctionsTakeWhatTheHeaderSays) { GTEST_SKIP() << "cuda.h is not installed"; }
#endif
