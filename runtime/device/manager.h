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
// `copy-in` for each matrix that is read (which does nothing if the device has the cells), one `execute`
// (starts the kernel and, for matrices marked copiesOut, the reads), and a `completion` for each of these
// reads, which is done or goes to the end of the queue again. The thread sleeps when nothing is left to do or
// only the device can go on; in the latter case it polls for a few microseconds, and then the device calls it,
// or it polls about every fifty microseconds if the device cannot.
//
// Cells that another device has come from there directly, if that device reaches this one, else by way of the processor.
//
// A launch that cannot go on yet (its memory is being copied out, another device has its data, the device is
// `ahead` launches behind) holds up the launches behind it, but nothing else. A coroutine that waits is
// suspended and made runnable by Scheduler::makeRunnable (bottom of a random worker's deque).
//
// Rounds of one launch are given as chains, if the device takes them (chain_shelf.h); if a chain cannot be
// made, this is said once, and from then on they are given one by one.
//
// Invariants: launches reach the device in the order of submit(). A launch that fails has changed nothing:
// its outputs are as before, and the launches behind it in the same submission are not begun. After a launch
// was submitted the table says what will be valid when the device has done its work. If a launch in rounds
// fails in the middle and no valid copy of what it overwrites is left, the device counts as lost.
//
// A device is lost if the driver said so, or if a call did not return in time (then its thread is left alone,
// with all that it may be using). All requests, waiting and new, get DeviceError Lost, and the table forgets
// what the device had.
//
// No submit() or copyOut() may be under way when a Manager is destroyed. The destructor copies out what only
// the device has of matrices that still exist.
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
  Place place; // its `cells` are not used
  Cells read{}, written{};
  bool reads = false, writes = false;
  bool covers = false;    // `written` is written completely, so it need not be on the device before
  bool copiesOut = false; // must copy-out: the host reads it next
  bool isCopy = false;    // of another matrix (DeviceMap): the kernel is told its extents, too
};

/// Some points of a launch.
struct LaunchPart {
  Box box;
  int group[3] = {1, 1, 1};
  std::shared_ptr<Kernel> kernel = {}; // built for its groups; null: the launch's
};

/// The commands of a launch that computes rows in blocks (launch_rows.h).
struct RowsLaunch {
  /// What is launched instead of the launch's own kernel.
  struct Part {
    std::shared_ptr<Kernel> kernel = {};
    std::vector<long> values = {};
    int group[3] = {1, 1, 1};
    int rows[3] = {1, 1, 1}; // that an item may keep, as the kernel's numbers of cells
  };
  Part start, finish;
  struct Command {
    enum class What { Start, Finish, Update } what;
    Box box;
    long low, high; // rows of the block
  };
  std::vector<Command> commands;
};

struct Launch {
  const char *name = ""; // for traces and messages; lives as long as the program
  std::shared_ptr<Kernel> kernel;
  std::vector<LaunchMatrix> matrices;
  std::vector<long> values; // arguments between matrices and limits
  Box box{};                // of the points' functions; see DeviceStep
  /// If there are any, these have all points of the box, and are launched one after the other.
  std::vector<LaunchPart> parts = {};
  bool inRounds = false; // dimension 0 of the box is the round: one launch after the other for each value
  int group[3] = {1, 1, 1};
  int cells[3] = {1, 1, 1};       // of an item, along the dimensions of items
  std::vector<long> sizes = {};   // for which the kernel is built (DeviceKernel::sizes)
  bool hasRuns = false;           // of cells that begin at multiples of cells[0] (DeviceKernel)
  long tile[kTileFunctions] = {}; // of a group along each dimension of the box; zeros without tiles
  bool inTiles() const { return tile[0] > 0; }
  /// With these, a launch has so many rounds at most (LaunchRounds).
  const DeviceSteps *together = nullptr;
  long steps = 1;
  TeamLaunch teams = {};                 // if its kernel has teams
  std::shared_ptr<RowsLaunch> rows = {}; // null if it has no blocks of rows
  std::shared_ptr<LaunchEnd> end = {};   // null if nothing needs the end
};

struct Submitted {
  int count = 0;                       // how many launches the device was given
  std::optional<DeviceError> why = {}; // why the next launch was not given, if one was not
};

/// PB_DEVICE_TIMEOUT, in seconds, or 30.
std::chrono::milliseconds timeoutFromEnvironment();

struct Options {
  int index = 0;                                              // of the device in the table
  std::chrono::milliseconds limit = timeoutFromEnvironment(); // for a call of the driver
  std::chrono::milliseconds commandLimit = 20 * limit;        // for some command to end, while there are any
  int ahead = 64;                                             // how many launches may be given and not done
  unsigned long lockFrom = 8UL << 20; // bytes of a copy that may be worth page-locking
  Trace *trace = nullptr;
  std::function<void(const std::string &)> say = {}; // prints a message at once, on the management thread
};

/// Counts since the start.
struct Counters {
  unsigned long launches = 0;           // each round counts as one
  unsigned long items = 0;              // of all launches, without functions of libraries
  unsigned long chains = 0, graphs = 0; // launches that were given together, and those that had to be made
  unsigned long copiesIn = 0, copiesOut = 0; // a matrix counts once, however many boxes are copied
  unsigned long bytesIn = 0, bytesOut = 0;
  unsigned long copiesAcross = 0, bytesAcross = 0; // from this device to others
  unsigned long allocations = 0, evictions = 0;
  unsigned long buffers = 0, bytes = 0; // that exist now, including those at rest
  unsigned long restingBytes = 0;       // of those, kept for later launches, by the runtime and by the device
  unsigned long lockedBytes = 0;        // of the processor's memory, now
};

/// The work-items and their groups for the points of a box (of one round, if in rounds). The third dimension
/// of items covers all further dimensions of the box.
Grid gridOf(const Box &box, bool inRounds, const int *group, const int *cells, bool hasRuns = false);

/// Gives each item fewer rows of points, where a device with so many units would otherwise have too few groups: a unit hides
/// what a group waits for behind the work of others.
void shortenRuns(Launch &, int units);

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
  /// Device::plan; any thread. What fails is tried again by the launch, which says why.
  void plan(const Kernel &kernel, const std::vector<LibraryMatrix> &matrices);

  class SubmitAwaiter;
  class CopyAwaiter;
  /// The copies are held until the device was given the launches; the matrices must exist until then.
  SubmitAwaiter submit(std::vector<Launch> launches);
  /// Throws DeviceError if the cells are lost.
  CopyAwaiter copyOut(const Place &place);
  /// To be awaited before the processor writes these cells: waits until no transfer of this device uses their
  /// memory and, with `reads`, until the host has them.
  CopyAwaiter release(const Place &place, bool reads);

  Submitted submitNow(std::vector<Launch> launches);
  void copyOutNow(const Place &place);

  bool isLost() const;
  /// Why the device was lost; only valid once it was.
  DeviceError lostError() const;
  /// The number of launches that the device was given and that are not known to be done.
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
  /// Blocks, instead of co_await.
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
