// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the rest of the runtime may ask of a matrix's storage, beyond what generated code may (region.h).
//
//   storageBytes(region.owner)                                   // as asked for when it was allocated
//   Storage *s = storageOver(mapping, bytes)                     // memory that is freed elsewhere, later
//   if (StorageCompanion *c = storageCompanion(region.owner)) ...
//   StorageCompanion *mine =
//       attachCompanion(storage, std::make_unique<Record>(...));   // or the one that was attached first
//
// A companion is an object that belongs to a storage for its whole life. It is deleted when the storage is
// released for the last time, by the thread that does so, before the memory can be reused. For a storage
// without a companion this costs one comparison.
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

/// Starts or stops counting the memory that matrices hold.
void watchStorage(bool);
/// The most that they held at once, in bytes, in addition to what existed when counting began.
unsigned long mostStorage();

unsigned long storageBytes(const Storage *);
/// The address of the first byte.
void *storageData(const Storage *);
/// A storage over memory that outlives it. Its count is 1.
Storage *storageOver(void *data, unsigned long bytes);
/// Null if there is none. The companion is visible as its creator left it.
StorageCompanion *storageCompanion(const Storage *);
/// Attaches a companion and returns it: `made`, unless another thread was faster.
StorageCompanion *attachCompanion(Storage *, std::unique_ptr<StorageCompanion> made);
/// Takes a reference without holding one, knowing that the companion is not deleted yet. False: the last
/// reference is already gone.
bool retainIfAlive(Storage *);

} // namespace pb::matrix
