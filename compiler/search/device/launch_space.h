// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The launches of one version of a kernel for devices, as a space: how many items a group has along each axis, and how many points an item.
//
//   product of matrices, version "blocks" with strips of 16
//   => group along x: 1, 2, 4 ... 1024;  group along y;  points along x: 1, 2, 4, 8;  points along y
//
// A version that gives one point to each item has no points to choose. Invariant: the complete states of problem() are the launches,
// each once; those with too many items in a group, or points of an item, are among them, and hasTooMany() tells.
#pragma once
#include "compiler/kernel/policy/device.h"
#include "compiler/search/device/device_leaf.h"
#include "compiler/search/state.h"

namespace pbc::search {

struct LaunchVersion {
  std::string name; // "blocks", "blocks with strips of 8"
  script::Script steps;
  int axes = 1; // of its items
  bool hasSeveralPoints = false;
  bool hasRuns =
      false; // an item goes through its points along y and z, and has those along x at once; else it has all at once
  long strip = 0; // steps of a sum in a strip; 0: there are none
};

/// What the compiler's own versions of a kernel for devices are, and the same with other strips. Those that are no single launch are left out.
std::vector<LaunchVersion> launchVersions(const kernel::Scheduled &lifted);

/// What programs launch where their configuration says nothing of it.
DeviceProgram defaultLaunch(const LaunchVersion &);

class LaunchSpace {
public:
  /// `extents`: points along each axis of the items; no group or item is longer than twice that.
  LaunchSpace(LaunchVersion, long mostItems, const std::vector<long> &extents);

  const LaunchVersion &version() const { return version_; }
  const Problem &problem() const { return problem_; }

  /// The values that are left, smallest first: items of a group along the axis; points of an item along it.
  std::vector<long> items(const State &, int axis) const;
  std::vector<long> points(const State &, int axis) const;
  /// In each launch of the region: items of a group, or points that an item has at once.
  bool hasTooMany(const State &) const;
  /// Whether some launch of the region has groups that are as long as all points along an axis.
  bool mayCoverAnAxis(const State &) const;

  DeviceProgram program(const State &leaf) const;

private:
  static std::vector<long> valuesOf(const State &, int variable);

  LaunchVersion version_;
  long mostItems_;
  std::vector<long> extents_; // by axis
  Problem problem_;
  std::vector<int> items_, points_; // variables, by axis
};

} // namespace pbc::search
