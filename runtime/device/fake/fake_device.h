// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A device that is this processor, with the time, memory and failures that are asked for (fake_options.h):
// for tests, and for machines without any other device.
//
//   FakeOptions options = parseFakeOptions("memory=1M latency=100us fail=launch:2");
//   options.kernels["twice"] = [](const HostLaunch &l) {
//     for (long k = 0; k < l.value(1); ++k) l.pointer<float>(0)[k] *= 2;
//   };
//   FakeDevice device(options);
//   ... device.counters().launches
//
// It is as strict as a device may be: nothing begins before flush(), everything takes effect later, on
// threads of its own; new buffers and the memory of groups hold arbitrary bytes. Mistakes of the caller throw
// std::logic_error: copies past a buffer's end, buffers of another device or that were freed, arguments that
// do not match the kernel's. Events of kernels that wrote just outside of a buffer, or whose items met
// different barriers, throw it, too.
#pragma once
#include "runtime/device/chain_shelf.h"
#include "runtime/device/fake/engines.h"
#include "runtime/device/fake/fake_options.h"
#include "runtime/device/kernel_cache.h"
#include "runtime/device/last_uses.h"
#include "runtime/device/library/cuda_libraries.h"
#include <set>

namespace pb::device {

struct FakeCounters {
  long allocations = 0, copiesIn = 0, copiesOut = 0, launches = 0, builds = 0; // that were asked for
  unsigned long bytesIn = 0, bytesOut = 0;                                     // copied
  long copiesAcross = 0;                  // to other devices, that were asked for
  long buffers = 0;                       // that have not been freed
  unsigned long bytes = 0, mostBytes = 0; // allocated now, and at most at once
  long events = 0;                        // of copies and launches, that exist now
  long polls = 0;                         // of events
  long locks = 0, locked = 0;             // of pages: asked for, and there now
  long lockedCopies = 0;                  // copies of memory whose pages are all locked
  long besides = 0;                       // launches and chains that need not wait for those since a fork
  long graphs = 0, chains = 0;            // made, and given; `launches` has the launches of a chain, too
};

class FakeBuffer;
/// The fake device needs to know of a graph only that it was made.
struct FakeGraph {};

class FakeDevice : public Device {
public:
  explicit FakeDevice(FakeOptions options = {}, int number = 0);
  ~FakeDevice() override;
  static Description describe(const FakeOptions &, int number);

  const Description &about() const override { return about_; }
  std::unique_ptr<Buffer> allocate(unsigned long bytes) override;
  std::unique_ptr<Buffer> wrap(void *memory, unsigned long bytes) override;
  /// Its memory is the processor's, so that a caller gets some from malloc().
  std::unique_ptr<Buffer> borrow(void *memory, unsigned long bytes) override;
  std::unique_ptr<Kernel> build(const KernelSource &) override;
  void plan(const Kernel &, const std::vector<LibraryMatrix> &) override;
  Builds builds() const override;
  bool lockPages(void *, unsigned long) override;
  void unlockPages(void *) override;
  EventRef copyIn(Buffer &, const Transfer &, const void *host) override;
  EventRef copyOut(Buffer &, const Transfer &, void *host) override;
  bool reaches(const Device &) const override;
  bool isIdle(Buffer &) override;
  EventRef copyAcross(Buffer &from, const Transfer &, Device &to, Buffer &target) override;
  EventRef launch(Kernel &, const std::vector<Argument> &, const Grid &) override;
  EventRef launchChain(Kernel &, const std::vector<ChainLaunch> &) override;
  std::size_t longestChain() const override { return kLongestChain; }
  Chains chains() const override;
  void launchBeside(bool isBeside) override { isBeside_ = isBeside; }
  void flush() override { engines_.flush(); }
  void timeCommands() override { isTimed_ = true; }
  bool callWhenOver(Event &, const std::function<void()> &ended) override;

  FakeCounters counters() const;
  /// Adds a failure; its number counts from the creation of the device.
  void fail(FakeFault);
  /// Lets commands that hang continue; from now on none hangs.
  void release();

private:
  friend class FakeBuffer;
  struct State; // outlives the device, because its buffers use it
  bool fails(FakeFault::Kind, long number) const;
  void throwIfLost() const;
  FakeBuffer &known(Buffer &) const;
  std::unique_ptr<Buffer> bufferOver(void *memory, unsigned long bytes);
  FakeCommandRef begin(double seconds);
  EventRef launchLibrary(const LibraryKernel &, const std::vector<Argument> &);
  /// Throws if one of the next launches is to be refused; true: one is to be wrong.
  bool countLaunches(long count);
  struct Prepared;
  Prepared prepare(Kernel &, const std::vector<Argument> &, const Grid &) const;
  EventRef give(std::vector<Prepared>, bool isWrong);
  EventRef copy(FakeBuffer &, const Transfer &, const void *from, void *to, bool in);

  FakeOptions options_;
  Description about_;
  KernelCache cache_;
  CudaLibraries libraries_;
  std::shared_ptr<State> state_;
  Engines engines_; // last member: destroyed first
  long commands_ = 0;
  bool isTimed_ = false, isBeside_ = false;
  ChainShelf<FakeGraph> graphs_;
  long graphsTried_ = 0;
};

} // namespace pb::device
