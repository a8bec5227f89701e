// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints a work-item's Kernel as text in a language of devices, here in that of runtime/device/dialect.h.
//
//   item (x) of B[x] = A[x-1] + A[x+1]
//   =>  PB_KERNEL(pb_k)(PB_GLOBAL const double *A_p, long A_o, long A_t0, PB_GLOBAL double *B_p, ...,
//                       long n_w, long low_w0, long high_w0)
//       { PB_BEGIN  A_p += A_o; ...  const PB_INDEX n_v = n_w; ...  const PB_INDEX item0 = low0 + PB_ID(0);
//         if (item0 < high0) { B_p[item0 * B_s0] = A_p[...] + A_p[...]; }  PB_END }
// Sizes on which the extents of a group's memory depend are macros of the build: `#define n_v ((PB_INDEX)PB_V0)`.
//
// Loops and statements are printed by loops.cpp, like those for the processor.
#pragma once
#include "compiler/emit/dialect/dialect.h"
#include "compiler/emit/kernel/local_bytes.h"
#include "compiler/kernel/on_device.h"
#include "compiler/kernel/policy/row_blocks.h"
#include "compiler/loop/bank_conflicts.h"
#include "compiler/loop/sectors.h"
#include "compiler/loop/traffic.h"
#include <memory>
#include <set>

namespace pbc::emit {

struct DeviceText {
  /// The kernel that makes a copy of a matrix in front of each launch, in one version.
  struct Map {
    std::string matrix; // of which it is a copy
    int from = -1;      // its buffer
    std::shared_ptr<const DeviceText> text;
    std::shared_ptr<const kernel::Scheduled> kernel;
  };
  /// The kernels beside its own that a version in blocks of rows has.
  struct Rows {
    std::shared_ptr<const DeviceText> start, finish;
    std::shared_ptr<const kernel::RowBlocks> how;
  };
  struct Version {
    std::string variant; // "global", "local", "blocks", "buffers", "registers", "tiles", "steps", "group"
    std::string text;
    script::Script script = {};               // by which the kernel was made
    std::vector<LocalArray> localArrays = {}; // of a group
    /// The values that are macros of the build, PB_V0 for the first of all values.
    std::vector<kernel::SizeOfBuild> sizes = {};
    int values = 0;  // of a part of a cell (loop/lower/lower.h)
    long narrow = 0; // the largest size for which PB_INDEX may have 32 bits (loop/narrow.h); 0: none
    loop::NodePtr loops = nullptr;            // lowered
    std::vector<loop::Matrix> matrices = {};  // that they use
    std::vector<source::Origin> origins = {}; // by statement of the loops
    std::vector<int> statements = {};         // by line of the text: the one for which it is, or kNoStatement
    bool isTeam = false;                      // items compute cells together
    bool inRounds = false;                    // each launch is a round, on which depends what its points do
    bool hasPlanes = false;                   // items go through planes of points in turns
    enum class Beside { Nothing, Start, Finish };
    Beside beside = Beside::Nothing; // the sums of a version in blocks of rows
    bool isCopy = false;             // it makes a copy of a matrix
    std::vector<Map> maps = {};      // in the order of their buffers
    std::optional<Rows> rows = {};   // that wait for each other, in blocks
    long rowsAtOnce = 0;             // of an item's runs, where these have a multiple of them; 0: all
  };
  static constexpr int kNoStatement = -1; // as of loop/served_statements.h
  std::string entry;
  std::vector<Version> versions;
  /// Arguments between matrices and limits: first sizes and tunables by their mangled names, ...
  std::vector<std::string> values;
  std::size_t placeOf(const kernel::SizeOfBuild &) const; // among the values
  /// ... then extents of matrices: (buffer, dimension).
  std::vector<std::pair<int, int>> extents;
};

/// Why the loops of a schedule for devices cannot be printed, one sentence; "" if they can: everything that they use is theirs, or the launch's.
std::string whyNoDeviceText(const kernel::Scheduled &);

/// `reals`: the names among the values that are floating-point.
DeviceText deviceText(const kernel::OnDevice &, const std::string &entry, const std::set<std::string> &reals,
                      const Dialect &);

} // namespace pbc::emit
