// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The devices of a running program: where each step runs, and what happens when a device cannot run one.
//
//   Session session(openDevices("all", complaints), {});
//   scheduler.setDevices(&session);
//   scheduler.run(...);                        // steps are walked here (task/steps.h)
//   session.say();                             // "note: rows of Blur runs on the processor: ..." once each
//
// walk() goes through a table of steps level by level. Consecutive steps that are placed on a device are
// given to it together, and nothing waits for their results; a step on the processor first waits for what it
// reads. How an output comes back depends on its readers, up to the next step that writes it: if one of them
// is on the processor (must copy-out), the copy starts behind the kernel; if all are on devices, there is none
// (reused); if they are unknown (may copy-out), it is copied when something reads it. Source:
// petabricks-hetero 5, 6.
//
// Invariants: results are those of the processor alone. If a kernel cannot be built, or a launch is refused,
// its step runs on the processor, now and from then on; if a device is out of memory, only this time. If a
// device is lost with results that only it had, reading them gives DeviceError(Lost), and the program's main
// transform has to run again (runtime/program/runner.h); the session does not use that device any more.
#pragma once
#include "runtime/device/host_access.h"
#include "runtime/device/kernel_shelf.h"
#include "runtime/device/manager.h"
#include "runtime/task/steps.h"
#include <map>
#include <set>
#include <tuple>

namespace pb::device {

class StepArguments;

class Session final : public task::StepDevices {
public:
  struct Settings {
    Trace *trace = nullptr;
    WatchBuild watchBuild = {};
    double buildLimit =
        10 * std::chrono::duration<double>(timeoutFromEnvironment()).count(); // seconds for one kernel
    /// Prints what cannot wait for takeNotes(); called by any thread.
    std::function<void(const std::string &)> say = {};
  };

  Session(std::vector<std::unique_ptr<Device>> devices, const Settings &);
  ~Session() override;

  bool concern(const Frame *, const LoopStep *, int count) const override;
  bool areUsed() const override { return used_.load(std::memory_order_acquire); }
  Job walk(const Frame *, const LoopStep *, int count) override;
  Job toHost(const Frame *, const DeviceStep *) override;
  Job leaveDevices(const Frame *, const DeviceStep *) override;
  /// The same for other matrices, whose storages must all be owned.
  Job toHost(std::vector<HostUse>);

  /// The device that is opened as "cuda:1", api "cuda" and number 1; -1: it is none of the session's.
  int find(const std::string &api, int number) const;
  /// The storage's cells are in memory of a caller on the device until it is given back (borrowed.h). Blocks; throws
  /// DeviceError, Unsuitable where the memory is not the device's.
  void borrow(int device, Storage *, void *address, int elementBytes);
  /// Copies these cells of the storage to the borrowed memory as far as they are not there, and waits until nothing uses it. Throws
  /// DeviceError if cells were lost; the memory is given back all the same.
  void giveBack(int device, Storage *, const std::vector<Place> &results);
  /// Brings cells to the processor. Blocks; throws DeviceError if they are lost.
  void toHostNow(const Place &);
  /// The processor has written these cells by itself, after toHostNow().
  void wroteOnHost(const std::vector<Place> &);

  /// Records that the main transform has to run again.
  void noteLoss(const std::string &why);
  /// What happened, one line each, since the last call.
  std::vector<std::string> takeNotes();
  /// Counters by device, with the device's name.
  std::vector<std::pair<std::string, Counters>> counters() const;
  int devices() const { return static_cast<int>(sides_.size()); }

private:
  struct Side; // one device
  /// Where a step of a walk runs.
  struct Placed {
    const LoopStep *step = nullptr;
    Side *side = nullptr;                  // null: on the processor
    int version = 0;                       // kernels[version]
    int ratio = 0;                         // 64ths that are the device's; 0 without a device
    Box box{};                             // of the device's part
    std::shared_ptr<PartTimes> times = {}; // of a step whose share is found by measuring
    std::shared_ptr<void> ticket = {};     // while it lives, the step counts as work of its side
    bool isShared() const { return ratio > 0 && ratio < kWhole; }
  };
  static constexpr int kWhole = Balance::kWhole;

  Placed place(const Frame *, const LoopStep &) const;
  /// The same for a step that runs now.
  Placed placeNow(const Frame *, const LoopStep &);
  bool isUsable(const Side &, const DeviceStep &) const;
  Side *anySide(const DeviceStep &) const;
  /// Chooses among several devices: steps of one level go to different ones, else a step goes to where its
  /// inputs are, or to the device that has the least to do.
  void spread(const Frame *, std::vector<Placed> &) const;
  Balance &balanceOf(const Frame *, const DeviceStep &) const;
  static std::optional<Box> restOf(const Frame *, const Placed &);
  Launch launchOf(const Placed &, const StepArguments &, const LoopStep *end, const Frame *) const;
  /// Sets the groups, cells and tiles of one version.
  static void shape(Launch &, const Placed &, const DeviceKernel &, const StepArguments &, const Frame *);
  const DeviceKernel *usableKernel(Launch &, const Placed &, const StepArguments &, const Frame *);
  /// Lets the kernel's build begin.
  void askForKernel(const Placed &, const Frame *);
  Job onDevice(const Frame *, std::vector<Placed> batch, const LoopStep *end);
  /// Runs the step, or a part of it by the functions of its points.
  Job onProcessor(const Frame *, const LoopStep *, std::optional<Box> part,
                  std::shared_ptr<PartTimes> times = {});
  Job prepareHost(const Frame *, const DeviceStep *, std::optional<Box> part);
  bool mustCopyOut(const Frame *, const char *matrix, const LoopStep *rest, const LoopStep *end) const;
  /// A note is made once per `what`, however often it happens and for whatever reasons, because drivers'
  /// texts contain numbers.
  void note(const std::string &what, const std::string &why);
  void leave(const Placed &, const std::string &why, bool forGood);
  Management &managementOf(int device);

  Table table_;
  std::vector<std::unique_ptr<Side>> sides_;
  void markUsed() {
    task::noteDevicesInUse();
    used_.store(true, std::memory_order_release);
  }
  std::atomic<bool> used_ = false;
  mutable std::mutex mutex_; // guards all below
  std::set<std::string> said_;
  std::vector<std::string> notes_;
  mutable std::map<std::tuple<const DeviceStep *, int, int>, std::unique_ptr<Balance>> balances_;
};

} // namespace pb::device
