// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is known of one storage: which of its cells are valid where, its buffers, and transfers under way.
//
//   CopyPlan plan = record.planIn(device, place, &read, nullptr, true);   // says what has to be copied, and
//                                                                         // records that it is under way
//   ... give plan.transfers to the device ...
//   record.given(*plan.flight);                                           // the device has the cells
//   ... when the transfers are done ...
//   record.landed(*plan.flight);
//
// A plan first changes the record and is then carried out, so that no lock is held while a driver is called.
// Invariants: see residency.h. A flight is in the list from its plan until it has landed; it keeps the
// storage alive meanwhile, so that its memory is not reused. `useful` are those cells that are still the
// newest when it lands: cells that are written again meanwhile stay stale where it goes.
#pragma once
#include "runtime/device/request.h"
#include "runtime/device/residency.h"
#include <atomic>

namespace pb::device {

/// A transfer under way (Across: to this device from another one) or, for memory that the device shares with the processor, a kernel that uses it.
struct Flight {
  enum class Way { In, Out, Across };
  int device;
  Way way;
  BoxSet touched; // the processor's memory that it reads (In) or writes (Out)
  BoxSet useful;  // for Out: what will be valid on the host; for Across: on the device
  std::vector<std::shared_ptr<Request>> waiters = {};
};

struct CopyPlan {
  enum class State {
    Nothing, // nothing has to be done
    Go,
    Wait, // wait for flights, or for `owner` to copy out
    Lost, // some of the cells are lost
  };
  State state = State::Nothing;
  std::vector<Transfer> transfers = {};
  std::shared_ptr<Flight> flight = {};
  int owner = -1; // the device that has the missing cells
};

/// Whether a buffer can be given up.
enum class Evictable { No, Clean, Dirty, Busy };

class Record {
public:
  Record(std::shared_ptr<TableState> state, Storage *storage);

  Storage *storage() const { return storage_; }
  const TableState &table() const { return *state_; }
  unsigned long bytes() const { return bytes_; }
  char *data() const { return data_; }

  // The processor's side.
  //
  // False if the processor has all cells; takes no lock.
  bool isBehind() const { return behind_.load(std::memory_order_acquire); }
  bool isOnHost(const Place &);
  bool isUntouched(const Place &);
  bool isOnDevice(int device, const Place &);
  /// The part of the place that the device has, from 0 to 1.
  double partOnDevice(int device, const Place &);
  BoxSet missingOnHost(const Place &);
  bool isLost(const Place &);
  bool isExact(const Place &);
  bool hostWrites(const Place &);

  // A device's side; called by its management thread.
  //
  // For a launch that reads `read` and writes `written` (null: does not). Cells that will be in a shared
  // buffer need no plan.
  CopyPlan planIn(int device, const Place &, const Cells *read, const Cells *written, bool covers);
  /// With `reads`, copies the cells, or all cells if `place` is null, that only this device has. All flights
  /// that `request` waits for count it: those that write the cells and, with `writes`, also those that read
  /// them.
  CopyPlan planOut(int device, const Place *, bool reads, bool writes,
                   const std::shared_ptr<Request> &request);
  /// Copies the cells of the place that device `from` has, and of those on the host none are, to device `to`.
  CopyPlan planAcross(int from, int to, const Place &);
  /// The device was given the commands that copy what the plan copies in.
  void given(const Flight &);
  /// The device was given commands that write these cells.
  void wrote(int device, const Place &);
  /// What was partly written is not valid on the device. False: no valid copy is left.
  bool forgetWritten(int device, const Place &);
  /// Whether other devices' commands use the memory of these cells.
  bool isInUseByOthers(int device, const Place &);
  /// For kernels in shared memory: the cells that a kernel reads and writes until it lands.
  std::vector<std::shared_ptr<Flight>> planShared(int device, const Place &, const Cells *read,
                                                  const Cells *written);
  /// The flight is over: tells those that wait for it.
  void landed(const std::shared_ptr<Flight> &);
  /// The flight never began, or its device is lost: nothing has become valid, and no waiter is told.
  void cancelled(const std::shared_ptr<Flight> &);

  /// Counts a copy from or to the device, of a size that matters (page_locks.h); returns how many there were.
  int countCopy(int device);
  /// Keeps the lock of its pages until the storage is released.
  void setLock(int device, std::shared_ptr<void> lock);

  Buffer *buffer(int device);
  bool isShared(int device);
  /// Whether the buffer was allocated for this record: it is neither the processor's memory nor borrowed.
  bool isOwn(int device);
  /// The bytes of the storage, which are elements of this size, are for now in memory of a caller on that device and
  /// nowhere else.
  void borrow(int device, std::unique_ptr<Buffer>, int elementBytes);
  void setBuffer(int device, std::unique_ptr<Buffer> buffer, bool shared);
  /// Keeps the buffer for a launch that is being prepared, and records when it was used.
  void pin(int device, unsigned long time);
  void unpin(int device);
  unsigned long lastUse(int device);
  Evictable evictable(int device);
  /// Takes the buffer away, so its cells are no longer valid on the device. With `onlyClean`, null if the
  /// buffer is not clean.
  std::unique_ptr<Buffer> takeBuffer(int device, bool onlyClean);
  /// The same for a buffer that commands of another device may still write; launches may have pinned it.
  std::unique_ptr<Buffer> giveUpBuffer(int device);
  /// For a device whose thread hangs: forgets its flights, whose memory the driver may still use.
  std::unique_ptr<Buffer> abandon(int device);
  /// Called when the storage is released.
  void die();

private:
  struct Side {
    std::unique_ptr<Buffer> buffer;
    bool shared = false;
    bool borrowed = false;
    BoxSet valid;
    unsigned long lastUse = 0;
    int pins = 0;
    int copies = 0;
    std::shared_ptr<void> lock = {};
  };
  Side &side(int device) { return sides_[static_cast<std::size_t>(device)]; }
  Cover cover(const Place &);
  Cover cover(Place place, const Cells &cells) {
    place.cells = cells;
    return cover(place);
  }
  bool isTouched(const BoxSet &, bool byReaders) const;
  BoxSet coming(int device) const;
  std::shared_ptr<Flight> start(int device, Flight::Way way, BoxSet touched, BoxSet useful);
  bool remove(const std::shared_ptr<Flight> &);
  void noteBehind();

  const std::shared_ptr<TableState> state_;
  Storage *const storage_;
  char *const data_;
  const unsigned long bytes_;
  std::atomic<bool> behind_ = false;
  std::mutex mutex_;    // guards all below
  bool isDead_ = false; // the storage no longer exists
  Lattice lattice_;
  BoxSet stale_; // on the host
  std::vector<Side> sides_;
  std::vector<std::shared_ptr<Flight>> flights_;
};

} // namespace pb::device
