// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The arrays of a call that lie on devices, as regions like all others.
//
//   Arrays arrays(t, given, session);  arrays.fit(sizes, bin);
//   BorrowedArrays borrowed(*session, arrays);
//   borrowed.borrow();           // regions are in the mirror of the arrays: memory that the processor sees, without cells yet
//   borrowed.toHost();           // only where no device takes part in the run
//   ... the transform runs, arrays.putBack() ...
//   borrowed.giveBack();         // results are on the devices, and nothing uses the arrays any more
//
// Steps on the device use the caller's memory; those on the processor use the mirror, for which the session copies what they read. Arrays that
// share memory share a mirror, so that addresses tell which cells are the same, and a mirror begins as far from a multiple of 64 bytes as its array,
// because kernels are chosen by that. Without giveBack() the destructor gives back, without results.
#pragma once
#include "runtime/embed/arrays.h"

namespace pb::embed {

class BorrowedArrays {
public:
  BorrowedArrays(device::Session &session, Arrays &arrays) : session_(session), arrays_(arrays) {}
  ~BorrowedArrays();
  BorrowedArrays(const BorrowedArrays &) = delete;
  BorrowedArrays &operator=(const BorrowedArrays &) = delete;

  /// Throws Refusal where memory is not that of the device, and DeviceError.
  void borrow();
  /// Brings all cells to the mirrors.
  void toHost() const;
  /// The processor alone has computed these outputs: all, or those that Arrays has replaced by copies.
  enum class Which { All, Replaced };
  void wroteOnHost(Which) const;
  void giveBack();

private:
  /// Memory of arrays that overlap.
  struct Part {
    int device;
    char *low, *high;
    std::vector<int> arrays;
    int elementBytes;
    Storage *memory = nullptr, *mirror = nullptr; // the mirror is a part of the memory
    bool isBorrowed = false;
  };
  struct Output {
    int matrix;
    device::Place place;
  };
  std::vector<Part> parts() const;
  void makeMirror(Part &) const;
  void release() noexcept;

  device::Session &session_;
  Arrays &arrays_;
  std::vector<Part> parts_;
  std::vector<device::Place> places_; // of all arrays on devices
  std::vector<Output> outputs_;
};

} // namespace pb::embed
