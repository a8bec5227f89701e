// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A call of a library's function as a launch gives it: which function, and how its matrices lie on the
// device.
//
//   LibraryCall call("cublas.gemm double");
//   std::vector<LibraryMatrix> m = call.matrices(arguments, [](Buffer &b) { return addressOf(b); });
//   Columns c = columnsOf(m[0], "c");
//
// BLAS and similar libraries store matrices column by column. Here coordinate 0 is x, so a matrix whose x has
// stride 1 is, to the library, a matrix of `width` rows: the transpose of the mathematical one. A matrix
// whose y has stride 1 is the transpose of that. Invariant: everything here throws DeviceError(Launch) with a
// reason if the library cannot accept the call; nothing has run then.
#pragma once
#include "runtime/abi/program.h"
#include "runtime/device/device.h"
#include "runtime/device/library/entries.h"
#include <functional>

namespace pb::device {

struct LibraryMatrix {
  unsigned long address = 0; // of the cell (0, 0, ...)
  int elementBytes = 8;
  long stride[3] = {}, extent[3] = {}; // in elements
  bool isEmpty(int rank) const;
};

/// A matrix with two dimensions as a library sees it: the cell (x, y) lies in row x and column y, or,
/// transposed, in row y and column x.
struct Columns {
  unsigned long address = 0;
  int width = 0, height = 0; // along x, along y
  int step = 0;              // numbers from one column to the next
  bool isTransposed = false;
};
Columns columnsOf(const LibraryMatrix &, const char *name);
/// The stride of a vector.
int stepOf(const LibraryMatrix &, const char *name);
bool liesAlike(const LibraryMatrix &, const LibraryMatrix &, int rank);

class LibraryCall {
public:
  /// Throws DeviceError(Build) where there is no such entry.
  explicit LibraryCall(const std::string &text);
  /// Decodes what a launch of a DeviceStep passes: for each matrix the buffer, offset and strides; then all
  /// extents.
  std::vector<LibraryMatrix> matrices(const std::vector<Argument> &,
                                      const std::function<unsigned long(Buffer &)> &addressOf) const;

  Entry entry;
  ElementKind element;
  bool isFloat;
  const LibraryEntry &about() const { return kLibraryEntries[static_cast<int>(entry)]; }
};

/// A kernel that is such a call, on any kind of device.
class LibraryKernel : public Kernel {
public:
  explicit LibraryKernel(const std::string &text) : call(text) {}
  const LibraryCall call;
};

} // namespace pb::device
