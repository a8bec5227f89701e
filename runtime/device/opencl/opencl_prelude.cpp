// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The dialect of kernels as OpenCL C.
#include "runtime/device/dialect.h"
#include "runtime/device/prelude_parts.h"

// OpenCL C has one name for both types, and no conversion of an integer to either, so the dialect's names
// become macros for functions that convert. OpenCL's headers have macros of these names, too.
#define CL_FLOAT_1(f) "static inline float pb_" #f "f(float x) { return " #f "(x); }\n"
#define CL_FLOAT_2(f) "static inline float pb_" #f "f(float x, float y) { return " #f "(x, y); }\n"
#define CL_DOUBLE_1(f) "static inline double pb_" #f "(double x) { return " #f "(x); }\n"
#define CL_DOUBLE_2(f) "static inline double pb_" #f "(double x, double y) { return " #f "(x, y); }\n"
#define NAME_FLOAT(f) "#undef " #f "f\n#define " #f "f pb_" #f "f\n"
// Keywords of OpenCL C only: in other languages they may be names, for example of a body's variables.
#define CL_WORD(word) "#define " #word " pb_word_" #word "\n"

namespace pb::device {

const char *const kOpenClPrelude =
    R"(#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT ON
#define PB_KERNEL(name) __kernel __attribute__((reqd_work_group_size(PB_G0, PB_G1, PB_G2))) void name
#define PB_GLOBAL __global
#define PB_LOCAL __local
#define PB_CONSTANT __constant
#define PB_TABLE __constant
#define PB_COMMON_TABLE __constant
#define PB_FUNCTION static inline
#define PB_OWN
#define PB_LOCAL_ARRAYS
#define PB_LOCAL_ARRAY(T, name, count) __local T name[count] __attribute__((aligned(16)))
#define PB_BEGIN {
#define PB_END }
#define PB_ID(d) ((long)get_global_id(d))
#define PB_LOCAL_ID(d) ((long)get_local_id(d))
#define PB_GROUP_ID(d) ((long)get_group_id(d))
#define PB_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define PB_WARP 1
#define PB_SHUFFLE(T, name, value, lanes) const T name = value
#define PB_SHUFFLE_BEFORE(T, name, value, lanes) const T name = value
#define PB_VOTE(name, value) const PB_INDEX name = 0
#define PB_MATCH(name, value, bits) const unsigned name = 1u
#define PB_WARP_BARRIER() ((void)0)
#define PB_COUNT_ONES(bits) popcount(bits)
#define PB_DIVIDE(x, by) ((x) / (by))
#define PB_ADD_LOCAL(cell, value) atomic_add((volatile __local unsigned *)&cell, value)
#define PB_ADD_GLOBAL(cell, value) atomic_add((volatile __global unsigned *)&cell, value)
#define PB_PUBLISH(cell, value) *(volatile __global unsigned *)&cell = value
#define PB_PUBLISHED(cell) (*(volatile __global unsigned *)&cell)
#define PB_COPY(to, from) to = from
#define PB_COPY_16(to, from) *(__local int4 *)&to = *(__global const int4 *)&from
#define PB_COPIED() ((void)0)
#define PB_CELLS_OF_16(T) union { int4 all; T one[16 / sizeof(T)]; } pb_cells
#define PB_LOAD_16(T, to, from)                                                                     \
  {                                                                                                 \
    PB_CELLS_OF_16(T);                                                                              \
    pb_cells.all = *(__global const int4 *)&from;                                                   \
    for (int pb_k = 0; pb_k < (int)(16 / sizeof(T)); ++pb_k) (&to)[pb_k] = pb_cells.one[pb_k];      \
  }
#define PB_LOAD_LOCAL_16(T, to, from)                                                               \
  {                                                                                                 \
    PB_CELLS_OF_16(T);                                                                              \
    pb_cells.all = *(__local const int4 *)&from;                                                    \
    for (int pb_k = 0; pb_k < (int)(16 / sizeof(T)); ++pb_k) (&to)[pb_k] = pb_cells.one[pb_k];      \
  }
#define PB_STORE_16(T, to, from)                                                                    \
  {                                                                                                 \
    PB_CELLS_OF_16(T);                                                                              \
    for (int pb_k = 0; pb_k < (int)(16 / sizeof(T)); ++pb_k) pb_cells.one[pb_k] = (&from)[pb_k];    \
    *(__global int4 *)&to = pb_cells.all;                                                           \
  }
#define PB_PLACE(cells, offset) cells += offset
)" UNARY(CL_FLOAT_1) BINARY(
        CL_FLOAT_2) "static inline float pb_fmaf(float x, float y, float z) { return fma(x, y, z); }\n"
                    "#ifdef cl_khr_fp64\n" UNARY(CL_DOUBLE_1) BINARY(
                        CL_DOUBLE_2) "static inline double pb_fma(double x, double y, double z) { "
                                     "return fma(x, y, z); }\n" UNARY(NAME) BINARY(NAME) NAME(fma) MISSING(
                                         "static inline", "as_long(",
                                         "as_double(") "#else\n#define double float // kernels with "
                                                       "doubles are not compiled here: the functions with "
                                                       "doubles are not used\n"
                                                       "#endif\n" UNARY(NAME_FLOAT) BINARY(NAME_FLOAT)
                                                           NAME_FLOAT(fma) LONGS("static inline")
                                                               ARITHMETIC("static inline") CL_WORD(half)
                                                                   CL_WORD(kernel) CL_WORD(global)
                                                                       CL_WORD(local) CL_WORD(constant)
                                                                           CL_WORD(private) CL_WORD(read_only)
                                                                               CL_WORD(write_only)
                                                                                   CL_WORD(read_write);

} // namespace pb::device
