// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the rest of the runtime may ask of a matrix's storage, beyond what generated code may (region.h).
//
//   storageBytes(region.owner)                                   // as asked for when it was allocated
//   Storage *s = storageOver(mapping, bytes)                     // memory that somebody else frees, later
//   if (StorageCompanion *c = storageCompanion(region.owner)) ...
//   StorageCompanion *mine = attachCompanion(storage, std::make_unique<Record>(...));   // or who was first
//
// A companion is something that goes with a storage, for its whole life; it is deleted when the storage is
// released for the last time, by whoever does that, before the memory can be used for something else. Who has
// none pays for one comparison then.
#pragma once
#include "runtime/abi/plan.h"
#include <memory>

namespace pb::matrix {

class StorageCompanion {
public:
  virtual ~StorageCompanion() = default;
  /// Waits until the processor sees these cells of the storage.
  virtual void toHost(const RegionShape &) = 0;
};

/// Counts what matrices hold from now on, or no more.
void watchStorage(bool);
/// The most that they held at once, in bytes, beside what there was when the watch began.
unsigned long mostStorage();

unsigned long storageBytes(const Storage *);
/// The first of the bytes.
void *storageData(const Storage *);
/// A storage of memory that outlives it. Its count is 1.
Storage *storageOver(void *data, unsigned long bytes);
/// Null if there is none. What it points to is seen as its maker left it.
StorageCompanion *storageCompanion(const Storage *);
/// The companion that the storage has from now on: `made`, unless another thread was faster.
StorageCompanion *attachCompanion(Storage *, std::unique_ptr<StorageCompanion> made);
/// A reference for someone who holds none, but knows that the companion is not deleted yet. False: the last
/// reference is gone already.
bool retainIfAlive(Storage *);

} // namespace pb::matrix
