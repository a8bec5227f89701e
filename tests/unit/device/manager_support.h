// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For tests: a management thread over a fake device, with kernels that need no compiler.
//
//   Bench bench("latency=1ms");
//   auto a = matrix(8, 4, 1), b = matrix(8, 4, 0);                       // filled with 1 and 0
//   bench.manager->submitNow({bench.plus(a, b, 5)});                     // b = a + 5
//   bench.manager->copyOutNow(all(b));
#pragma once
#include "runtime/device/fake/fake_device.h"
#include "runtime/device/manager.h"
#include "support.h"

#include <functional>
#include <string>
#include <vector>

namespace pb::device::test {

using Matrix2 = Region<double, 2>;

Matrix2 matrix(int width, int height, double value);
AnyRegion anyOf(const Matrix2 &m);
Place all(const Matrix2 &m);
Place part(const Matrix2 &m, long x0, long y0, long x1, long y1);
/// The value, if all cells have the same one; else NaN.
double valueOf(const Matrix2 &m);

/// Forwards all calls, and can be told to run a function before them.
class HookedDevice : public Device {
public:
  using Hook = std::function<void(const char *call)>;
  HookedDevice(std::unique_ptr<Device> inner, Hook hook) : inner_(std::move(inner)), hook_(std::move(hook)) {}
  ~HookedDevice() override { hook_("end"); }
  const Description &about() const override { return inner_->about(); }
  std::unique_ptr<Buffer> allocate(unsigned long bytes) override {
    return hook_("allocate"), inner_->allocate(bytes);
  }
  unsigned long keptBytes() const override { return inner_->keptBytes(); }
  std::unique_ptr<Buffer> wrap(void *m, unsigned long bytes) override {
    return hook_("wrap"), inner_->wrap(m, bytes);
  }
  std::unique_ptr<Kernel> build(const KernelSource &s) override { return inner_->build(s); }
  void plan(const Kernel &k, const std::vector<LibraryMatrix> &m) override { inner_->plan(k, m); }
  bool lockPages(void *m, unsigned long n) override { return hook_("lock"), inner_->lockPages(m, n); }
  void unlockPages(void *m) override { hook_("unlock"), inner_->unlockPages(m); }
  EventRef copyIn(Buffer &b, const Transfer &t, const void *h) override {
    return hook_("in"), inner_->copyIn(b, t, h);
  }
  EventRef copyOut(Buffer &b, const Transfer &t, void *h) override {
    return hook_("out"), inner_->copyOut(b, t, h);
  }
  bool reaches(const Device &d) const override { return inner_->reaches(innermost(d)); }
  bool isIdle(Buffer &b) override { return inner_->isIdle(b); }
  EventRef copyAcross(Buffer &b, const Transfer &t, Device &d, Buffer &to) override {
    return hook_("across"), inner_->copyAcross(b, t, const_cast<Device &>(innermost(d)), to);
  }
  EventRef launch(Kernel &k, const std::vector<Argument> &a, const Grid &g) override {
    return hook_("launch"), inner_->launch(k, a, g);
  }
  EventRef launchChain(Kernel &k, const std::vector<ChainLaunch> &l) override {
    return hook_("chain"), inner_->launchChain(k, l);
  }
  bool callWhenOver(Event &e, const std::function<void()> &f) override { return inner_->callWhenOver(e, f); }
  std::size_t longestChain() const override { return inner_->longestChain(); }
  Chains chains() const override { return inner_->chains(); }
  void fork() override { hook_("fork"), inner_->fork(); }
  void launchBeside(bool beside) override { inner_->launchBeside(beside); }
  void flush() override { hook_("flush"), inner_->flush(); }
  void timeCommands() override { hook_("time"), inner_->timeCommands(); }

private:
  static const Device &innermost(const Device &d) {
    const auto *hooked = dynamic_cast<const HookedDevice *>(&d);
    return hooked ? *hooked->inner_ : d;
  }
  const std::unique_ptr<Device> inner_;
  const Hook hook_;
};

/// Defines the kernels "plus" (b = a + value, over the box of functions x, y) and "round" (adds the round to
/// all of row 0 of a).
FakeOptions withKernels(const std::string &text);

struct Bench {
  explicit Bench(const std::string &text = "", int devices = 1, int index = 0, Table *shared = nullptr,
                 HookedDevice::Hook hook = {}, std::chrono::milliseconds limit = std::chrono::seconds(30));
  /// b = a + value, for rows [low, high) of b, or for all.
  Launch plus(const Matrix2 &a, const Matrix2 &b, double value, long low = 0, long high = -1) const;
  Launch rounds(const Matrix2 &a, long count) const;
  FakeCounters fake() const { return device->counters(); }
  /// The tasks of the management thread, "prepare copy-in execute ...", without polls that found nothing.
  std::vector<std::string> tasks() const;

  Trace trace;
  std::unique_ptr<Table> own;
  Table &table;
  FakeDevice *device = nullptr; // the manager's
  std::unique_ptr<Manager> manager;
  std::shared_ptr<Kernel> plusKernel, otherPlus, roundKernel; // otherPlus: the same as another kernel
};

constexpr unsigned long kBytes = 8 * 4 * 8; // of an 8 x 4 matrix

/// Marks the outputs of the launch as read by the host next.
Launch copiesOut(Launch l);
/// Reads the matrix on the host; returns its value.
double read(const Bench &bench, const Matrix2 &m);
/// Writes the matrix on the host.
void write(const Bench &bench, const Matrix2 &m, double value);

} // namespace pb::device::test
