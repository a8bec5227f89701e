// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The arrays of one call, from a caller's descriptions to regions.
//
//   Arrays arrays(t, given);                    // each array alone: rank, type, place, memory
//   arrays.fit(sizes, bin);                     // all together: sizes; allocates the outputs that ask for memory
//   arrays.own();                               // only where devices take part
//   t.runHere(arrays.regions(), sizes, bin);
//   arrays.giveOut();                           // outputs that were allocated now belong to the caller
//
// Every problem is an embed::Refusal that names the arrays. Nothing is written to a caller's array before giveOut(),
// except by the transform. For up to kUsual matrices nothing is allocated.
#pragma once
#include "runtime/abi/library.h"
#include <memory>
#include <string>
#include <vector>

namespace pb::embed {

class Arrays {
public:
  Arrays(const Transform &, pbc_array *const *given);
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

private:
  static constexpr int kUsual = 8;
  using Row = int[AnyRegion::kMaxRank];

  bool isWanted(int m) const;
  void check(int m);
  void allocate(int m, const Row &extents);
  void refuseOverlaps() const;
  std::string listing() const;
  void replaceByCopy(int m);

  const Transform &t_;
  pbc_array *const *const given_;
  AnyRegion usual_[kUsual];
  Row usualExtents_[kUsual];
  std::unique_ptr<AnyRegion[]> many_;
  std::unique_ptr<Row[]> manyExtents_;
  AnyRegion *regions_ = usual_;
  Row *extents_ = usualExtents_;
  std::vector<AnyRegion> originals_; // what copies stand for; base is null where nothing was replaced
  std::vector<AnyRegion> owned_;     // of own()
};

} // namespace pb::embed
