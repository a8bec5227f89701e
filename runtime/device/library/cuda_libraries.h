// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cuBLAS, cuSOLVER and cuFFT, from the libraries that a program finds when it runs: what carries out the
// entries of a device.
//
//   CudaLibraries libraries("");
//   libraries.open(Entry::Gemm);                        // throws DeviceError(Build): cuBLAS is not here
//   libraries.prepare(call, matrices, scratch)(stream);  // refused (Launch) before anything runs; then
//   enqueued
//
// The declarations are our own, of the little that is needed. Invariants: open() may be called by any thread,
// in whose context handles are made; all else only by the management thread. Numbers that are passed by
// address lie on the host, and are read before a call returns.
#pragma once
#include "runtime/device/library/library_call.h"
#include <map>
#include <memory>
#include <mutex>

namespace pb::device {

struct Cublas;
struct Cusolver;
struct Cufft;

class CudaLibraries {
public:
  /// `folder`: the only one in which libraries are looked for (tests have their own), else where the system
  /// does, $CUDA_HOME/lib64 and /usr/local/cuda/lib64. $PB_CUDA_LIBRARIES names such a folder, too.
  explicit CudaLibraries(std::string folder);
  ~CudaLibraries();
  CudaLibraries(const CudaLibraries &) = delete;
  CudaLibraries &operator=(const CudaLibraries &) = delete;

  void open(Entry);
  using Stream = void *;
  using Run = std::function<void(Stream)>;
  /// Memory of the device until the run is done.
  using Scratch = std::function<unsigned long(unsigned long bytes)>;
  Run prepare(const LibraryCall &, const std::vector<LibraryMatrix> &, const Scratch &);

private:
  Run gemm(const LibraryCall &, const std::vector<LibraryMatrix> &);
  Run gemv(const LibraryCall &, const std::vector<LibraryMatrix> &);
  Run solve(const LibraryCall &, const std::vector<LibraryMatrix> &);
  Run cholesky(const LibraryCall &, const std::vector<LibraryMatrix> &, const Scratch &);
  Run lu(const LibraryCall &, const std::vector<LibraryMatrix> &, const Scratch &);
  Run fft(const LibraryCall &, const std::vector<LibraryMatrix> &);

  const std::string folder_;
  std::mutex mutex_; // of what is opened
  std::unique_ptr<Cublas> cublas_;
  std::unique_ptr<Cusolver> cusolver_;
  std::unique_ptr<Cufft> cufft_;
};

} // namespace pb::device
