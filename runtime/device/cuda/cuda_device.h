// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A GPU under CUDA's driver. Its kernels are compiled by NVRTC to machine code for exactly this device, or
// are functions of one of CUDA's libraries.
//
//   auto device = openCudaDevice(0);
//
// There is one stream for kernels, one each for copies in and out, and one each for the host's side of copies
// through pinned memory (staging.h), which copies of locked pages do not need. Every command leaves an event, without times unless somebody asked for
// them; commands of other streams that touch the same memory wait for it on the device. Kernels beside others have a stream of
// their own, for which the kernels' stream waits at once, so that all that is given later is ordered behind both. wrap() is not implemented: the unified memory of drivers is not
// relied on (decision 22).
#pragma once
#include "runtime/device/chain_shelf.h"
#include "runtime/device/cuda/cuda_graph.h"
#include "runtime/device/cuda/host_pages.h"
#include "runtime/device/cuda/staging.h"
#include "runtime/device/kernel_cache.h"
#include "runtime/device/library/cuda_libraries.h"
#include <atomic>
#include <deque>
#include <set>
#include <utility>

namespace pb::device {

class CudaDevice : public Device {
public:
  explicit CudaDevice(CuDevice);
  ~CudaDevice() override;
  static Description describe(CuDevice);

  const Description &about() const override { return about_; }
  std::unique_ptr<Buffer> allocate(unsigned long bytes) override;
  unsigned long keptBytes() const override { return pool_->keptBytes(); }
  std::unique_ptr<Buffer> borrow(void *memory, unsigned long bytes) override;
  std::unique_ptr<Kernel> build(const KernelSource &) override;
  void plan(const Kernel &, const std::vector<LibraryMatrix> &) override;
  Builds builds() const override { return {compiled_, cached_}; }
  bool lockPages(void *, unsigned long) override;
  void unlockPages(void *) override;
  EventRef copyIn(Buffer &, const Transfer &, const void *host) override;
  EventRef copyOut(Buffer &, const Transfer &, void *host) override;
  bool reaches(const Device &) const override;
  bool isIdle(Buffer &) override;
  EventRef copyAcross(Buffer &from, const Transfer &, Device &to, Buffer &target) override;
  EventRef launch(Kernel &, const std::vector<Argument> &, const Grid &) override;
  EventRef launchChain(Kernel &, const std::vector<ChainLaunch> &) override;
  std::size_t longestChain() const override;
  Chains chains() const override { return {madeGraphs_, chains_}; }
  void fork() override;
  void launchBeside(bool) override;
  void flush() override {} // streams begin without a flush
  void timeCommands() override;
  bool callWhenOver(Event &, const std::function<void()> &ended) override;

private:
  bool isTimed() const { return epoch_ != nullptr; }
  /// The mark before a command; null if commands are not timed.
  CudaMarkRef begin(CuStream stream) const { return isTimed() ? context_->record(stream, true) : nullptr; }
  /// Does something that needs memory of the driver's own and has changed nothing if it fails; if it fails while the
  /// pool keeps some, once more without that.
  template <class F>
  auto withMemory(F &&make) -> decltype(make()) {
    try {
      return make();
    } catch (const DeviceError &problem) {
      if (problem.failure() == Failure::Lost || problem.failure() == Failure::Unsuitable ||
          pool_->keptBytes() == 0)
        throw;
    }
    pool_->clear();
    return make();
  }
  bool isLocked(const Transfer &, const char *host) const;
  EventRef copy(CudaBuffer &, CuQueue, const Transfer &, char *host);
  void launchParts(CudaKernel &, const Grid &, void **arguments);
  EventRef launchLibrary(const LibraryKernel &, const std::vector<Argument> &);
  /// Where the next kernel is launched.
  CuStream kernelStream() const { return isBeside_ ? besides_ : streams_[kCuKernels]; }
  /// Makes the kernel wait for other commands that use these buffers.
  void awaitOthers(const std::vector<Argument> &);
  EventRef noteLaunch(const std::vector<Argument> &, const CudaMarkRef &begin);

  Description about_;
  std::string architecture_;
  long gridExtent_[3] = {};
  KernelCache cache_;
  std::shared_ptr<CudaContext> context_;
  std::shared_ptr<CudaPool> pool_;
  CuStream streams_[kCuQueues] = {};
  CuStream calls_[kCuQueues] = {}; // for callWhenOver(), made when they are needed
  CuStream besides_ = {};          // of launches beside others, made when it is needed
  CudaMarkRef fork_;               // the kernels' stream at fork()
  bool isBeside_ = false;
  CudaMarkRef epoch_; // the origin of the device's clock; null: commands are not timed
  std::unique_ptr<Staging> in_, out_;
  std::unique_ptr<HostPages> pages_; // that need no staging
  std::set<const Device *> opened_;  // devices whose memory this one may use
  CudaLibraries libraries_{""};
  ChainShelf<std::shared_ptr<CudaGraph>> graphs_;
  std::deque<std::pair<std::shared_ptr<CudaGraph>, EventRef>> running_; // graphs that may still run
  long madeGraphs_ = 0, chains_ = 0;
  std::atomic<long> compiled_{0}, cached_{0};
};

} // namespace pb::device
