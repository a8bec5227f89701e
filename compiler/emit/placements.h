// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Emits the choices that a configuration has about where steps run, and by which schedule: selectors `place_STEP`, and
// the tunables that say how a step runs on a device.
//
//   step `rows` of Blur  =>  site place_rows: cpu, cpu:wide, gpu, gpu_local       with a schedule `wide` for the rule
//                            tunables group_x_rows, group_y_rows, which count where place_rows is gpu or gpu_local
//                            constraint group_x_rows * group_y_rows <= 1024
//
// Steps of one name in several plans share a placement. Invariant: a tunable has the conditions under
// which it has an effect (runtime/abi/program.h).
#pragma once
#include "compiler/emit/parts.h"
#include <array>

namespace pbc::emit {

struct Placement {
  std::string name; // of its step: "rows"
  int itemDimensions = 0;
  bool hasLocal = false, hasBlocks = false;
  /// Points of an item that keeps what it reads in registers; 0: no such version. With several along the third axis, it goes through planes.
  std::array<int, 3> run = {};
  unsigned bytesOfPoint = 0; // of its variables in registers, where items have blocks of points
  int tileDimensions = 0;    // 0: no tiles
  unsigned stepBytes = 0; // of what a place of a group that computes several rounds keeps; 0: no such version
  int rowsOfBlock =
      0; // of rows that wait for each other, unless the configuration says otherwise; 0: no such version
  bool isLibrary = false; // a function of a library, without other versions
  int team = 0; // items that compute a cell together, unless the configuration says otherwise; 0: none
  bool hasDevice = false;
  std::vector<Version> versions = {}; // other schedules on the processor, of which only names matter here
  /// Schedules of the program for devices, "gpu:strips". Items of those with blocks or runs have several points.
  struct Named {
    std::string choice, doc;
    bool hasBlocks = false, hasRuns = false;
  };
  std::vector<Named> named = {};
};

/// In the order of the plans; none in a program without code for devices and without named schedules.
std::vector<Placement> placements(const Input &, const sema::Transform &);
std::vector<Placement> placements(const Scope &);

/// The sizes of a version's groups, and of the blocks of cells of its items (`blocks`) or groups (`group`), unless the
/// configuration says otherwise.
struct LaunchSizes {
  int group[3], cells[3];
};
LaunchSizes defaultSizes(const Placement &, const std::string &version);
/// Whether items of this version have several points. The schedule of the program of this name; null: the version is the compiler's own.
bool hasSeveralCells(const Placement &, const std::string &version);
const Placement::Named *namedOf(const Placement &, const std::string &version);

/// The versions of its kernel for devices, in the order of its alternatives after those of the processor.
std::vector<std::string> versionsOf(const Placement &);

/// The name of one of the definitions below: `kind` is "place", "group", "cells" or "ratio".
std::string placementSlot(const Scope &, const char *kind);
/// Definitions of the variables that the configuration sets: selectors, sizes of groups, ratio.
std::string placementSlots(const Scope &);
/// Rows of the transform's tables of sites and tunables, for one accuracy bin.
std::string placementSites(const Scope &, int bin);
std::string placementTunables(const Scope &, int bin);
/// The definitions to which these rows refer: alternatives of placements, conditions of tunables; and the
/// transform's constraints.
std::string placementAlternatives(const Scope &);
/// The number of rows of the table pb_constraints; with 0 rows there is no such table.
std::size_t placementConstraintCount(const Scope &);
int placementTunableCount(const Scope &);

} // namespace pbc::emit
