// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pinned memory between pageable memory of the host and a CUDA device. Copies of pageable memory would keep
// the caller waiting, and be slower.
//
//   Staging in(context, true);
//   in.copy(stream, address, t, host);      // all of it is enqueued: returns at once
//
// A copy is cut into pieces of at most kPiece bytes. For each, a host function (run by the driver, in the
// order of a stream of its own; some threads help it) moves the bytes between the host's rows and a slot of
// pinned memory, and a command of the caller's stream moves them between slot and device; events in between.
// With several slots both go on at the same time. Invariant: nobody waits but streams. Slots are taken in
// turn; a slot's event says when it is free again.
#pragma once
#include "runtime/device/cuda/copy_threads.h"
#include "runtime/device/cuda/cuda_objects.h"

namespace pb::device {

class Staging {
public:
  static constexpr unsigned long kPiece = 4UL << 20;
  static constexpr int kSlots = 4;
  /// Up to so many bytes in a row the driver takes at once, without waiting.
  static constexpr unsigned long kAtOnce = 64UL << 10;
  /// From so many bytes on it is worth to wake the helpers.
  static constexpr unsigned long kShared = 512UL << 10;

  Staging(std::shared_ptr<CudaContext>, bool in, int helpers = CopyThreads::useful());
  Staging(const Staging &) = delete;
  Staging &operator=(const Staging &) = delete;
  ~Staging();

  /// The mark of the host's side: the host's memory is read, or written. Null where it was at once.
  CudaMarkRef copy(CuStream, CuAddress, const Transfer &, char *host);
  /// Waits until all is done.
  void finish();

private:
  struct Slot {
    void *pinned = nullptr;
    CudaMarkRef free;
  };
  // Each of them fits into a slot.
  void piece(CuStream, CuAddress, const Transfer &, char *host);
  void deviceCopy(CuStream, CuAddress, const Transfer &, char *pinned) const;

  std::shared_ptr<CudaContext> context_;
  const bool in_;
  CopyThreads threads_;
  CuStream hostSide_ = nullptr;
  Slot slots_[kSlots];
  int next_ = 0;
};

} // namespace pb::device
