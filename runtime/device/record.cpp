// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/record.h"
#include "runtime/matrix/storage.h"
#include <algorithm>

namespace pb::device {

Record::Record(std::shared_ptr<TableState> state, Storage *storage)
    : state_(std::move(state)), storage_(storage), data_(static_cast<char *>(matrix::storageData(storage))),
      bytes_(matrix::storageBytes(storage)), lattice_(bytes_), sides_(state_->managers.size()) {}

Cover Record::cover(const Place &place) {
  std::vector<BoxSet *> sets{&stale_};
  for (Side &s : sides_)
    sets.push_back(&s.valid);
  for (const auto &f : flights_) {
    sets.push_back(&f->touched);
    sets.push_back(&f->useful);
  }
  return lattice_.cover(viewOf(place, data_), sets);
}

bool Record::isTouched(const BoxSet &cells, bool byReaders) const {
  return std::any_of(flights_.begin(), flights_.end(), [&](const auto &f) {
    return (byReaders || f->way == Flight::Way::Out) && f->touched.meets(cells);
  });
}

/// The cells that copies from that device will make valid on the host.
BoxSet Record::coming(int device) const {
  BoxSet result;
  for (const auto &f : flights_)
    if (f->device == device && f->way == Flight::Way::Out)
      result.add(f->useful);
  return result;
}

void Record::noteBehind() {
  const bool writes =
      std::any_of(flights_.begin(), flights_.end(), [](const auto &f) { return f->way == Flight::Way::Out; });
  behind_.store(writes || !stale_.isEmpty(), std::memory_order_release);
}

bool Record::isOnHost(const Place &place) {
  std::lock_guard hold(mutex_);
  const BoxSet cells = cover(place).cells;
  return !stale_.meets(cells) && !isTouched(cells, false);
}

bool Record::isUntouched(const Place &place) {
  std::lock_guard hold(mutex_);
  return flights_.empty() || !isTouched(cover(place).cells, true);
}

bool Record::isOnDevice(int device, const Place &place) {
  std::lock_guard hold(mutex_);
  const Cover c = cover(place);
  return side(device).valid.covers(c.cells);
}

double Record::partOnDevice(int device, const Place &place) {
  std::lock_guard hold(mutex_);
  const BoxSet cells = cover(place).cells;
  const long all = cells.cells();
  return all ? static_cast<double>(cells.intersected(side(device).valid).cells()) / static_cast<double>(all)
             : 0;
}

BoxSet Record::missingOnHost(const Place &place) {
  std::lock_guard hold(mutex_);
  // This must come first: it may refine the lattice on which stale_ is kept.
  const BoxSet cells = cover(place).cells;
  return cells.intersected(stale_);
}

bool Record::isLost(const Place &place) {
  std::lock_guard hold(mutex_);
  BoxSet cells = cover(place).cells;
  cells = cells.intersected(stale_);
  for (const Side &s : sides_)
    cells.subtract(s.valid);
  return !cells.isEmpty();
}

bool Record::isExact(const Place &place) {
  std::lock_guard hold(mutex_);
  return cover(place).exact;
}

bool Record::hostWrites(const Place &place) {
  std::lock_guard hold(mutex_);
  const Cover c = cover(place);
  // Not all of these cells will be written.
  if (isTouched(c.cells, true) || (!c.exact && stale_.meets(c.cells)))
    return false;
  stale_.subtract(c.cells);
  for (Side &s : sides_)
    s.valid.subtract(c.cells);
  for (const auto &f : flights_) // between devices: others would use the memory
    f->useful.subtract(c.cells);
  noteBehind();
  return true;
}

std::shared_ptr<Flight> Record::start(int device, Flight::Way way, BoxSet touched, BoxSet useful) {
  if (isDead_ || !matrix::retainIfAlive(storage_))
    return nullptr;
  flights_.push_back(std::make_shared<Flight>(Flight{device, way, std::move(touched), std::move(useful)}));
  noteBehind();
  return flights_.back();
}

CopyPlan Record::planIn(int device, const Place &place, const Cells *read, const Cells *written,
                        bool covers) {
  std::lock_guard hold(mutex_);
  BoxSet missing;
  if (read)
    missing = cover(place, *read).cells;
  if (written) {
    Place p = place;
    p.cells = *written;
    const Cover w = cover(p);
    if (read) // it may have refined the lattice
      missing = cover(place, *read).cells;
    if (!covers || !w.exact)
      missing.add(w.cells);
  }
  missing.subtract(side(device).valid);
  if (missing.isEmpty())
    return {};
  BoxSet elsewhere = missing.intersected(stale_);
  for (std::size_t k = 0; k < sides_.size(); ++k)
    if (sides_[k].valid.meets(elsewhere))
      return {CopyPlan::State::Wait, {}, {}, static_cast<int>(k)};
  if (!elsewhere.isEmpty())
    return {CopyPlan::State::Lost};
  if (isTouched(missing, false))
    return {CopyPlan::State::Wait};
  if (side(device).shared) {
    side(device).valid.add(missing);
    return {};
  }
  CopyPlan plan{CopyPlan::State::Go, lattice_.transfers(missing)};
  plan.flight = start(device, Flight::Way::In, missing, {});
  return plan.flight ? plan : CopyPlan{};
}

CopyPlan Record::planOut(int device, const Place *place, bool reads, bool writes,
                         const std::shared_ptr<Request> &request) {
  std::lock_guard hold(mutex_);
  const BoxSet cells = place ? cover(*place).cells : lattice_.whole();
  BoxSet wanted;
  if (reads) {
    wanted = cells.intersected(stale_).intersected(side(device).valid);
    wanted.subtract(coming(device));
  }
  CopyPlan plan;
  if (!wanted.isEmpty()) {
    // Other transfers may still read the host's old data there.
    for (const auto &f : flights_)
      if (f->device != device && f->touched.meets(wanted))
        return {CopyPlan::State::Wait};
    plan.flight = start(device, Flight::Way::Out, wanted, wanted);
    if (!plan.flight)
      return {};
    plan.state = CopyPlan::State::Go;
    plan.transfers = lattice_.transfers(wanted);
  }
  if (request)
    for (const auto &f : flights_)
      if (f->device == device && (f->way == Flight::Way::Out || writes) && f->touched.meets(cells)) {
        f->waiters.push_back(request);
        ++request->left;
      }
  return plan;
}

CopyPlan Record::planAcross(int from, int to, const Place &place) {
  std::lock_guard hold(mutex_);
  BoxSet wanted = cover(place).cells;
  wanted = wanted.intersected(stale_).intersected(side(from).valid);
  wanted.subtract(side(to).valid);
  if (wanted.isEmpty())
    return {};
  CopyPlan plan{CopyPlan::State::Go, lattice_.transfers(wanted)};
  plan.flight = start(to, Flight::Way::Across, {}, wanted);
  return plan.flight ? plan : CopyPlan{};
}

void Record::given(const Flight &flight) {
  std::lock_guard hold(mutex_);
  side(flight.device).valid.add(flight.touched);
}

void Record::wrote(int device, const Place &place) {
  std::lock_guard hold(mutex_);
  const BoxSet cells = cover(place).cells;
  for (std::size_t k = 0; k < sides_.size(); ++k)
    if (static_cast<int>(k) == device)
      sides_[k].valid.add(cells);
    else
      sides_[k].valid.subtract(cells);
  stale_.add(cells);
  for (const auto &f : flights_)
    f->useful.subtract(cells);
  noteBehind();
}

bool Record::forgetWritten(int device, const Place &place) {
  std::lock_guard hold(mutex_);
  const BoxSet cells = cover(place).cells;
  BoxSet only = cells.intersected(stale_).intersected(side(device).valid);
  only.subtract(coming(device));
  side(device).valid.subtract(cells);
  return only.isEmpty();
}

bool Record::isInUseByOthers(int device, const Place &place) {
  std::lock_guard hold(mutex_);
  const BoxSet cells = cover(place).cells;
  return std::any_of(flights_.begin(), flights_.end(),
                     [&](const auto &f) { return f->device != device && f->touched.meets(cells); });
}

std::vector<std::shared_ptr<Flight>> Record::planShared(int device, const Place &place, const Cells *read,
                                                        const Cells *written) {
  std::lock_guard hold(mutex_);
  std::vector<std::shared_ptr<Flight>> result;
  for (const Cells *cells : {read, written}) {
    if (!cells)
      continue;
    const BoxSet touched = cover(place, *cells).cells;
    if (touched.isEmpty())
      continue;
    auto flight = cells == read ? start(device, Flight::Way::In, touched, {})
                                : start(device, Flight::Way::Out, touched, touched);
    if (flight)
      result.push_back(std::move(flight));
  }
  return result;
}

bool Record::remove(const std::shared_ptr<Flight> &flight) {
  const auto at = std::find(flights_.begin(), flights_.end(), flight);
  if (at == flights_.end())
    return false;
  flights_.erase(at);
  return true;
}

void Record::landed(const std::shared_ptr<Flight> &flight) {
  std::vector<std::shared_ptr<Request>> waiters;
  bool was = false;
  {
    std::lock_guard hold(mutex_);
    was = remove(flight);
    if (flight->way != Flight::Way::Across)
      stale_.subtract(flight->useful);
    else if (was)
      side(flight->device).valid.add(flight->useful);
    noteBehind();
    waiters.swap(flight->waiters);
  }
  if (was)
    pb_storage_release(storage_); // if this was the last reference, the record is destroyed
  for (const auto &w : waiters)
    w->partDone();
}

void Record::cancelled(const std::shared_ptr<Flight> &flight) {
  bool was = false;
  {
    std::lock_guard hold(mutex_);
    was = remove(flight);
    noteBehind();
  }
  if (was)
    pb_storage_release(storage_);
}

Buffer *Record::buffer(int device) {
  std::lock_guard hold(mutex_);
  return side(device).buffer.get();
}

bool Record::isShared(int device) {
  std::lock_guard hold(mutex_);
  return side(device).shared;
}

bool Record::isOwn(int device) {
  std::lock_guard hold(mutex_);
  return !side(device).shared && !side(device).borrowed;
}

void Record::borrow(int device, std::unique_ptr<Buffer> buffer, int elementBytes) {
  std::lock_guard hold(mutex_);
  View all{.elementBytes = elementBytes, .rank = 1};
  all.stride[0] = elementBytes;
  all.extent[0] = static_cast<long>(bytes_) / elementBytes;
  Side &s = side(device);
  s.buffer = std::move(buffer);
  s.borrowed = true;
  s.valid = stale_ = lattice_.cover(all, {}).cells;
  noteBehind();
}

void Record::setBuffer(int device, std::unique_ptr<Buffer> buffer, bool shared) {
  std::lock_guard hold(mutex_);
  side(device).buffer = std::move(buffer);
  side(device).shared = shared;
}

void Record::pin(int device, unsigned long time) {
  std::lock_guard hold(mutex_);
  ++side(device).pins;
  side(device).lastUse = time;
}

void Record::unpin(int device) {
  std::lock_guard hold(mutex_);
  --side(device).pins;
}

unsigned long Record::lastUse(int device) {
  std::lock_guard hold(mutex_);
  return side(device).lastUse;
}

Evictable Record::evictable(int device) {
  std::lock_guard hold(mutex_);
  const Side &s = side(device);
  if (!s.buffer || s.pins || s.shared || s.borrowed)
    return Evictable::No; // giving up memory that is the processor's or a caller's would free nothing
  for (const auto &f : flights_)
    if (f->device == device)
      return Evictable::Busy;
  return s.valid.meets(stale_) ? Evictable::Dirty : Evictable::Clean;
}

std::unique_ptr<Buffer> Record::takeBuffer(int device, bool onlyClean) {
  std::lock_guard hold(mutex_);
  Side &s = side(device);
  if (onlyClean && (s.pins || s.valid.meets(stale_)))
    return nullptr;
  s.valid.clear();
  s.pins = 0;
  s.shared = s.borrowed = false;
  return std::move(s.buffer);
}

std::unique_ptr<Buffer> Record::giveUpBuffer(int device) {
  std::lock_guard hold(mutex_);
  side(device).valid.clear();
  return std::move(side(device).buffer);
}

std::unique_ptr<Buffer> Record::abandon(int device) {
  std::lock_guard hold(mutex_);
  std::erase_if(flights_, [&](const auto &f) { return f->device == device; });
  noteBehind();
  Side &s = side(device);
  s.valid.clear();
  s.pins = 0;
  return std::move(s.buffer);
}

int Record::countCopy(int device) {
  std::lock_guard hold(mutex_);
  return ++side(device).copies;
}

void Record::setLock(int device, std::shared_ptr<void> lock) {
  std::lock_guard hold(mutex_);
  side(device).lock = std::move(lock);
}

// At each moment, a thread that looks first at the table and then at the estate finds each buffer in one of
// them.
void Record::die() {
  std::vector<std::shared_ptr<void>> locks; // released without a lock of this object: the driver is called
  {
    std::lock_guard hold(mutex_);
    isDead_ = true; // from here on nothing uses the storage
    for (Side &s : sides_)
      locks.push_back(std::move(s.lock));
    for (std::size_t k = 0; k < sides_.size(); ++k)
      if (Side &s = sides_[k]; s.buffer)
        state_->estates[k].leave({std::move(s.buffer), bytes_, !s.shared && !s.borrowed});
  }
  locks.clear();
  std::lock_guard hold(state_->mutex);
  state_->records.erase(this);
}

} // namespace pb::device
