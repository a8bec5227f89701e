// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Buffers, kernels and events of OpenCL, which may live longer than their device: OpenCL counts references to
// its objects.
#pragma once
#include "runtime/device/last_uses.h"
#include "runtime/device/opencl/opencl_api.h"

namespace pb::device {

/// An OpenCL object; the last reference releases it.
template <class T>
using ClRef = std::shared_ptr<std::remove_pointer_t<T>>;
using ClContext = ClRef<cl_context>;
using ClQueue = ClRef<cl_command_queue>;
using ClMemory = ClRef<cl_mem>;
using ClProgram = ClRef<cl_program>;
using ClKernelRef = ClRef<cl_kernel>;
using ClEventRef = ClRef<cl_event>;

template <class T, class Release>
ClRef<T> owned(T object, Release release) {
  return ClRef<T>(object, [release](T o) {
    if (o)
      release(o);
  });
}

/// Each queue is in order; commands of different queues can run at the same time.
enum ClQueueKind { kQueueIn, kQueueOut, kQueueKernels, kQueues };

class OpenClEvent : public Event {
public:
  /// One command, or several of one queue: a copy that is not one rectangle.
  explicit OpenClEvent(std::vector<ClEventRef> commands) : commands_(std::move(commands)) {}
  bool isDone() override;
  Span span() const override;
  const ClEventRef &last() const { return commands_.back(); }

private:
  std::vector<ClEventRef> commands_; // at least one
};

class OpenClBuffer : public Buffer {
public:
  OpenClBuffer(ClMemory bytes, unsigned long count, void *host)
      : memory(std::move(bytes)), size(count), wraps(host) {}
  const ClMemory memory;
  const unsigned long size;
  void *const wraps; // the processor's memory that the buffer is, or null
  LastUses<ClEventRef, kQueues> uses;
};

class OpenClKernel : public Kernel {
public:
  OpenClKernel(ClKernelRef k, std::string name, const KernelNeeds &needs)
      : kernel(std::move(k)), entry(std::move(name)), needs_(needs) {}
  std::optional<KernelNeeds> needs() const override { return needs_; }
  const ClKernelRef kernel;
  const std::string entry;

private:
  const KernelNeeds needs_;
};

} // namespace pb::device
