// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which memory of the host has pages that are locked for a CUDA device.
//
//   HostPages pages(context);
//   pages.lock(matrix, bytes);                   // throws DeviceError; takes about as long as a copy
//   if (pages.areLocked(matrix + 64, 1024)) ...  // the driver copies it by itself
//   pages.unlock(matrix);
//
// Any thread may call. Invariant: no lock is held while the driver is called.
#pragma once
#include "runtime/device/cuda/cuda_objects.h"

namespace pb::device {

class HostPages {
public:
  explicit HostPages(std::shared_ptr<CudaContext> context) : context_(std::move(context)) {}
  HostPages(const HostPages &) = delete;
  HostPages &operator=(const HostPages &) = delete;
  ~HostPages();
  void lock(void *, unsigned long bytes);
  void unlock(void *);
  bool areLocked(const void *, unsigned long bytes) const;

private:
  const std::shared_ptr<CudaContext> context_;
  mutable std::mutex mutex_;
  std::map<const char *, unsigned long> locked_; // bytes by the first one
};

} // namespace pb::device
