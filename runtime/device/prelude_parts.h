// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the preludes of several languages (dialect.h) share, as macros that make a string literal for one of them: PREFIX stands before each
// function. Included by the sources of preludes alone, as its macros have short names.
//
//   UNARY(NAME) => "#undef sqrt\n#define sqrt pb_sqrt\n#undef cbrt\n..."
#pragma once

// The functions of compiler/body/math_functions.cpp that all of these languages have, under other names for
// float.
#define UNARY(EACH)                                                                                          \
  EACH(sqrt)                                                                                                 \
  EACH(cbrt)                                                                                                 \
  EACH(exp)                                                                                                  \
  EACH(exp2)                                                                                                 \
  EACH(expm1)                                                                                                \
  EACH(log)                                                                                                  \
  EACH(log2)                                                                                                 \
  EACH(log10)                                                                                                \
  EACH(log1p)                                                                                                \
  EACH(logb)                                                                                                 \
  EACH(sin)                                                                                                  \
  EACH(cos)                                                                                                  \
  EACH(tan)                                                                                                  \
  EACH(asin)                                                                                                 \
  EACH(acos)                                                                                                 \
  EACH(atan)                                                                                                 \
  EACH(sinh)                                                                                                 \
  EACH(cosh)                                                                                                 \
  EACH(tanh)                                                                                                 \
  EACH(asinh)                                                                                                \
  EACH(acosh)                                                                                                \
  EACH(atanh)                                                                                                \
  EACH(ceil)                                                                                                 \
  EACH(floor)                                                                                                \
  EACH(round)                                                                                                \
  EACH(trunc)                                                                                                \
  EACH(rint)                                                                                                 \
  EACH(fabs)                                                                                                 \
  EACH(erf)                                                                                                  \
  EACH(erfc)                                                                                                 \
  EACH(tgamma)                                                                                               \
  EACH(lgamma)
#define BINARY(EACH)                                                                                         \
  EACH(pow)                                                                                                  \
  EACH(atan2)                                                                                                \
  EACH(fmod) EACH(fmin) EACH(fmax) EACH(hypot) EACH(fdim) EACH(copysign) EACH(remainder) EACH(nextafter)

// std::min, std::max and abs as bodies see them, including their results for NaN and for two equal arguments.
#define ARITHMETIC(PREFIX)                                                                                   \
  COMPARE(PREFIX, float)                                                                                     \
  COMPARE(PREFIX, double)                                                                                    \
  COMPARE(PREFIX, int)                                                                                       \
  COMPARE(PREFIX, long)                                                                                      \
  PREFIX " float pb_abs_float(float a) { return fabsf(a); }\n" PREFIX                                        \
         " double pb_abs_double(double a) { return fabs(a); }\n" PREFIX                                      \
         " int pb_abs_int(int a) { return a < 0 ? -a : a; }\n" PREFIX                                        \
         " long pb_abs_long(long a) { return a < 0 ? -a : a; }\n"                                            \
         "#define abs(a) pb_abs_int(a)\n"                                                                    \
         "#define labs(a) pb_abs_long(a)\n"                                                                  \
         "#define PB_LOCAL_INDEX "                                                                           \
         "((int)((PB_LOCAL_ID(2) * PB_G1 + PB_LOCAL_ID(1)) * PB_G0 + PB_LOCAL_ID(0)))\n"
// The functions that loops and index expressions need (runtime/abi/index.h). C++ has them for int and long, because compilers do not
// find out that 32 bits are enough for the smaller one of two numbers of 32 bits.
#define LONGS(PREFIX)                                                                                        \
  PREFIX " long pb_minimum(long a, long b) { return a < b ? a : b; }\n" PREFIX                               \
         " long pb_maximum(long a, long b) { return a > b ? a : b; }\n" PREFIX                               \
         " long pb_floordiv(long a, long b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }\n" PREFIX       \
         " long pb_floormod(long a, long b) { return a - b * pb_floordiv(a, b); }\n"
#define INDEX_FUNCTION(PREFIX, name, value)                                                                  \
  "template <class A, class B> " PREFIX " auto " name "(A a_, B b_) -> decltype(a_ + b_) {\n"                \
  "  const decltype(a_ + b_) a = a_, b = b_;\n  return " value ";\n}\n"
#define INDICES(PREFIX)                                                                                      \
  INDEX_FUNCTION(PREFIX, "pb_minimum", "a < b ? a : b")                                                      \
  INDEX_FUNCTION(PREFIX, "pb_maximum", "a > b ? a : b")                                                      \
  INDEX_FUNCTION(PREFIX, "pb_floordiv", "a >= 0 ? a / b : -((-a + b - 1) / b)")                              \
  INDEX_FUNCTION(PREFIX, "pb_floormod", "a - b * pb_floordiv(a, b)")
// The value of an optional input that lies outside (runtime/abi/body.h). LONG( gives the bits of a double.
#define MISSING(PREFIX, LONG, DOUBLE)                                                                        \
  PREFIX " double pb_missing(void) { return " DOUBLE "0x7ff96155e0000000L); }\n" PREFIX                      \
         " bool pb_isMissing(double a) { return " LONG "a) == 0x7ff96155e0000000L; }\n"
#define COMPARE(PREFIX, T)                                                                                   \
  PREFIX " " #T " pb_min_" #T "(" #T " a, " #T " b) { return b < a ? b : a; }\n" PREFIX " " #T " pb_max_" #T \
         "(" #T " a, " #T " b) { return a < b ? b : a; }\n"

// A function of C stands for the dialect's own.
#define NAME(f) "#undef " #f "\n#define " #f " pb_" #f "\n"
