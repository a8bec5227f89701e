// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Steps that may run on a device (a GPU, or whatever OpenCL offers): tables that the compiler emits and
// runtime/device carries out.
//
//   static const pb::DeviceKernel pb_device_kernels_0[] = {{"global", "...text...", "pb_k0", nullptr},
//                                                          {"local", "...text...", "pb_k0", pb_local_0}};
//   static const pb::DeviceStep pb_device_0 = {"rows", pb_device_kernels_0, 2, ...};
//
// A kernel's text is written in the dialect of runtime/device/dialect.h, which a prelude of macros makes
// OpenCL C, CUDA C++ or C++ for a device that is this processor. Work-item (i0, i1, i2) of a launch over a
// box computes the point with the values low<d> + i<d> of the box's functions; sizes of groups are macros
// PB_G0, PB_G1, PB_G2; PB_UNIT is defined where dimension 0 of every matrix has stride 1.
//
// A group of the version "tiles" computes a tile of points instead, of functions of its own; the sizes of
// tiles, the diagonal of the launch and the first tile along each function but the last follow those of the
// box.
//
// Arguments of a kernel, in this order: for each matrix a pointer, the place of the cell (0, 0, ...) behind
// it in elements, and the stride of each dimension in elements; then `values`; then low and high of each
// dimension of the box. All but pointers are 8 bytes long: 64-bit integers or doubles. Source:
// petabricks-hetero 4 to 6.
#pragma once
#include "loops.h"
#include "program.h"
#include "region.h"

namespace pb {

/// Cells low[d] <= c[d] < high[d] of a matrix; none if low[d] >= high[d] for some d < rank.
struct Cells {
  long low[AnyRegion::kMaxRank], high[AnyRegion::kMaxRank];
};

/// A matrix that a step touches; everything that does not depend on sizes.
struct DeviceMatrix {
  const char *name;
  int rank;
  int elementBytes;
  bool reads, writes;
  bool covers;     // every cell of `written` is written; else some keep what they were
  unsigned region; // where its Region is in the transform's frame, in bytes
};

/// What a part of a step touches, at the frame's sizes. The arrays are the caller's, as long as the step's
/// table says: matrixCount boxes of cells, valueCount values; at first no cells.
struct DeviceArguments {
  union Value {
    long integer;
    double real;
  };
  Cells *read, *written;
  Value *value;
};

/// Functions of the points in tiles have at most so many.
inline constexpr int kTileFunctions = 4;

/// Of a version in which the items of a group compute cells together: in teams of equal size, one for each of
/// the group's PB_C0 cells along the first function. Behind the limits of the box its kernel has four further
/// arguments: a place for what parts of the steps leave, the number of the pass, how many parts a cell's
/// steps have, and how many of these are groups of this launch (compiler/emit/kernel/device_groups.h).
struct DeviceTeams {
  /// Of the loop that the items share out, at most, for the points of the box; null: unknown.
  long (*steps)(const Frame *, const Box *);
  int values; // of 8 bytes that a part leaves; 0: a cell is one group's
  int passes; // of cells in parts
};

/// One version of a step's kernel.
struct DeviceKernel {
  const char *variant; // "global", "local", "blocks", "tiles", "library", "group"
  const char *source;  // in the dialect, without its prelude; null: this step has no such version
  const char *entry;
  /// Bytes of group-local memory for groups of group[0] x group[1] x group[2] items with cells[0] x cells[1]
  /// cells each; null: none.
  long (*localBytes)(const int *group, const int *cells);
  bool hasCells; // an item computes PB_C0 x PB_C1 cells (macros), else one
  /// Not null: a group computes a tile; the values of the functions along which tiles lie.
  void (*tiles)(const Frame *, Box *) = nullptr;
  /// `source` names a function of a library and the elements' type, "cublas.gemm double": the matrices are
  /// its arguments, the values their extents (runtime/device/library/entries.h). There are no items.
  bool isLibrary = false;
  const DeviceTeams *teams = nullptr;
};

/// A step, as far as devices are concerned: what it touches, and its kernels, if there are any.
struct DeviceStep {
  const char *name; // of its rules: "rows"
  const DeviceKernel *kernels;
  int kernelCount;
  const DeviceMatrix *matrices;
  int matrixCount;
  int valueCount;
  /// The values that the functions of its points take; items go along them, along function 0 in memory.
  void (*box)(const Frame *, Box *);
  /// What the points in a part of that box touch (null: of all points). Null: all cells of all matrices.
  void (*arguments)(const Frame *, const Box *part, DeviceArguments *);
  bool inRounds; // function 0 says the round: all items of one before those of the next; they go along 1, 2,
                 // ..
  /// The function along which a device and the processor can share the points, as a dimension of this box
  /// and of LoopStep's; -1: they cannot.
  int shared, sharedInLoop;
  const Selector *placement; // by Frame::bin; 0: on the processor, k: kernels[k - 1]
  const long *ratio; // by Frame::bin: so many 64ths of the shared function are the device's; above: found by
                     // measuring
  const long *group; // by Frame::bin, three each: items of a group along each function that has items
  const long *cells; // by Frame::bin, two each: cells of an item along the first two of these
  const long *tile = nullptr;  // by Frame::bin, four each: values of each function that a tile has
  const long *teams = nullptr; // by Frame::bin, two each: items of a team; parts of a cell's steps, 0: as
                               // many as keep the device busy
};

/// The awaitable of toHost.
struct HostAccess {
  Job job; // none: there is nothing to wait for
  bool await_ready() const { return !job; }
  [[gnu::always_inline]] Job::Handle await_suspend(std::coroutine_handle<> caller) const {
    return job.operator co_await().await_suspend(caller);
  }
  [[gnu::always_inline]] void await_resume() const {
    if (job)
      job.operator co_await().await_resume();
  }
};

/// Brings what the step reads to where the processor sees it, and notes that it will write. To be awaited
/// before a step runs on the processor.
HostAccess toHost(const Frame *, const DeviceStep *);
/// At the end of a transform that a body has called which may read or write all of its matrices from now on:
/// brings what the table touches, and devices forget it.
HostAccess leaveDevices(const Frame *, const DeviceStep *);

} // namespace pb
