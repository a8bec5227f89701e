// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A GPU by CUDA's driver; kernels by NVRTC, which makes machine code for exactly this device,
// or by a function of one of CUDA's libraries.
//
//   auto device = openCudaDevice(0);
//
// Streams: one for kernels, one each for copies in and out, and one each for the host's side of copies
// through pinned memory (staging.h). Every command leaves an event; commands of other streams that touch the
// same memory wait for it on the device. wrap() is left out: unified memory of drivers is not relied on
// (decision 22).
#pragma once
#include "runtime/device/cuda/cuda_objects.h"
#include "runtime/device/cuda/staging.h"
#include "runtime/device/kernel_cache.h"
#include "runtime/device/library/cuda_libraries.h"
#include <atomic>

namespace pb::device {

class CudaDevice : public Device {
public:
  explicit CudaDevice(CuDevice);
  ~CudaDevice() override;
  static Description describe(CuDevice);

  const Description &about() const override { return about_; }
  std::unique_ptr<Buffer> allocate(unsigned long bytes) override;
  std::unique_ptr<Kernel> build(const KernelSource &) override;
  Builds builds() const override { return {compiled_, cached_}; }
  EventRef copyIn(Buffer &, const Transfer &, const void *host) override;
  EventRef copyOut(Buffer &, const Transfer &, void *host) override;
  EventRef launch(Kernel &, const std::vector<Argument> &, const Grid &) override;
  void flush() override {} // streams begin by themselves

private:
  EventRef copy(CudaBuffer &, CuQueue, const Transfer &, char *host);
  void launchParts(CudaKernel &, const Grid &, void **arguments);
  EventRef launchLibrary(const LibraryKernel &, const std::vector<Argument> &);
  /// Kernels wait for what else uses these buffers.
  void awaitOthers(const std::vector<Argument> &);
  EventRef noteLaunch(const std::vector<Argument> &, const CudaMarkRef &begin);

  Description about_;
  std::string architecture_;
  long gridExtent_[3] = {};
  KernelCache cache_;
  std::shared_ptr<CudaContext> context_;
  std::shared_ptr<CudaPool> pool_;
  CuStream streams_[kCuQueues] = {};
  CudaMarkRef epoch_; // where the device's clock begins
  std::unique_ptr<Staging> in_, out_;
  CudaLibraries libraries_{""};
  std::atomic<long> compiled_{0}, cached_{0};
};

} // namespace pb::device
