// The management thread of one device: a queue of tasks that never wait (petabricks-hetero 6.3, 6.4).
//
//   Manager manager(std::move(device), table, {});
//   Submitted s = co_await manager.submit(launches);     // prepare, copy-in, execute: given to the device
//   co_await manager.copyOut(place);                     // the host has these cells
//
// For each launch the queue gets, in this order: one `prepare` (buffers for everything, metadata), a
// `copy-in` for each matrix that is read (nothing to do where the device has the cells), one `execute`
// (starts the kernel and, for matrices marked copiesOut, the reads), a `completion` for each of these reads:
// done, or again at the end of the queue. The thread sleeps when nothing is left to do or only the device can
// go on. A coroutine that waits is suspended and made runnable by Scheduler::makeRunnable (bottom of a random
// worker's deque).
//
// Invariants: launches reach the device in the order of submit(); a launch that fails has changed nothing:
// what it was to write is as it was, and the launches behind it in the same submission are not begun. After a
// launch was submitted the table says what will be valid when the device has done its work.
#pragma once
#include "runtime/device/residency.h"
#include <coroutine>
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
  const char *name = ""; // for traces and messages
  std::shared_ptr<Kernel> kernel;
  std::vector<LaunchMatrix> matrices;
  std::vector<long> values; // between matrices and limits
  Box box{};                // of the points' functions; see DeviceStep
  bool inRounds = false;    // dimension 0 of the box: one launch after the other for each value
  int group[3] = {1, 1, 1};
};

struct Submitted {
  int count = 0;                       // of launches that the device was given
  std::optional<DeviceError> why = {}; // of the first that it was not
};

} // namespace pb::device
