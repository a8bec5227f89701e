// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Carries out library entries with cuBLAS, cuSOLVER and cuFFT, from the libraries that a program finds when
// it runs.
//
//   CudaLibraries libraries("");
//   libraries.open(Entry::Gemm);                          // throws DeviceError(Build): cuBLAS is not here
//   libraries.plan(call, matrices);                       // not by the management thread: plans take long
//   libraries.prepare(call, matrices, scratch)(stream);   // refused (Launch) before anything runs; then enqueued
//
// The few declarations that are needed are written here. Invariants: any thread may call open() and plan(), and handles
// are made in its context; everything else is called only by the management thread. Numbers that are passed
// by address lie on the host, and are read before a call returns.
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
  /// `folder`: if not empty, the only folder in which libraries are searched (tests have their own); else the
  /// system's folders, $CUDA_HOME/lib64 and /usr/local/cuda/lib64 are. $PB_CUDA_LIBRARIES names such a
  /// folder, too.
  explicit CudaLibraries(std::string folder);
  ~CudaLibraries();
  CudaLibraries(const CudaLibraries &) = delete;
  CudaLibraries &operator=(const CudaLibraries &) = delete;

  void open(Entry);
  using Stream = void *;
  using Run = std::function<void(Stream)>;
  /// Allocates memory of the device that is kept until the run is done.
  using Scratch = std::function<unsigned long(unsigned long bytes)>;
  /// Makes what takes long and depends on how the matrices lie, but not on their addresses: plans. Any thread may
  /// call, after open(), in its context; prepare() then finds it.
  void plan(const LibraryCall &, const std::vector<LibraryMatrix> &);
  Run prepare(const LibraryCall &, const std::vector<LibraryMatrix> &, const Scratch &);

private:
  Run gemm(const LibraryCall &, const std::vector<LibraryMatrix> &);
  Run gemv(const LibraryCall &, const std::vector<LibraryMatrix> &);
  Run solve(const LibraryCall &, const std::vector<LibraryMatrix> &);
  Run cholesky(const LibraryCall &, const std::vector<LibraryMatrix> &, const Scratch &);
  Run lu(const LibraryCall &, const std::vector<LibraryMatrix> &, const Scratch &);
  Run fft(const LibraryCall &, const std::vector<LibraryMatrix> &);

  const std::string folder_;
  std::mutex mutex_; // guards the libraries that are open
  std::unique_ptr<Cublas> cublas_;
  std::unique_ptr<Cusolver> cusolver_;
  std::unique_ptr<Cufft> cufft_;
};

} // namespace pb::device
