// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a CUDA device shares with its buffers, kernels and events: the context, a pool of memory, events.
//
//   auto context = std::make_shared<CudaContext>(device);
//   CudaMarkRef mark = context->record(stream, false);   // an event that was used before, or a new one
//   CudaMemory memory = pool->allocate(bytes);           // used before, or new
//
// Events are used again, because making one takes the driver as long as a launch; a stream that was told to
// wait for an event waits for what was recorded then, so an event may be used again before the wait is over.
// Memory that is freed goes to a pool, because cuMemFree waits for everything that the device does. Its last
// uses are kept with it: commands of its next user are ordered after them on the device, and no thread waits.
// Invariant: the context lives as long as anything in it, the pool as long as the device or a buffer.
#pragma once
#include "runtime/device/cuda/cuda_api.h"
#include "runtime/device/last_uses.h"
#include <map>
#include <mutex>
#include <vector>

namespace pb::device {

enum CuQueue { kCuIn, kCuOut, kCuKernels, kCuQueues };

class CudaContext;

/// A recorded event of the driver, which it takes from its context's pool and gives back.
struct CudaMark {
  CudaMark(std::shared_ptr<CudaContext> context, bool timed);
  CudaMark(const CudaMark &) = delete;
  CudaMark &operator=(const CudaMark &) = delete;
  ~CudaMark();
  const std::shared_ptr<CudaContext> context;
  const bool isTimed;
  CuEvent event = nullptr;
};
using CudaMarkRef = std::shared_ptr<CudaMark>;

struct CudaMemory {
  CuAddress address = 0;
  unsigned long bytes = 0; // at least as many as asked for
  LastUses<CudaMarkRef, kCuQueues> uses = {};
};

class CudaContext : public std::enable_shared_from_this<CudaContext> {
public:
  explicit CudaContext(CuDevice);
  CudaContext(const CudaContext &) = delete;
  CudaContext &operator=(const CudaContext &) = delete;
  ~CudaContext();

  CuDevice device() const { return device_; }
  CuContext context() const { return context_; }
  /// To be called before any call of the driver, on every thread.
  void enter() const;
  CudaMarkRef record(CuStream, bool timed);
  void wait(CuStream, const CudaMarkRef &) const;
  /// A stream whose kernels begin before those of others that wait for a multiprocessor.
  CuStream urgentStream() const;
  /// An event for one mark at a time.
  CuEvent takeEvent(bool timed);
  void giveBack(CuEvent, bool timed);

  const Cuda &cuda;

private:
  CuDevice device_;
  CuContext context_ = nullptr;
  std::mutex mutex_;             // guards idle_
  std::vector<CuEvent> idle_[2]; // events that no mark has: without and with times
};

class CudaPool {
public:
  explicit CudaPool(std::shared_ptr<CudaContext> context) : context_(std::move(context)) {}
  CudaPool(const CudaPool &) = delete;
  CudaPool &operator=(const CudaPool &) = delete;
  ~CudaPool() { clear(); }
  CudaMemory allocate(unsigned long bytes);
  void giveBack(CudaMemory &&);
  unsigned long keptBytes() const { return keptBytes_; }
  /// Gives all that it keeps back to the driver; waits for commands that use it.
  void clear();

private:
  std::shared_ptr<CudaContext> context_;
  std::multimap<unsigned long, CudaMemory> kept_; // by size
  unsigned long keptBytes_ = 0;
};

class CudaBuffer : public Buffer {
public:
  CudaBuffer(std::shared_ptr<CudaPool> owner, unsigned long bytes)
      : size(bytes), memory(owner->allocate(bytes)), pool_(std::move(owner)) {}
  /// Somebody else's memory.
  explicit CudaBuffer(CudaMemory borrowed) : size(borrowed.bytes), memory(std::move(borrowed)) {}
  CudaBuffer(const CudaBuffer &) = delete;
  CudaBuffer &operator=(const CudaBuffer &) = delete;
  ~CudaBuffer() override {
    if (pool_)
      pool_->giveBack(std::move(memory));
  }
  const unsigned long size;
  CudaMemory memory;

private:
  std::shared_ptr<CudaPool> pool_; // null: the memory is borrowed
};

/// Code that the driver has loaded; stays loaded until its last launch has ended.
struct CudaModule {
  /// `dynamicBytes`: KernelSource::dynamicBytes.
  CudaModule(std::shared_ptr<CudaContext> owner, const std::string &binary, const std::string &entry,
             long dynamicBytes);
  CudaModule(const CudaModule &) = delete;
  CudaModule &operator=(const CudaModule &) = delete;
  ~CudaModule();
  const std::shared_ptr<CudaContext> context;
  CuModule module = nullptr;
  CuFunction function = nullptr;
  CuAddress firstGroup = 0; // address of the prelude's pb_first_group; 0: this kernel does not use it
  unsigned localBytes = 0;  // of a group, which every launch asks for
  CudaMarkRef lastLaunch;
  const unsigned long number; // of this module among all that were ever loaded
};

class CudaKernel : public Kernel {
public:
  CudaKernel(std::shared_ptr<CudaContext> owner, const std::string &binary, const KernelSource &source)
      : entry(source.entry),
        code(std::make_shared<CudaModule>(std::move(owner), binary, entry, source.dynamicBytes)) {}
  const std::string entry;
  const std::shared_ptr<CudaModule> code;
};

class CudaEvent : public Event {
public:
  /// `epoch` and `begin` are null if the command is not timed.
  CudaEvent(CuQueue of, CudaMarkRef epoch, CudaMarkRef begin, CudaMarkRef end, CudaMarkRef onHost)
      : queue(of), epoch_(std::move(epoch)), begin_(std::move(begin)), end_(std::move(end)),
        onHost_(std::move(onHost)) {}
  bool isDone() override;
  Span span() const override;
  const CudaMarkRef &end() const { return end_; }
  /// Reached when the command is over, also on the host's side.
  const CudaMarkRef &last() const { return onHost_ ? onHost_ : end_; }
  const CuQueue queue;

private:
  CudaMarkRef epoch_, begin_, end_, onHost_; // onHost_: when the host has the bytes, or null
};

} // namespace pb::device
