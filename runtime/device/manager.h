// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The management thread of one device: a queue of tasks that never wait (petabricks-hetero 6.3, 6.4).
//
//   Table table(1);
//   Manager manager(std::move(device), table, {});
//   Submitted s = co_await manager.submit(launches);     // prepare, copy-in, execute: given to the device
//   co_await manager.copyOut(place);                     // the host has these cells
//   manager.copyOutNow(place);                           // the same for a thread that may block
//
// For each launch the queue gets, in this order: one `prepare` (buffers for everything, metadata), a
// `copy-in` for each matrix that is read (nothing to do where the device has the cells), one `execute`
// (starts the kernel and, for matrices marked copiesOut, the reads), a `completion` for each of these reads:
// done, or again at the end of the queue. The thread sleeps when nothing is left to do or only the device can
// go on; in the latter case it looks again after a few microseconds, later after some fifty.
//   A launch that cannot go on yet (its memory is being copied out, another device has its data, the device
//   is
// `ahead` launches behind) holds up the launches behind it, but nothing else.
// A coroutine that waits is suspended and made runnable by Scheduler::makeRunnable (bottom of a random
// worker's deque).
//
// Invariants: launches reach the device in the order of submit(); a launch that fails has changed nothing:
// what it was to write is as it was, and the launches behind it in the same submission are not begun. After a
// launch was submitted the table says what will be valid when the device has done its work. If a launch in
// rounds fails in the middle and nobody else has what it overwrites, the device counts as lost.
//   Lost: the driver said so, or a call did not return in time (then its thread is left alone, with all that
// it may be using). All who wait, and all who come, get DeviceError Lost; the table forgets what was there.
//   No submit() or copyOut() may be under way when a Manager is destroyed; what only the device has of
// matrices that still exist is copied out then.
#pragma once
#include "runtime/device/balance.h"
#include "runtime/device/request.h"
#include "runtime/device/residency.h"
#include "runtime/device/teams.h"
#include "runtime/device/trace.h"
#include <chrono>
#include <coroutine>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pb::device {

/// One argument of a launch.
struct LaunchMatrix {
  Place place; // `cells` is not used
  Cells read{}, written{};
  bool reads = false, writes = false;
  bool covers = false;    // all of `written` is written: it need not be on the device before
  bool copiesOut = false; // must copy-out: the host reads it next
};

struct Launch {
  const char *name = ""; // for traces and messages; lives as long as the program
  std::shared_ptr<Kernel> kernel;
  std::vector<LaunchMatrix> matrices;
  std::vector<long> values; // between matrices and limits
  Box box{};                // of the points' functions; see DeviceStep
  bool inRounds = false;    // dimension 0 of the box: one launch after the other for each value
  int group[3] = {1, 1, 1};
  int cells[2] = {1, 1};          // of an item, along the first two dimensions of items
  long tile[kTileFunctions] = {}; // of a group along each dimension of the box; else zeros
  bool inTiles() const { return tile[0] > 0; }
  TeamLaunch teams = {};               // where its kernel has them
  std::shared_ptr<LaunchEnd> end = {}; // null: nobody asks
};

struct Submitted {
  int count = 0;                       // of launches that the device was given
  std::optional<DeviceError> why = {}; // of the first that it was not
};

/// PB_DEVICE_TIMEOUT, in seconds, or 30.
std::chrono::milliseconds timeoutFromEnvironment();

struct Options {
  int index = 0;                                              // of the device in the table
  std::chrono::milliseconds limit = timeoutFromEnvironment(); // of a call of the driver
  std::chrono::milliseconds commandLimit = 20 * limit;        // for some command to end, where there are any
  int ahead = 64;                                             // launches that were given and are not done
  Trace *trace = nullptr;
  std::function<void(const std::string &)> say = {}; // at once, by the management thread
};

/// Since the start.
struct Counters {
  unsigned long launches = 0;                // commands: each round is one
  unsigned long copiesIn = 0, copiesOut = 0; // of a matrix, however many boxes
  unsigned long bytesIn = 0, bytesOut = 0;
  unsigned long allocations = 0, evictions = 0;
  unsigned long buffers = 0, bytes = 0; // there are now, those at rest included
};

/// Work-items and their groups for the points of a box (of one round, if in rounds): the third item dimension
/// has all dimensions of the box beyond.
Grid gridOf(const Box &box, bool inRounds, const int *group, const int *cells);

class Management;
class Submission;

class Manager {
public:
  Manager(std::unique_ptr<Device> device, Table &table, const Options &options);
  ~Manager();
  Manager(const Manager &) = delete;
  Manager &operator=(const Manager &) = delete;

  const Description &about() const;
  /// Device::build; any thread.
  std::unique_ptr<Kernel> build(const KernelSource &source);

  class SubmitAwaiter;
  class CopyAwaiter;
  /// Copies are held until the device was given the launches; matrices must stay until then.
  SubmitAwaiter submit(std::vector<Launch> launches);
  /// Throws DeviceError if the cells are lost.
  CopyAwaiter copyOut(const Place &place);
  /// Before the processor writes these cells: until no transfer of this device uses their memory; `reads`:
  /// and the host has them.
  CopyAwaiter release(const Place &place, bool reads);

  Submitted submitNow(std::vector<Launch> launches);
  void copyOutNow(const Place &place);

  bool isLost() const;
  /// Why, to be asked when it is.
  DeviceError lostError() const;
  /// Launches that the device was given and are not seen to be done.
  long ahead() const;
  Counters counters() const;
  /// For managers of other devices.
  Management &management() { return *management_; }

private:
  std::shared_ptr<Management> management_;
};

class Manager::SubmitAwaiter {
public:
  explicit SubmitAwaiter(Management &m, std::vector<Launch> launches);
  bool await_ready() const noexcept;
  void await_suspend(std::coroutine_handle<> caller);
  Submitted await_resume();
  /// Instead of co_await.
  Submitted now();

private:
  Management *management_;
  std::shared_ptr<Submission> submission_;
};

class Manager::CopyAwaiter {
public:
  CopyAwaiter(Management &m, const Place &place, bool reads, bool writes);
  bool await_ready() const;
  void await_suspend(std::coroutine_handle<> caller);
  void await_resume();
  void now();

private:
  Management *management_;
  Place place_;
  bool reads_, writes_;
  std::shared_ptr<Request> request_;
};

} // namespace pb::device
