// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Conditions on what matrices contain. A version of a step's loops that is worth its time, or right, only where they hold has them
// as guards (LoopStep::when); where they do not hold, the step's own loops run.
//
//   struct Product_Frame : pb::Frame { ...; mutable pb::Guard guards[2] = {}; };
//   static bool pb_guard_0(const Product_Frame &f) {
//     return pb::onceACall(f.guards[0], [&] { return pb::isBlankZero(f.m_A, -1); });
//   }
//
// Source: the two versions of a condition in optimisation-scripts 4.
#pragma once
#include "region.h"

namespace pb {

/// What a call of a transform has found out about a condition.
enum class Guard : unsigned char { Unknown, Holds, Fails };

/// Whether the condition holds, which is found out the first time that a call asks. Steps that begin at the same time may both find
/// it out: they find the same.
template <class F>
bool onceACall(Guard &known, const F &condition) {
  Guard found;
  __atomic_load(&known, &found, __ATOMIC_RELAXED);
  if (found == Guard::Unknown) {
    found = condition() ? Guard::Holds : Guard::Fails;
    __atomic_store(&known, &found, __ATOMIC_RELAXED);
  }
  return found == Guard::Holds;
}

/// Whether the cells that are not stored are 0 in memory: those (x, y) with x > y for half -1, with x < y for half 1, none for
/// half 0, and those further than `below` cells below the diagonal or `above` cells above it. A NaN is not 0.
template <class T>
bool isBlankZero(const Region<const T, 2> &m, int half, long below = __LONG_MAX__,
                 long above = __LONG_MAX__) {
  const long width = m.size(0), height = m.size(1);
  if (half < 0)
    above = 0;
  if (half > 0)
    below = 0;
  const auto areZero = [&](long y, long x, long end) {
    bool all = true;
    for (; x < end; ++x)
      all &= m.base()[x * m.strides()[0] + y * m.strides()[1]] == 0;
    return all;
  };
  for (long y = 0; y < height; ++y) {
    const long first = y > below ? y - below : 0; // that is stored; `behind` is not
    const long behind = above < width - y ? y + above + 1 : width;
    if (!areZero(y, 0, first < width ? first : width) ||
        (behind < width && !areZero(y, behind < 0 ? 0 : behind, width)))
      return false;
  }
  return true;
}

} // namespace pb
