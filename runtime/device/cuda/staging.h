// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies between memory of the host and a CUDA device by way of pinned memory, unless its pages are
// locked. Direct copies of pageable memory would block the caller, and be slower.
//
//   Staging in(context, true);
//   in.copy(stream, address, t, host);      // enqueues all of it and returns at once
//
// A copy is cut into pieces of at most kPiece bytes. For each piece, a host function (run by the driver, in
// the order of a stream of its own, helped by some threads) moves the bytes between the host's rows and a
// slot of pinned memory, and a command of the caller's stream moves them between slot and device; events
// order the two. With several slots both go on at the same time. Invariant: only streams wait. Slots are
// taken in turn; a slot's event says when it is free again.
#pragma once
#include "runtime/device/cuda/copy_threads.h"
#include "runtime/device/cuda/cuda_objects.h"

namespace pb::device {

class Staging {
public:
  static constexpr unsigned long kPiece = 4UL << 20;
  static constexpr int kSlots = 4;
  /// Up to this number of contiguous bytes the driver takes a copy at once, without waiting.
  static constexpr unsigned long kAtOnce = 64UL << 10;
  /// From this number of bytes on it pays to wake the helpers.
  static constexpr unsigned long kShared = 512UL << 10;

  Staging(std::shared_ptr<CudaContext>, bool in, int helpers = CopyThreads::useful());
  Staging(const Staging &) = delete;
  Staging &operator=(const Staging &) = delete;
  ~Staging();

  /// Returns the mark of the host's side: it is reached when the host's memory has been read, or written.
  /// Null if that was done at once.
  CudaMarkRef copy(CuStream, CuAddress, const Transfer &, char *host);
  /// The same for memory whose pages are locked, directly: all is done when the stream has done it.
  void copyLocked(CuStream, CuAddress, const Transfer &, char *host) const;
  /// Waits until all is done.
  void finish();

private:
  struct Slot {
    void *pinned = nullptr;
    CudaMarkRef free;
  };
  // Copies a part of the transfer that fits into a slot.
  void piece(CuStream, CuAddress, const Transfer &, char *host);
  // Copies rows between the device and locked memory, whose rows and planes have these distances.
  void deviceCopy(CuStream, CuAddress, const Transfer &, char *locked, long rowStep, long planeStep) const;

  std::shared_ptr<CudaContext> context_;
  const bool in_;
  CopyThreads threads_;
  CuStream hostSide_ = nullptr;
  Slot slots_[kSlots];
  int next_ = 0;
};

} // namespace pb::device
