// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which scripts make the versions of a kernel for devices.
//
//   C[x, y] = A[x, y] + B[x, y]   =>   "global": items()
//   s[] = the sum of A            =>   "global": no steps; one item computes it
//   B[x] = A[x - 1] + A[x + 1]    =>   "local": items(); stage(A)
//   C[x, y] += A[k, y] * B[x, k]  =>   "blocks": items(; each = block); (kt, k) = tile(k; 16);
//                                      stage(A, at = kt, layout = transposed, pad = 4); stage(B, at = kt);
//                                      separate(k, at = kt); unroll(k)
//                                      "buffers": the same with stage(..., buffers = 2)
//   B[x, y] = A[x, y - 1] + A[x, y + 1]   =>   "registers": items(; each = run); keep(A)
//   L[x, y] from L[x - 1, y]..    =>   "tiles": rounds()
//   R[y] = the sum of A's row y   =>   "group": team()
//
// Each version is a schedule of its own, between which the configuration of a program chooses by size. Source: petabricks-hetero 4, the
// three phases.
#pragma once
#include "compiler/kernel/cooperate.h"
#include "compiler/kernel/schedule.h"
#include "compiler/script/script.h"
#include <array>
#include <memory>

namespace pbc::kernel {

struct RowBlocks;

/// Why there is no version with inputs in local memory if nothing would need one: the user cannot mend it.
inline constexpr const char *kNothingShared =
    "no item reads several cells of which another one reads some, too";

/// Items of a group along x, y and z unless the configuration says otherwise, by the number of axes that a launch has: neighbours along x
/// are contiguous in memory.
inline constexpr std::array<std::array<int, 3>, 3> kItemsOfGroup = {{{256, 1, 1}, {32, 8, 1}, {32, 4, 2}}};

struct DeviceVersion {
  std::string name;
  script::Script script;
  Scheduled kernel; // after the script
  std::string why;  // if it is none, one sentence
  /// How many points an item has along each axis unless the configuration says otherwise; 0: the launch's step decides.
  std::array<int, 3> cells = {};
  /// The version whose loops are the same, except for how many buffers its copies have; "": none.
  std::string loopsOf = {};
  /// Of runs of points in three dimensions: why its items do not go through planes, one sentence; "": they do.
  std::string whyNoPlanes = {};
  /// Not null if rows that wait for each other are computed in blocks: `kernel` is what follows each block (policy/row_blocks.h).
  std::shared_ptr<const RowBlocks> rows = {};
  /// The buffer of which its items keep a block of rows in registers (loop/kept_rows.h); -1: none.
  int keptRows = -1;
  /// Of a schedule of the program, "gpu:strips", whose name this is: what `--info` says of it; "": the compiler's own version.
  std::string doc = {};
  bool isNamed() const { return !doc.empty(); }
  bool exists() const { return why.empty(); }
};

/// `lifted`: in the order of the plan; devices can run it (whyNoItems()). Nothing if the steps take isl too long;
/// otherwise, the first one exists.
std::vector<DeviceVersion> deviceVersions(const Scheduled &lifted);
/// The version in which teams of a group's items compute cells together.
DeviceVersion versionByTeams(const Scheduled &lifted, const Cooperation &);
/// The version in which groups have tiles of a wavefront, apart from the others because it may take isl as long as they do.
DeviceVersion versionInTiles(const Scheduled &lifted);
/// The version in which groups compute several rounds in a launch, apart for the same reason.
DeviceVersion versionInSteps(const Scheduled &lifted);

} // namespace pbc::kernel
