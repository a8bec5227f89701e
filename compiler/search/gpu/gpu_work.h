// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the instructions of a structure do, as far as bounds and times on a GPU need to know it: operations, cells of arrays, values
// that they pass on to each other.
//
//   multiply: one operation on floats;  load A: reads A, 4096 bytes further with m, 4 with k
//   the sum goes from `begin` to `multiply`, which adds to it in each iteration of k
//
// Indices are those of the structure. Invariant: every figure is the least that any program has to do. Source: lower-bound-search.md,
// sections 2.1, 5.2 and 9.2.
#pragma once
#include "compiler/search/nest/nest_work.h"
#include "compiler/search/structure.h"

namespace pbc::search {

struct GpuWork {
  /// By instruction of the structure: operations in one execution.
  struct Operations {
    std::array<double, kNumbers> count = {}; // by Number
  };
  std::vector<Operations> operations;

  struct Array {
    std::string name;
    double cells = 0; // different ones that are used
    long bytes = 4;   // of a cell
    bool isWritten = false;
  };
  std::vector<Array> arrays;

  /// A cell is so many bytes further in the next iteration of a dimension, times the iterations of other dimensions, which
  /// are levels of the same loop inside of it.
  struct Stride {
    int dimension; // object
    long bytes;
    std::vector<int> times = {}; // objects
  };
  /// By access of the structure.
  struct Access {
    int array = -1;
    bool isWrite = false;
    std::vector<Stride> strides; // of dimensions that move the cell; the others stay at it
    bool hasOwnCells = true;     // different iterations of these dimensions use different cells
  };
  std::vector<Access> accesses;

  /// By communication of the structure: which instruction makes the value, and which uses it.
  struct Passing {
    int source = -1, target = -1; // objects
    bool isSum = false;           // the target adds to it, so that it lives through the sum's loops
  };
  std::vector<Passing> passed;

  /// The outermost level has as many iterations as cover the extent. A structure whose sizes are all given has none of these.
  struct Loop {
    long extent = 0;
    std::vector<int> levels; // objects, outermost first
  };
  std::vector<Loop> loops;

  bool isProductOfMatrices = false;
  double points = 0;    // iterations of the largest instruction
  double hostBytes = 0; // that have to be copied to the device or back

  /// The arrays are in L2 already if they fit: what has to come from memory, at least.
  double bytes() const {
    double sum = 0;
    for (const Array &array : arrays)
      sum += array.cells * double(array.bytes);
    return sum;
  }
};

} // namespace pbc::search
