// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/residency.h"
#include "runtime/device/manager.h"
#include "runtime/device/record.h"
#include "runtime/matrix/storage.h"
#include <algorithm>
#include <thread>
#include <utility>

namespace pb::device {
namespace {

class Companion : public matrix::StorageCompanion {
public:
  explicit Companion(std::shared_ptr<Record> r) : record(std::move(r)) {}
  Companion(const Companion &) = delete;
  Companion &operator=(const Companion &) = delete;
  void toHost(const RegionShape &shape) override {
    AnyRegion matrix;
    matrix.base = const_cast<void *>(shape.base);
    matrix.owner = shape.owner;
    for (int d = 0; d < shape.rank; ++d)
      matrix.stride[d] = shape.stride[d], matrix.extent[d] = shape.extent[d];
    const Place place = placeOf(matrix, shape.rank, static_cast<int>(shape.bytes));
    while (!record->isOnHost(place)) {
      for (Manager *m : record->table().managers)
        if (m && !m->isLost())
          m->copyOutNow(place);
      if (record->isLost(place))
        throw DeviceError(Failure::Lost, "what the program reads was lost with the device that had it");
      std::this_thread::yield(); // a device that has just been lost will soon release it
    }
  }
  ~Companion() override {
    if (attached)
      record->die();
  }
  const std::shared_ptr<Record> record;
  bool attached = false;
};

} // namespace

Place placeOf(const AnyRegion &matrix, int rank, int elementBytes, const Cells &cells) {
  return {matrix, rank, elementBytes, cells};
}

Place placeOf(const AnyRegion &matrix, int rank, int elementBytes) {
  Place p{matrix, rank, elementBytes, {}};
  for (int d = 0; d < rank; ++d)
    p.cells.high[d] = matrix.extent[d];
  return p;
}

View viewOf(const Place &p, const void *origin) {
  View v;
  v.offset = static_cast<const char *>(p.matrix.base) - static_cast<const char *>(origin);
  v.elementBytes = p.elementBytes;
  v.rank = p.rank;
  for (int d = 0; d < p.rank; ++d) {
    v.stride[d] = p.matrix.stride[d] * p.elementBytes;
    v.extent[d] = p.cells.high[d] - p.cells.low[d];
    v.offset += p.cells.low[d] * v.stride[d];
  }
  return v;
}

void Estate::leave(DeadBuffer buffer) {
  std::lock_guard hold(mutex_);
  dead_.push_back(std::move(buffer));
  if (wake_)
    wake_();
}

std::vector<DeadBuffer> Estate::take() {
  std::lock_guard hold(mutex_);
  return std::exchange(dead_, {});
}

void Estate::setWake(std::function<void()> wake) {
  std::lock_guard hold(mutex_);
  wake_ = std::move(wake);
}

Table::Table(int devices) : state_(std::make_shared<TableState>(devices)) {}

std::shared_ptr<Record> Table::find(const Storage *storage) {
  if (!storage)
    return nullptr;
  const matrix::StorageCompanion *c = matrix::storageCompanion(storage);
  return c ? static_cast<const Companion *>(c)->record : nullptr;
}

std::shared_ptr<Record> Table::recordOf(Storage *storage) {
  if (std::shared_ptr<Record> there = find(storage))
    return there;
  auto record = std::make_shared<Record>(state_, storage);
  {
    std::lock_guard hold(state_->mutex);
    state_->records.emplace(record.get(), record);
  }
  auto made = std::make_unique<Companion>(record);
  made->attached = true;
  Companion *mine = made.get();
  if (matrix::attachCompanion(storage, std::move(made)) != mine)
    return find(storage); // another thread was faster; this thread's record has been destroyed
  return record;
}

std::vector<std::shared_ptr<Record>> Table::records() const {
  std::vector<std::shared_ptr<Record>> result;
  std::lock_guard hold(state_->mutex);
  for (const auto &[pointer, record] : state_->records)
    if (auto r = record.lock())
      result.push_back(std::move(r));
  return result;
}

double bytesOf(const Place &p) {
  double bytes = p.elementBytes;
  for (int d = 0; d < p.rank; ++d)
    bytes *= static_cast<double>(std::max(0L, p.cells.high[d] - p.cells.low[d]));
  return bytes;
}

// These functions use the record without a counted reference, because their caller holds the matrix.
static Record *knownRecord(const Place &p) {
  if (!p.matrix.owner)
    return nullptr;
  const matrix::StorageCompanion *c = matrix::storageCompanion(p.matrix.owner);
  return c ? static_cast<const Companion *>(c)->record.get() : nullptr;
}

bool Table::isOnHost(const Place &p) const {
  Record *r = knownRecord(p);
  return !r || !r->isBehind() || r->isOnHost(p);
}

bool Table::isUntouched(const Place &p) const {
  Record *r = knownRecord(p);
  return !r || r->isUntouched(p);
}

BoxSet Table::missingOnHost(const Place &p) const {
  Record *r = knownRecord(p);
  return r && r->isBehind() ? r->missingOnHost(p) : BoxSet();
}

bool Table::isLost(const Place &p) const {
  Record *r = knownRecord(p);
  return r && r->isBehind() && r->isLost(p);
}

bool Table::isExact(const Place &p) const {
  Record *r = knownRecord(p);
  return !r || r->isExact(p);
}

bool Table::hostWrites(const Place &p) {
  Record *r = knownRecord(p);
  return !r || r->hostWrites(p);
}

bool Table::isOnDevice(int device, const Place &p) const {
  Record *r = knownRecord(p);
  return r && r->isOnDevice(device, p);
}

double Table::bytesOnDevice(int device, const Place &p) const {
  Record *r = knownRecord(p);
  return r ? r->partOnDevice(device, p) * bytesOf(p) : 0;
}

} // namespace pb::device
