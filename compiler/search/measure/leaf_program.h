// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scheduled kernels alone as C++: a shared library with a function for each, to be called with memory for its matrices.
//
//   Arrays arrays = arraysOf(lifted, {{"n", 256}});      A: double, 256 x 256; C: double, 256 x 256, a result
//   leafProgram({leafFunctions(scheduled, arrays)}, arrays)
//   => ... extern "C" void pb_leaf_0(const long *sizes, void *const *cells, long part, long parts) { ...; leaf(&f, low, high); }
//
// It needs nothing but the headers of the runtime's interface: scratch memory and the sizes of caches are in the text. Rows are
// contiguous. Invariant: what it writes is what the program's own version of the kernel writes, for the same cells. Leaves whose functions
// have the same text are the same program, whatever their schedules are called.
#pragma once
#include "compiler/kernel/schedule.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pbc::search {

struct Array {
  std::string name; // of the buffer
  kernel::Scalar element = kernel::Scalar::F64;
  std::vector<long> extents; // cells in each dimension, the contiguous one first
  bool isResult = false;     // it is written, and not private
  long cells() const;
  long bytes() const;
};

struct Arrays {
  std::vector<Array> all;                          // the matrices of the kernel, in the order of its buffers
  std::vector<std::pair<std::string, long>> sizes; // the kernel's parameters with their values
};

struct ArraysOutcome {
  std::optional<Arrays> arrays;
  std::string why; // a sentence, if the kernel cannot run alone
};

/// The memory that a kernel uses at these sizes.
ArraysOutcome arraysOf(const kernel::Scheduled &lifted, const std::map<std::string, long> &values);

/// The lines with which each text begins: the functions that bodies may call, and the runtime's interface.
std::string leafHeaders();

/// The functions of one leaf, which may run in parts at the same time (the schedule's tasks), in a text that says nothing of how its schedule came about.
std::string leafFunctions(const kernel::Scheduled &, const Arrays &);

/// The text of a library. The leaves were made from the kernel for which the arrays were found.
std::string leafProgram(const std::vector<std::string> &leaves, const Arrays &);

/// What the library calls the leaf with this number.
std::string leafFunctionName(std::size_t leaf);

} // namespace pbc::search
