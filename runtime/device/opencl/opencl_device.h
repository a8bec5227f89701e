// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A device of OpenCL: a GPU, or this processor by PoCL.
//
//   auto device = openOpenClDevice(0);    // the first device of the first platform
//
// There are three queues, each in order: copies in, copies out and kernels. If a command has to wait for an
// event of another queue, the event is in its wait list. Kernels are compiled as OpenCL C 1.2 without any
// option that gives up accuracy. wrap() works where the device is the processor itself: a buffer over the
// processor's memory is that memory. On other devices that share memory it is not supported, because their
// drivers require pages and caches of their own. Copies do not use pinned memory: a driver may copy pageable
// memory more slowly, and block the caller meanwhile.
#pragma once
#include "runtime/device/kernel_cache.h"
#include "runtime/device/opencl/opencl_objects.h"
#include <atomic>

namespace pb::device {

class OpenClDevice : public Device {
public:
  explicit OpenClDevice(cl_device_id);
  ~OpenClDevice() override;
  static Description describe(cl_device_id);

  const Description &about() const override { return about_; }
  std::unique_ptr<Buffer> allocate(unsigned long bytes) override;
  std::unique_ptr<Buffer> wrap(void *memory, unsigned long bytes) override;
  std::unique_ptr<Kernel> build(const KernelSource &) override;
  Builds builds() const override { return {compiled_, cached_}; }
  EventRef copyIn(Buffer &, const Transfer &, const void *host) override;
  EventRef copyOut(Buffer &, const Transfer &, void *host) override;
  EventRef launch(Kernel &, const std::vector<Argument> &, const Grid &) override;
  void flush() override;
  void timeCommands() override;
  bool callWhenOver(Event &, const std::function<void()> &ended) override;
  bool callAtEnd(const std::function<void()> &ended) override;

private:
  using Waits = std::vector<cl_event>;
  ClQueue queue(cl_command_queue_properties) const;
  /// Enqueues a command by `call(queue, number of waits, waits, event)`.
  template <class Call>
  ClEventRef enqueue(ClQueueKind, const Waits &, const char *name, Call &&call);
  template <class Row, class Rectangle>
  EventRef copy(OpenClBuffer &, ClQueueKind, const Transfer &, Row &&, Rectangle &&);
  EventRef share(OpenClBuffer &, ClQueueKind, cl_map_flags);
  ClProgram programFrom(const std::string &binary);
  ClProgram compile(const std::string &text, const std::string &entry);
  std::string buildLog(const ClProgram &) const;
  KernelNeeds needsOf(const ClKernelRef &) const;

  const OpenCl &cl_;
  cl_device_id device_;
  Description about_;
  std::string options_;
  KernelCache cache_;
  ClContext context_;
  ClQueue queues_[kQueues], setup_;
  ClEventRef last_[kQueues]; // since the last flush()
  std::shared_ptr<const std::function<void()>> ended_;
  std::atomic<long> compiled_{0}, cached_{0};
};

} // namespace pb::device
