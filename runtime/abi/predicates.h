// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What C's <math.h> defines as macros, here as one function for each type: `isnan` for double, `isnanf` for
// float; nan() is NAN. Kernels on devices call them by the same names (runtime/device/dialect.h).
#pragma once

namespace pb {

inline double nan() { return __builtin_nan(""); }
inline float nanf() { return __builtin_nanf(""); }

#define PB_PREDICATE(name)                                                                                   \
  inline bool name(double x) { return __builtin_##name(x); }                                                 \
  inline bool name##f(float x) { return __builtin_##name(x); }
PB_PREDICATE(isfinite)
PB_PREDICATE(isinf)
PB_PREDICATE(isnan)
PB_PREDICATE(isnormal)
PB_PREDICATE(signbit)
#undef PB_PREDICATE
#define PB_PREDICATE(name)                                                                                   \
  inline bool name(double x, double y) { return __builtin_##name(x, y); }                                    \
  inline bool name##f(float x, float y) { return __builtin_##name(x, y); }
PB_PREDICATE(isgreater)
PB_PREDICATE(isgreaterequal)
PB_PREDICATE(isless)
PB_PREDICATE(islessequal)
PB_PREDICATE(islessgreater)
PB_PREDICATE(isunordered)
#undef PB_PREDICATE

} // namespace pb
