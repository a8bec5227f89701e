// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CUDA's driver and its compiler, from the libraries that a program finds when it runs. The few declarations
// that are needed are written here, because pbc must build where CUDA is not installed.
//
//   if (const Cuda *cuda = Cuda::get()) require(cuda->cuStreamQuery(stream), Failure::Lost, "cuStreamQuery");
//   std::string cubin = compileCuda(kernelText(kCudaPrelude, source), "sm_90");      // needs no GPU
//
// Invariant: get() is null or has all of the functions below, except perhaps those for graphs and peers,
// and the driver was started. $PB_CUDA_DRIVER names a driver to be used instead of libcuda.so.1 (tests have one of their own).
#pragma once
#include "runtime/device/device.h"
#include <cstddef>

namespace pb::device {

using CuStatus = int; // 0: success
using CuDevice = int;
using CuAddress = unsigned long long;
using CuContext = struct CUctx_st *;
using CuStream = struct CUstream_st *;
using CuEvent = struct CUevent_st *;
using CuModule = struct CUmod_st *;
using CuFunction = struct CUfunc_st *;
using CuGraph = struct CUgraph_st *;
using CuGraphNode = struct CUgraphNode_st *;
using CuGraphExec = struct CUgraphExec_st *;
using CuHostFunction = void (*)(void *);

/// A copy of rows: CUDA_MEMCPY2D.
struct CuRows {
  enum Type : int { Host = 1, Device = 2 };
  std::size_t fromX = 0, fromY = 0;
  Type fromType = Host;
  const void *fromHost = nullptr;
  CuAddress fromDevice = 0;
  void *fromArray = nullptr;
  std::size_t fromPitch = 0;
  std::size_t toX = 0, toY = 0;
  Type toType = Device;
  void *toHost = nullptr;
  CuAddress toDevice = 0;
  void *toArray = nullptr;
  std::size_t toPitch = 0;
  std::size_t bytes = 0, rows = 0;
};

/// A copy of rows between the memory of two contexts: CUDA_MEMCPY3D_PEER.
struct CuRowsAcross {
  struct End {
    std::size_t x = 0, y = 0, z = 0, level = 0;
    CuRows::Type type = CuRows::Device;
    const void *host = nullptr;
    CuAddress device = 0;
    void *array = nullptr;
    CuContext context = nullptr;
    std::size_t pitch = 0, height = 0;
  };
  End from = {}, to = {};
  std::size_t bytes = 0, rows = 0, planes = 1;
};

/// A kernel in a graph: CUDA_KERNEL_NODE_PARAMS_v2.
struct CuKernelNode {
  CuFunction function = nullptr;
  unsigned grid[3] = {1, 1, 1}, group[3] = {1, 1, 1}, localBytes = 0;
  void **arguments = nullptr, **extra = nullptr;
  void *kernel = nullptr, *context = nullptr;
};

enum CuAttribute : int {
  kCuGroupItems = 1,
  kCuGroupExtent = 2, // and 3, 4
  kCuGridExtent = 5,  // and 6, 7
  kCuLocalBytes = 8,
  kCuUnits = 16,
  kCuMajor = 75,
  kCuMinor = 76,
  kCuMostLocalBytes = 97, // for kernels that ask for more
};
constexpr CuStatus kCuOutOfMemory = 2, kCuNotReady = 600;
constexpr int kCuMemoryKind = 2, kCuMemoryDevice = 9; // attributes of addresses; the first is a CuRows::Type
constexpr CuStream kCuDefaultStream =
    nullptr; // the one that waits for all streams which do not say otherwise
constexpr int kCuFunctionGroupItems = 0, kCuFunctionDynamicBytes = 8; // attributes of functions

// EACH(member, symbol, parameters)
#define PB_CUDA_FUNCTIONS(EACH)                                                                              \
  EACH(cuInit, "cuInit", (unsigned))                                                                         \
  EACH(cuDriverGetVersion, "cuDriverGetVersion", (int *))                                                    \
  EACH(cuGetErrorName, "cuGetErrorName", (CuStatus, const char **))                                          \
  EACH(cuGetErrorString, "cuGetErrorString", (CuStatus, const char **))                                      \
  EACH(cuDeviceGetCount, "cuDeviceGetCount", (int *))                                                        \
  EACH(cuDeviceGet, "cuDeviceGet", (CuDevice *, int))                                                        \
  EACH(cuDeviceGetName, "cuDeviceGetName", (char *, int, CuDevice))                                          \
  EACH(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (std::size_t *, CuDevice))                                   \
  EACH(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *, int, CuDevice))                                 \
  EACH(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CuContext *, CuDevice))                        \
  EACH(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CuDevice))                                \
  EACH(cuCtxSetCurrent, "cuCtxSetCurrent", (CuContext))                                                      \
  EACH(cuMemAlloc, "cuMemAlloc_v2", (CuAddress *, std::size_t))                                              \
  EACH(cuMemFree, "cuMemFree_v2", (CuAddress))                                                               \
  EACH(cuPointerGetAttribute, "cuPointerGetAttribute", (void *, int, CuAddress))                             \
  EACH(cuMemAllocHost, "cuMemAllocHost_v2", (void **, std::size_t))                                          \
  EACH(cuMemFreeHost, "cuMemFreeHost", (void *))                                                             \
  EACH(cuMemHostRegister, "cuMemHostRegister_v2", (void *, std::size_t, unsigned))                           \
  EACH(cuMemHostUnregister, "cuMemHostUnregister", (void *))                                                 \
  EACH(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (CuAddress, const void *, std::size_t, CuStream))          \
  EACH(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void *, CuAddress, std::size_t, CuStream))                \
  EACH(cuMemcpy2DAsync, "cuMemcpy2DAsync_v2", (const CuRows *, CuStream))                                    \
  EACH(cuMemsetD32Async, "cuMemsetD32Async", (CuAddress, unsigned, std::size_t, CuStream))                   \
  EACH(cuStreamCreate, "cuStreamCreate", (CuStream *, unsigned))                                             \
  EACH(cuStreamCreateWithPriority, "cuStreamCreateWithPriority", (CuStream *, unsigned, int))                \
  EACH(cuStreamDestroy, "cuStreamDestroy_v2", (CuStream))                                                    \
  EACH(cuStreamSynchronize, "cuStreamSynchronize", (CuStream))                                               \
  EACH(cuStreamWaitEvent, "cuStreamWaitEvent", (CuStream, CuEvent, unsigned))                                \
  EACH(cuLaunchHostFunc, "cuLaunchHostFunc", (CuStream, CuHostFunction, void *))                             \
  EACH(cuEventCreate, "cuEventCreate", (CuEvent *, unsigned))                                                \
  EACH(cuEventDestroy, "cuEventDestroy_v2", (CuEvent))                                                       \
  EACH(cuEventRecord, "cuEventRecord", (CuEvent, CuStream))                                                  \
  EACH(cuEventSynchronize, "cuEventSynchronize", (CuEvent))                                                  \
  EACH(cuEventQuery, "cuEventQuery", (CuEvent))                                                              \
  EACH(cuEventElapsedTime, "cuEventElapsedTime", (float *, CuEvent, CuEvent))                                \
  EACH(cuModuleLoadData, "cuModuleLoadData", (CuModule *, const void *))                                     \
  EACH(cuModuleUnload, "cuModuleUnload", (CuModule))                                                         \
  EACH(cuModuleGetFunction, "cuModuleGetFunction", (CuFunction *, CuModule, const char *))                   \
  EACH(cuModuleGetGlobal, "cuModuleGetGlobal_v2", (CuAddress *, std::size_t *, CuModule, const char *))      \
  EACH(cuFuncGetAttribute, "cuFuncGetAttribute", (int *, int, CuFunction))                                   \
  EACH(cuFuncSetAttribute, "cuFuncSetAttribute", (CuFunction, int, int))                                     \
  EACH(cuLaunchKernel, "cuLaunchKernel",                                                                     \
       (CuFunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CuStream, void **, \
        void **))

/// Graphs. A driver before CUDA 12 may lack some of them.
#define PB_CUDA_GRAPH_FUNCTIONS(EACH)                                                                        \
  EACH(cuGraphCreate, "cuGraphCreate", (CuGraph *, unsigned))                                                \
  EACH(cuGraphDestroy, "cuGraphDestroy", (CuGraph))                                                          \
  EACH(cuGraphAddKernelNode, "cuGraphAddKernelNode_v2",                                                      \
       (CuGraphNode *, CuGraph, const CuGraphNode *, std::size_t, const CuKernelNode *))                     \
  EACH(cuGraphInstantiate, "cuGraphInstantiateWithFlags", (CuGraphExec *, CuGraph, unsigned long long))      \
  EACH(cuGraphLaunch, "cuGraphLaunch", (CuGraphExec, CuStream))                                              \
  EACH(cuGraphExecDestroy, "cuGraphExecDestroy", (CuGraphExec))

/// Copies between devices, of which an old driver may lack some.
#define PB_CUDA_PEER_FUNCTIONS(EACH)                                                                         \
  EACH(cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer", (int *, CuDevice, CuDevice))                          \
  EACH(cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess", (CuContext, unsigned))                                \
  EACH(cuMemcpyPeerAsync, "cuMemcpyPeerAsync",                                                               \
       (CuAddress, CuContext, CuAddress, CuContext, std::size_t, CuStream))                                  \
  EACH(cuMemcpy3DPeerAsync, "cuMemcpy3DPeerAsync", (const CuRowsAcross *, CuStream))

struct Cuda {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration
#define PB_CUDA_MEMBER(member, symbol, parameters) CuStatus(*member) parameters = nullptr;
  PB_CUDA_FUNCTIONS(PB_CUDA_MEMBER)
  PB_CUDA_GRAPH_FUNCTIONS(PB_CUDA_MEMBER)
  PB_CUDA_PEER_FUNCTIONS(PB_CUDA_MEMBER)
#undef PB_CUDA_MEMBER
  bool hasGraphs = false, hasPeers = false; // all of the functions for graphs, and for peers, are there

  /// Null where this machine has no usable CUDA device.
  static const Cuda *get();
};

/// Throws DeviceError if the status is an error: with the Failure that belongs to the status if it is known,
/// else with `otherwise`.
void require(const Cuda &, CuStatus, Failure otherwise, const std::string &call);

/// The names under which NVRTC is looked for, the best one first. `driver`: as cuDriverGetVersion() gives it
/// (12040); 0 if the code is for no driver in particular. A driver loads what an NVRTC of its own major
/// version made, or of an older one, but not of a newer one.
std::vector<std::string> nvrtcNames(int driver);
/// "NVRTC 13.0", the one for this driver; empty where the compiler is not installed.
std::string nvrtcVersion(int driver = 0);
/// Machine code for the architecture ("sm_90"), or PTX for the driver to compile if NVRTC is older than the
/// architecture. Throws DeviceError(Build) with the compiler's messages. Several threads may compile at once.
std::string compileCuda(const std::string &text, const std::string &architecture, int driver = 0);

/// PTX for the architecture, with the lines of the text. Throws as compileCuda() does.
std::string ptxOfCuda(const std::string &text, const std::string &architecture);

/// The same with the lines of the text, and with what the assembler says of each kernel: registers, bytes that it spilled.
struct CudaCode {
  std::string binary, messages;
};
CudaCode compileCudaVerbosely(const std::string &text, const std::string &architecture);

} // namespace pb::device
