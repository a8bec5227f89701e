// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Steps that may run on a device (a GPU, or whatever OpenCL offers): tables that the compiler emits and
// runtime/device carries out.
//
//   static const pb::DeviceKernel pb_device_kernels_0[] = {{"global", "...text...", "pb_k0", nullptr},
//                                                          {"local", "...text...", "pb_k0", pb_local_0}};
//   static const pb::DeviceStep pb_device_0 = {"rows", pb_device_kernels_0, 2, ...};
//
// A kernel's text is written in the dialect of runtime/device/dialect.h, which a prelude of macros turns into
// OpenCL C, CUDA C++ or, for the device that is this processor, C++. Work-item (i0, i1, i2) of a launch over
// a box computes the point whose functions have the values low<d> + i<d>; the sizes of groups are the macros
// PB_G0, PB_G1, PB_G2; PB_UNIT is defined where dimension 0 of every matrix has stride 1, and PB_INDEX, the type of indices, is int where
// 32 bits are enough for them, else long. PB_WIDE is 1 where all rows begin at multiples of 16 bytes (device/kernel_form.h).
//
// In the version "tiles" a group computes a tile of points instead; the tile has functions of its own. The
// sizes of tiles, the diagonal of the launch, and the first tile along each function but the last follow
// those of the box.
//
// Arguments of a kernel, in this order: for each matrix a pointer, the offset of the cell (0, 0, ...) from it
// in elements, and the stride of each dimension in elements; then `values`; then low and high of each
// dimension of the box. All but the pointers are 8 bytes long: 64-bit integers or doubles. Source:
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

/// A matrix that a step touches: everything about it that does not depend on sizes.
struct DeviceMatrix {
  const char *name;
  int rank;
  int elementBytes;
  bool reads, writes;
  bool covers;     // every cell of `written` is written; otherwise some keep their old values
  unsigned region; // offset of its Region in the transform's frame, in bytes
};

/// What a part of a step touches, at the frame's sizes. The caller provides the arrays, with the lengths that
/// the step's table gives: matrixCount boxes of cells and valueCount values. At first they hold no cells.
struct DeviceArguments {
  union Value {
    long integer;
    double real;
  };
  Cells *read, *written;
  Value *value;
};

/// The largest number of functions that the points of tiled kernels may have.
inline constexpr int kTileFunctions = 4;

/// Describes a version in which the items of a group compute cells together, in teams of equal size: one team
/// for each of the group's PB_C0 cells along the first function. Its kernel has four further arguments behind
/// the limits of the box: a buffer for the partial results, the number of the pass, the number of parts that
/// a cell's steps are cut into, and how many of these parts are groups of this launch
/// (compiler/loop/lower/teams.cpp).
struct DeviceTeams {
  /// The number of steps of the loop that the items share, at most, for the points of the box; null: unknown.
  long (*steps)(const Frame *, const Box *);
  int values; // number of 8-byte values that a part leaves; 0: one group computes a cell
  int passes; // number of passes over cells in parts
};

/// Describes a version in which a launch computes several rounds: the values [low0, high0) of function 0. Group k owns
/// n - 2 * reach * (high0 - low0 - 1) points along an axis, of n = PB_G * PB_C that it computes in the first round.
struct DeviceSteps {
  int slots;     // no launch may have a multiple of so many rounds; 0: any
  int alone;     // so many last rounds are launched one by one
  long reach[2]; // how far a round reads along each axis of the items
};

struct DeviceKernel;

/// A copy of a matrix that a launch of its own makes in front of each launch of a kernel, which reads the copy instead.
struct DeviceMap {
  const char *name; // "copy of A", for traces
  int matrix;       // of the step
  /// Its matrices are that one and the copy. Item (i0, i1, i2) makes the cell (low0 + i0, ..) of the box.
  const DeviceKernel *kernel;
  int valueCount;
  void (*box)(const Frame *, Box *); // the cells that are copied; the copy has them alone
  void (*values)(const Frame *, DeviceArguments::Value *);
};

/// A value of a step that is a number in each kernel that is built: the macro PB_V0, if it is the first of all values. Extents of a
/// group's memory depend on it.
struct DeviceSize {
  const char *name;
  int value; // which one
  long
      least; // smaller values need a version without such sizes, and so do large ones (runtime/device/size_of_build.h)
};
/// One of the kernels of a version in blocks of rows. Behind the matrices of the step it has the matrix of sums as an argument; behind the
/// limits of its box, the first row of the block and the one behind it.
struct DeviceRowsPart {
  void (*box)(const Frame *, Box *); // all of its points
  /// For each function of that box, the same of the step's box; -1: that of the rows.
  int along[3];
  const DeviceKernel *kernel = nullptr; // null: the version's own
  int valueCount = 0;                   // of that kernel
  void (*values)(const Frame *, DeviceArguments::Value *) = nullptr;
};

/// Describes a version in which rows that wait for each other are computed in blocks (compiler/kernel/waiting_rows.h): first `start`, then
/// for each block of rows `finish`, and `update` for the rows behind it. The version's own kernel is that of `update`.
struct DeviceRows {
  DeviceRowsPart start, finish, update;
  int result;                                // matrix of the step; sums have as many cells
  int elementBytes;                          // of sums
  bool isBackward;                           // the last block is the first one
  void (*rows)(const Frame *, long rows[2]); // the first row, and the one behind the last
};

/// One version of a step's kernel. Of a version with maps, the arguments of the copies follow those of the matrices: a pointer, an offset,
/// strides, and extents.
struct DeviceKernel {
  const char
      *variant; // "global", "local", "blocks", "buffers", "registers", "tiles", "steps", "library", "group"
  const char *source; // in the dialect, without its prelude; null: this step has no such version
  const char *entry;
  /// Bytes of group-local memory for groups of group[0] x group[1] x group[2] items with cells[0] x cells[1] x cells[2]
  /// cells each, and for these values of `sizes`; null: none.
  long (*localBytes)(const int *group, const int *cells, const long *sizes);
  /// An item computes PB_C0 x PB_C1 cells (macros), or has so many places of the version "steps"; otherwise one.
  bool hasCells;
  /// These are runs of neighbours along function 0: the first one of a launch begins at a multiple of PB_C0.
  bool hasRuns = false;
  /// Of items with runs: these go on along function 2, cells[2] times (PB_C2). Otherwise, an item has one cell along function 2.
  bool hasPlanes = false;
  /// The largest integer among values and limits for which PB_INDEX may have 32 bits, if offsets of cells fit as well; 0: none.
  long narrow = 0;
  /// Not null if a group computes a tile: gives the values of the functions along which the tiles lie.
  void (*tiles)(const Frame *, Box *) = nullptr;
  /// `source` names a function of a library and the elements' type, "cublas.gemm double": the matrices are
  /// its arguments, the values their extents (runtime/device/library/entries.h). There are no items.
  bool isLibrary = false;
  const DeviceTeams *teams = nullptr;
  const DeviceSteps *steps = nullptr; // not null if groups compute several rounds
  const DeviceMap *maps = nullptr;
  int mapCount = 0;
  const DeviceSize *sizes = nullptr; // with which it is built
  int sizeCount = 0;
  const DeviceRows *rows = nullptr; // not null if rows are computed in blocks
};

/// The largest number of parts of a launch (compiler/kernel/item_parts.h).
inline constexpr int kMostParts = 8;

/// A step as devices see it: what it touches, and its kernels, if there are any.
struct DeviceStep {
  const char *name; // made of the names of its rules: "rows"
  const DeviceKernel *kernels;
  int kernelCount;
  const DeviceMatrix *matrices;
  int matrixCount;
  int valueCount;
  /// The range of the functions of its points; items go along these functions, along function 0 in memory.
  void (*box)(const Frame *, Box *);
  /// What the points in a part of that box touch; if `part` is null, what all points touch. A null function
  /// stands for all cells of all matrices.
  void (*arguments)(const Frame *, const Box *part, DeviceArguments *);
  /// Function 0 is the round: all items of one round come before those of the next. The items go along
  /// functions 1, 2, ...
  bool inRounds;
  /// The function along which a device and the processor can share the points, as a dimension of this box
  /// and of LoopStep's; -1: they cannot share them.
  int shared, sharedInLoop;
  /// These are slots (slots.h) and indexed by Frame::bin. Placement: 0 to `versions` are the processor; then come the kernels.
  const Selector *placement;
  /// The part of the shared function that the device gets, in 64ths; a larger value: found by measuring.
  const long *ratio;
  const long *group;          // three per bin: items of a group along each function that has items
  const long *cells;          // three per bin: cells of an item along each of these functions
  const long *tile = nullptr; // four per bin: values of each function that a tile has
  /// Two per bin: items of a team; parts of a cell's steps (0: as many as keep the device busy).
  const long *teams = nullptr;
  const long *steps = nullptr; // three per bin: rounds of a launch, at most; places of an item along two axes
  const long *rows = nullptr;  // one per bin: rows of a block, of versions that have such
  int versions = 0;            // other schedules on the processor (LoopVersions)
  unsigned long realValues = 0; // a bit for each of the first 64 values that is no integer
  /// Boxes that have all points, if those are far fewer than the box has; returns how many there are, kMostParts at most. They have no
  /// point in common, and a launch may compute each of them. Null: there is only that box.
  int (*parts)(const Frame *, Box *) = nullptr;
};

/// The awaitable of toHost.
struct HostAccess {
  Job job; // none if there is nothing to wait for
  bool await_ready() const { return !job; }
  [[gnu::always_inline]] Job::Handle await_suspend(std::coroutine_handle<> caller) const {
    return job.operator co_await().await_suspend(caller);
  }
  [[gnu::always_inline]] void await_resume() const {
    if (job)
      job.operator co_await().await_resume();
  }
};

/// Copies what the step reads to memory that the processor sees, and records that the step will write. It
/// must be awaited before a step runs on the processor.
HostAccess toHost(const Frame *, const DeviceStep *);
/// Called at the end of a transform that a body has called, if the body may read or write all of the
/// transform's matrices from then on: copies what the table touches back to the processor, and makes devices
/// forget it.
HostAccess leaveDevices(const Frame *, const DeviceStep *);

} // namespace pb
