// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A search that follows the bottleneck: which configuration of a kernel to try next, by what limits the one before.
//
//   group 16 x 1, 1 cell an item: DRAM latency, used to 0.3;  twice the cells: 0.5
//   =>  0.2 more for each time: 5 times are needed, so 8 cells an item, the next legal number; then DRAM throughput: ...
//
// A configuration has a value on each axis (items of a group along a dimension, cells of an item, iterations written out), and the values of
// an axis are in order. Limited by a latency, the search goes along the axis that keeps the resource busiest, as far as a straight line needs to
// keep it busy all the time. Limited by a throughput, it lowers the occupancy until something else is the limit, and takes the configuration that
// fits there and asks the resource for least. Where neither finds anything, it takes the best single change. No configuration is
// seen twice, so that it ends. Everything is predicted; nothing is measured. Source: bottleneck-analysis.md 6.1, 6.2 (Algorithms 2
// and 3 as cleaned there).
#pragma once
#include "compiler/emulate/emulator.h"
#include <functional>
#include <optional>
#include <vector>

namespace pbc::emulate {

/// On each axis, the place of its value among the axis's values.
using Configuration = std::vector<int>;

/// What is predicted for a configuration.
struct Predicted {
  double seconds = 0;   // for the same work
  double occupancy = 1; // 0 to 1
  std::optional<Parameter> bottleneck;
  std::vector<double> used;     // of each resource's throughput, 0 to 1
  std::vector<double> requests; // to each resource, for the same work
};

class GuidedSpace {
public:
  virtual ~GuidedSpace() = default;
  /// How many values each axis has, and those values.
  virtual const std::vector<std::vector<long>> &axes() const = 0;
  /// None if the configuration is not legal or does not fit.
  virtual std::optional<Predicted> at(const Configuration &) = 0;
  /// The same with at most this occupancy; none if that cannot be.
  virtual std::optional<Predicted> atOccupancy(const Configuration &, double) { return {}; }
  /// The occupancies that fewer groups at once would have, the greatest first.
  virtual std::vector<double> occupanciesBelow(const Configuration &) { return {}; }
};

/// How many times as much of an axis keeps a resource busy that is used to `used`, if twice as much adds `more`; none if it adds nothing.
std::optional<int> timesNeeded(double used, double more);

struct Guided {
  std::vector<Configuration> path; // from the first one on, each reached from the one before
  Configuration best;
  double first = 0, seconds = 0; // predicted for the first and the best configuration
  int predictions = 0;
};

/// At most so many configurations are predicted. `first` has to be legal.
Guided guide(GuidedSpace &, const Configuration &first, int most = 200);

} // namespace pbc::emulate
