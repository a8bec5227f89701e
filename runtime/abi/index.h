// Integer helpers that emitted index expressions use (isl's floor division, minimum, maximum).
#pragma once

namespace pb {

/// Division that rounds towards minus infinity; b > 0.
constexpr long floordiv(long a, long b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
/// Remainder in [0, b); b > 0.
constexpr long floormod(long a, long b) { return a - b * floordiv(a, b); }
constexpr long minimum(long a, long b) { return a < b ? a : b; }
constexpr long maximum(long a, long b) { return a > b ? a : b; }

} // namespace pb
