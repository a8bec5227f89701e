// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The arrays of one call, from a caller's descriptions to regions.
//
//   Arrays arrays(t, given);                    // each array alone: rank, type, place, memory
//   arrays.fit(sizes, bin);                     // all together: sizes; allocates the outputs that ask for memory
//   BorrowedArrays borrowed(session, arrays);   // only where some lie on devices (borrowed_arrays.h)
//   arrays.own();                               // only where devices take part
//   t.runHere(arrays.regions(), sizes, bin);
//   arrays.giveOut();                           // outputs that were allocated now belong to the caller
//
// Every problem is an embed::Refusal that names the arrays. Nothing is written to a caller's array before giveOut(),
// except by the transform. For up to kUsual matrices nothing is allocated.
#pragma once
#include "runtime/abi/library.h"
#include "runtime/device/session.h"
#include <memory>
#include <string>
#include <vector>

namespace pb::embed {

class Arrays {
public:
  /// `given`: one for each argument (pbc_function::arguments). `devices`: those that arrays may lie on; null: none.
  Arrays(const Transform &, pbc_array *const *given, const device::Session *devices);
  ~Arrays();
  Arrays(const Arrays &) = delete;
  Arrays &operator=(const Arrays &) = delete;

  /// `sizes`: the sizes that the call gives; on return all of them.
  void fit(long *sizes, int bin);
  /// Replaces arrays with gaps by copies without, which putBack() writes to the caller's outputs.
  void closeGaps();
  /// Gives all memory an owner until the Arrays are destroyed, so that devices keep what they have of it from step to step. Arrays
  /// with strides that are not positive are replaced as by closeGaps().
  void own();
  /// Whether an output shares cells with an input.
  bool overwritesInputs() const;
  void putBack() const;
  const AnyRegion *regions() const { return owned_.empty() ? regions_ : owned_.data(); }
  void giveOut();

  /// Whether some array with cells lies on a device.
  bool areOnDevices() const { return !devices_.empty(); }
  /// The session's device where it lies; kHost: in the processor's memory, or it has no cells.
  int deviceOf(int m) const { return devices_.empty() ? kHost : devices_[static_cast<std::size_t>(m)]; }
  static constexpr int kHost = -1;
  const Transform &transform() const { return t_; }
  const MatrixInfo &about(int m) const { return t_.matrices[m]; }
  /// Before own(). For an array on a device, its address there until something else is set.
  AnyRegion &region(int m) { return regions_[m]; }
  /// A flag for each matrix: whether closeGaps() and own() have left it where it lies, on a device. Null if there is none.
  const bool *lent() const { return lent_.get(); }

private:
  static constexpr int kUsual = 8;
  using Row = int[AnyRegion::kMaxRank];

  /// The caller's array for a matrix: one for both matrices of a pair that is updated in place.
  pbc_array *given(int m) const { return given_[updates_ ? argumentOf(m) : m]; }
  int argumentOf(int m) const;
  bool isWanted(int m) const;
  void check(int m, const device::Session *devices);
  void checkPlace(int m, const device::Session *devices);
  void allocate(int m, const Row &extents);
  void refuseOverlaps() const;
  std::string listing() const;
  void replaceByCopy(int m);

  const Transform &t_;
  pbc_array *const *const given_;
  const bool updates_; // some matrix in place
  AnyRegion usual_[kUsual];
  Row usualExtents_[kUsual];
  std::unique_ptr<AnyRegion[]> many_;
  std::unique_ptr<Row[]> manyExtents_;
  AnyRegion *regions_ = usual_;
  Row *extents_ = usualExtents_;
  std::vector<AnyRegion> originals_; // what copies stand for; base is null where nothing was replaced
  std::vector<AnyRegion> owned_;     // of own()
  std::vector<int> devices_;         // empty: all arrays are in the processor's memory
  std::unique_ptr<bool[]> lent_;
};

} // namespace pb::embed
