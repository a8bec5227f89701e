// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Integer division as the models need it: rounded up, or down for negative numbers too.
//
//   roundedUp(7, 2) = 4        roundedDown(-7, 2) = -4
//   sumRoundedUp(3, 5, 4, 8)   = ceil(5/8) + ceil(9/8) + ceil(13/8) = 1 + 2 + 2, in O(log) steps
//
// Invariant: divisors are positive. Source of the sum: the floor sum by Euclid's algorithm.
#pragma once

namespace pbc::model {

constexpr long roundedDown(long a, long b) { return a / b - (a % b < 0); }
constexpr long roundedUp(long a, long b) { return -roundedDown(-a, b); }

/// Sum of floor((first + i * step) / divisor) over 0 <= i < count; first and step not negative.
constexpr long sumRoundedDown(long count, long first, long step, long divisor) {
  long sum = 0;
  while (count > 0) {
    sum += count * (count - 1) / 2 * (step / divisor) + count * (first / divisor);
    step %= divisor;
    first %= divisor;
    const long end = step * count + first;
    if (end < divisor)
      break;
    // Counts the points below the line along the other axis.
    count = end / divisor;
    first = end % divisor;
    const long swapped = divisor;
    divisor = step;
    step = swapped;
  }
  return sum;
}

/// Sum of ceil((first + i * step) / divisor) over 0 <= i < count.
constexpr long sumRoundedUp(long count, long first, long step, long divisor) {
  return sumRoundedDown(count, first + divisor - 1, step, divisor);
}

} // namespace pbc::model
