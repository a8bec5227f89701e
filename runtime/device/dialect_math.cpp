// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/dialect_math.h"
#include <cmath>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

namespace pb::device {

const char *const kDialectMath =
    "#define PB_ILOGB_0 " TEXT(FP_ILOGB0) "\n#define PB_ILOGB_NAN " TEXT(FP_ILOGBNAN) R"(
#define PB_MATH(T, F, OWN, ONE, LEAST) \
  PB_FUNCTION T pb_nearbyint##F(T x) { return rint##F(x); } \
  PB_FUNCTION long pb_lrint##F(T x) { return (long)rint##F(x); } \
  PB_FUNCTION long pb_lround##F(T x) { return (long)round##F(x); } \
  PB_FUNCTION long pb_llrint##F(T x) { return (long)rint##F(x); } \
  PB_FUNCTION long pb_llround##F(T x) { return (long)round##F(x); } \
  PB_FUNCTION T pb_ldexp##F(T x, int n) { return ldexp##OWN(x, n); } \
  PB_FUNCTION T pb_scalbn##F(T x, int n) { return ldexp##OWN(x, n); } \
  PB_FUNCTION T pb_scalbln##F(T x, long n) { return ldexp##OWN(x, n < -9999 ? -9999 : n > 9999 ? 9999 : (int)n); } \
  PB_FUNCTION int pb_ilogb##F(T x) { return x == 0 ? PB_ILOGB_0 : x != x ? PB_ILOGB_NAN : ilogb##OWN(x); } \
  PB_FUNCTION T pb_frexp##F(T x, int *n) { return frexp##OWN(x, n); } \
  PB_FUNCTION T pb_modf##F(T x, T *whole) { return modf##OWN(x, whole); } \
  PB_FUNCTION T pb_nan##F(void) { return (T)NAN; } \
  PB_FUNCTION bool pb_isfinite##F(T x) { return fabs##F(x) < INFINITY; } \
  PB_FUNCTION bool pb_isinf##F(T x) { return fabs##F(x) == INFINITY; } \
  PB_FUNCTION bool pb_isnan##F(T x) { return x != x; } \
  PB_FUNCTION bool pb_isnormal##F(T x) { return fabs##F(x) >= LEAST && fabs##F(x) < INFINITY; } \
  PB_FUNCTION bool pb_signbit##F(T x) { return copysign##F(ONE, x) < 0; } \
  PB_FUNCTION bool pb_isgreater##F(T x, T y) { return x > y; } \
  PB_FUNCTION bool pb_isgreaterequal##F(T x, T y) { return x >= y; } \
  PB_FUNCTION bool pb_isless##F(T x, T y) { return x < y; } \
  PB_FUNCTION bool pb_islessequal##F(T x, T y) { return x <= y; } \
  PB_FUNCTION bool pb_islessgreater##F(T x, T y) { return x < y || x > y; } \
  PB_FUNCTION bool pb_isunordered##F(T x, T y) { return x != x || y != y; }
#define PB_MATH_OF(OWN) PB_MATH(float, f, OWN, 1.0f, 1.17549435e-38f)
PB_MATH_OF(PB_OWN)
PB_MATH(double, , , 1.0, 2.2250738585072014e-308)
#undef nearbyint
#define nearbyint pb_nearbyint
#undef nearbyintf
#define nearbyintf pb_nearbyintf
#undef lrint
#define lrint pb_lrint
#undef lrintf
#define lrintf pb_lrintf
#undef lround
#define lround pb_lround
#undef lroundf
#define lroundf pb_lroundf
#undef llrint
#define llrint pb_llrint
#undef llrintf
#define llrintf pb_llrintf
#undef llround
#define llround pb_llround
#undef llroundf
#define llroundf pb_llroundf
#undef ilogb
#define ilogb pb_ilogb
#undef ilogbf
#define ilogbf pb_ilogbf
#undef ldexp
#define ldexp pb_ldexp
#undef ldexpf
#define ldexpf pb_ldexpf
#undef scalbn
#define scalbn pb_scalbn
#undef scalbnf
#define scalbnf pb_scalbnf
#undef scalbln
#define scalbln pb_scalbln
#undef scalblnf
#define scalblnf pb_scalblnf
)";

} // namespace pb::device
