// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Helpers that emitted loops use: isl's floor division, minimum, maximum; a choice without branches; alignment.
#pragma once

namespace pb {

/// Division that rounds towards minus infinity; b > 0. It has no branch: one that depends on a loop's variable is two ways through the
/// loop, in which the compiler no longer sees that places which are computed twice are the same.
constexpr long floordiv(long a, long b) {
  if (__builtin_constant_p(b) && (b & (b - 1)) == 0)
    return a >> __builtin_ctzl(static_cast<unsigned long>(b));
  return a / b - (a % b < 0);
}
/// Remainder in [0, b); b > 0.
constexpr long floormod(long a, long b) { return a - b * floordiv(a, b); }
constexpr long minimum(long a, long b) { return a < b ? a : b; }
constexpr long maximum(long a, long b) { return a > b ? a : b; }

/// One of two values that both have been computed: with `?:`, the cells of one of them would be loaded behind a branch, or under a
/// mask, which processors have for some types only.
template <class T>
constexpr T chosen(bool condition, T yes, T no) {
  return condition ? yes : no;
}

/// How many of `count` cells come before the first cell that begins a cache line; 0 if so few cells are left
/// that aligning their vectors does not pay.
template <class T>
long cellsToLine(const T *first, long count) {
  constexpr long kLine = 64, kWorthIt = 8;
  if (count < kWorthIt * kLine / long(sizeof(T)))
    return 0;
  return long(-reinterpret_cast<unsigned long>(first) % kLine / sizeof(T));
}

} // namespace pb
