// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An axis of a plot: its ticks, their texts, and the positions of values.
//
//   Axis a(0.3, 97, /*logarithmic=*/false);
//   a.ticks()      0, 20, 40, 60, 80, 100      a.share(50) == 0.5
//   Axis b(2e-6, 0.4, true);
//   b.ticks()      10⁻⁶ ... 1                  b.share(1e-3) == 0.5
//
// Invariant: all values lie within the ticks, the ticks are round numbers (1, 2, 5 times a power of ten), and
// neighbouring ticks never have the same text.
#pragma once
#include <string>
#include <vector>

namespace pbc::model {

class Axis {
public:
  /// For values from `least` to `most`, which must be finite, and positive if the axis is logarithmic.
  Axis(double least, double most, bool logarithmic);

  const std::vector<double> &ticks() const { return ticks_; }
  /// 0 at the first tick, 1 at the last.
  double share(double value) const;

private:
  void linear(double least, double most);
  void decades(double least, double most);

  bool logarithmic_;
  std::vector<double> ticks_;
};

/// "0", "0.25", "1500", "2×10⁻⁶".
std::string tickText(double value);

} // namespace pbc::model
