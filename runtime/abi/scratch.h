// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Memory of a task, for what emitted code keeps between the matrices and the registers.
//
//   const pb::ScratchArray<double> A_map_l(A_map_s2);    // emitted: a copy of a matrix whose size the task knows
//   double *const A_map_p = A_map_l.cells();
//   A_map_p[x + y * A_map_s1] = A_p[x * A_s0 + y * A_s1];
//
// Arrays of constant size do not need it: they are static and thread-local.
#pragma once

namespace pb {

extern "C" {
/// Memory of the calling thread, at least so many bytes, aligned to a cache line; valid until the thread's
/// next call. Defined in runtime/matrix/scratch.cpp.
void *pb_scratch(long bytes);
/// Memory of its own, aligned to a cache line, and how many bytes it has; nothing is in it. None if the number is negative. Throws
/// std::bad_alloc. Large blocks are kept for later calls. Defined there, too.
[[gnu::malloc]] void *pb_cells_allocate(long bytes, unsigned long *capacity);
void pb_cells_release(void *, unsigned long capacity);
}

/// So many cells until the end of the block.
template <class T>
class ScratchArray {
public:
  explicit ScratchArray(long count)
      : first_(static_cast<T *>(pb_cells_allocate(count * long(sizeof(T)), &capacity_))) {}
  ~ScratchArray() { pb_cells_release(first_, capacity_); }
  ScratchArray(const ScratchArray &) = delete;
  ScratchArray &operator=(const ScratchArray &) = delete;
  T *cells() const { return first_; }

private:
  unsigned long capacity_ = 0;
  T *const first_;
};

} // namespace pb
