// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/dialect.h"
#include "runtime/device/dialect_division.h"
#include "runtime/device/dialect_math.h"

#define DIVISION_TEXT(...) #__VA_ARGS__
#define DIVISION(code) DIVISION_TEXT(code) // as a string, with macros replaced

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

// OpenCL C has one name for both types, and no conversion of an integer to either, so the dialect's names
// become macros for functions that convert. OpenCL's headers have macros of these names, too.
#define CL_FLOAT_1(f) "static inline float pb_" #f "f(float x) { return " #f "(x); }\n"
#define CL_FLOAT_2(f) "static inline float pb_" #f "f(float x, float y) { return " #f "(x, y); }\n"
#define CL_DOUBLE_1(f) "static inline double pb_" #f "(double x) { return " #f "(x); }\n"
#define CL_DOUBLE_2(f) "static inline double pb_" #f "(double x, double y) { return " #f "(x, y); }\n"
#define NAME_FLOAT(f) "#undef " #f "f\n#define " #f "f pb_" #f "f\n"
#define NAME(f) "#undef " #f "\n#define " #f " pb_" #f "\n"
// Keywords of OpenCL C only: in other languages they may be names, for example of a body's variables.
#define CL_WORD(word) "#define " #word " pb_word_" #word "\n"

// CUDA C++ has functions of one name for both types; in the dialect the name stands for double.
#define CUDA_DOUBLE_1(f) "__device__ inline double pb_" #f "(double x) { return " #f "(x); }\n"
#define CUDA_DOUBLE_2(f) "__device__ inline double pb_" #f "(double x, double y) { return " #f "(x, y); }\n"

#define HOST_1(f) "double " #f "(double) noexcept; float " #f "f(float) noexcept;\n"
#define HOST_2(f) "double " #f "(double, double) noexcept; float " #f "f(float, float) noexcept;\n"

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

// NVRTC knows the functions of math.h without any header. A grid has at most 65535 groups along y and z; a
// larger launch is split into parts, and pb_first_group has the first group of a part (cuda/cuda_device.cpp).
const char *const kCudaPrelude =
    R"(__constant__ long pb_first_group[3];
#define PB_LEAST_GROUPS 1
#define PB_GROUPS_OF(registers) (2 * PB_G0 * PB_G1 * PB_G2 * (registers) <= 65536 ? 2 : 1)
#define PB_GROUPS_FILLING(registers) \
  (PB_G0 * PB_G1 * PB_G2 * (registers) >= 65536 ? 1 : 65536 / (PB_G0 * PB_G1 * PB_G2 * (registers)))
// Besides what items keep, they need registers for addresses and results.
#define PB_OF_INDICES (sizeof(PB_INDEX) == 4 ? 28 : 60)
#define PB_GROUPS_KEEPING(kept)                                                                     \
  ((kept) <= 52 ? PB_GROUPS_FILLING(((kept) < 36 ? 36 : (kept)) + PB_OF_INDICES) : PB_GROUPS_OF((kept) + 56))
#define PB_KERNEL(name) \
  extern "C" __global__ void __launch_bounds__(PB_G0 * PB_G1 * PB_G2, PB_LEAST_GROUPS) name
#define PB_GLOBAL
#define PB_LOCAL
#define PB_CONSTANT
#define PB_TABLE static __device__
#define PB_COMMON_TABLE static __constant__
#define PB_FUNCTION static __device__ inline
#define PB_OWN f
#if PB_DYNAMIC_BYTES > 0 // more than kernels may have without asking for it
extern __shared__ __align__(16) unsigned char pb_dynamic[];
#define PB_LOCAL_ARRAYS unsigned pb_used = 0;
#define PB_LOCAL_ARRAY(T, name, count)                                                              \
  T *const name = (T *)(pb_dynamic + pb_used);                                                      \
  pb_used += (sizeof(T) * (count) + 15) / 16 * 16
#else
#define PB_LOCAL_ARRAYS
#define PB_LOCAL_ARRAY(T, name, count) __shared__ __align__(16) T name[count]
#endif
#define PB_BEGIN {
#define PB_END }
#define PB_AXIS_0 x
#define PB_AXIS_1 y
#define PB_AXIS_2 z
#define PB_OF_AXIS_(value, axis) value.axis
#define PB_OF_AXIS(value, axis) PB_OF_AXIS_(value, axis)
#define PB_GROUP_ID(d) ((long)PB_OF_AXIS(blockIdx, PB_AXIS_##d) + PB_FIRST_GROUP_##d)
#define PB_FIRST_GROUP_0 0L
#define PB_FIRST_GROUP_1 pb_first_group[1]
#define PB_FIRST_GROUP_2 pb_first_group[2]
#define PB_LOCAL_ID(d) ((long)PB_OF_AXIS(threadIdx, PB_AXIS_##d))
#define PB_ID(d) (PB_GROUP_ID(d) * PB_G##d + PB_LOCAL_ID(d))
#define PB_BARRIER() __syncthreads()
#define PB_WARP 32
#define PB_SHUFFLE(T, name, value, lanes) const T name = __shfl_down_sync(0xffffffffu, value, lanes)
#define PB_SHUFFLE_BEFORE(T, name, value, lanes) const T name = __shfl_up_sync(0xffffffffu, value, lanes)
// The last warp of a group must be a whole one.
#define PB_VOTE(name, value)                                                                        \
  const PB_INDEX name = PB_G0 * PB_G1 * PB_G2 % PB_WARP == 0 && __all_sync(0xffffffffu, value)
__device__ __forceinline__ unsigned pb_match(unsigned value, int bits) {
  unsigned alike = 0xffffffffu;
#pragma unroll
  for (int bit = 0; bit < bits; ++bit) { // four instructions each
    unsigned all; // 32 times the bit
    asm("bfe.s32 %0, %1, %2, 1;" : "=r"(all) : "r"(value), "r"(bit));
    alike &= ~(__ballot_sync(0xffffffffu, all) ^ all);
  }
  return alike;
}
__device__ __forceinline__ void pb_publish(unsigned *cell, unsigned value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" :: "l"(cell), "r"(value) : "memory");
}
__device__ __forceinline__ unsigned pb_published(const unsigned *cell) {
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(cell) : "memory");
  return value;
}
#define PB_MATCH(name, value, bits) const unsigned name = pb_match(value, bits)
#define PB_WARP_BARRIER() __syncwarp()
#define PB_COUNT_ONES(bits) ((unsigned)__popc(bits))
#define PB_ADD_LOCAL(cell, value) atomicAdd(&cell, value)
#define PB_ADD_GLOBAL(cell, value) atomicAdd(&cell, value)
#define PB_PUBLISH(cell, value) pb_publish(&cell, value)
#define PB_PUBLISHED(cell) pb_published(&cell)
// The compiler would add the offset to each index instead, in 64 bits.
#define PB_PLACE(cells, offset)                                                                     \
  {                                                                                                 \
    unsigned long first = __cvta_generic_to_global(cells + offset);                                 \
    asm("" : "+l"(first));                                                                          \
    cells = (decltype(cells))__cvta_global_to_generic(first);                                       \
  }
#if __CUDA_ARCH__ >= 800
#define PB_COPY_BYTES(T, bytes)                                                                     \
  __device__ __forceinline__ void pb_copy(T *to, const T *from) {                            \
    asm volatile("cp.async.ca.shared.global [%0], [%1], " #bytes ";"                                \
                 :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");             \
  }
PB_COPY_BYTES(float, 4) PB_COPY_BYTES(int, 4) PB_COPY_BYTES(double, 8) PB_COPY_BYTES(long, 8)
__device__ __forceinline__ void pb_copy(unsigned char *to, const unsigned char *from) { *to = *from; }
__device__ __forceinline__ void pb_copy_16(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
               :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
#define PB_COPY(to, from) pb_copy(&to, &from)
#define PB_COPY_16(to, from) pb_copy_16(&to, &from)
#define PB_COPIED() asm volatile("cp.async.wait_all;" ::: "memory")
#else
#define PB_COPY(to, from) to = from
#define PB_COPY_16(to, from) *(int4 *)&to = *(const int4 *)&from
#define PB_COPIED() ((void)0)
#endif
template <class T> struct __align__(16) pb_Cells { T one[16 / sizeof(T)]; };
template <class T> __device__ __forceinline__ void pb_load_16(T *to, const T *from) {
  const pb_Cells<T> cells = *(const pb_Cells<T> *)from;
#pragma unroll
  for (int k = 0; k < 16 / sizeof(T); ++k) to[k] = cells.one[k];
}
template <class T> __device__ __forceinline__ void pb_store_16(T *to, const T *from) {
  pb_Cells<T> cells;
#pragma unroll
  for (int k = 0; k < 16 / sizeof(T); ++k) cells.one[k] = from[k];
  *(pb_Cells<T> *)to = cells;
}
#define PB_LOAD_16(T, to, from) pb_load_16<T>(&to, &from)
#define PB_LOAD_LOCAL_16 PB_LOAD_16
#define PB_STORE_16(T, to, from) pb_store_16<T>(&to, &from)
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
#define HUGE_VAL (__longlong_as_double(0x7ff0000000000000LL))
#define PB_DIVIDE(x, by) pb_divided(x, by)
__device__ __forceinline__ float pb_divided(float x, float by)
)" DIVISION(PB_BODY_OF_DIVIDED) "\n" UNARY(CUDA_DOUBLE_1)
        BINARY(CUDA_DOUBLE_2) "__device__ inline double pb_fma(double x, double y, double z) "
                              "{ return fma(x, y, z); }\n" UNARY(NAME) BINARY(NAME) NAME(fma)
                                  ARITHMETIC("__device__ inline") INDICES("__device__ inline") MISSING(
                                      "__device__ inline", "__double_as_longlong(", "__longlong_as_double(");

// A kernel with barriers is a coroutine: an item that waits is suspended, which sanitizers understand and
// which is right in loops. A kernel without barriers is a plain function, called in a loop over the items of
// a group. Every kernel has a shared library of its own, loaded once for each device, so its static variables
// are as private as a group's memory.
const char *const kHostPrelude = R"(struct pb_Item { long global[3], local[3], group[3]; };
static pb_Item *pb_item;
static bool pb_measuring;
static unsigned long pb_local_bytes;
static struct { void *base; unsigned long bytes; } pb_locals[64];
static int pb_local_count;
#if PB_ANY_GROUP
static const long *pb_group_extent;
#undef PB_G0
#undef PB_G1
#undef PB_G2
#define PB_G0 pb_group_extent[0]
#define PB_G1 pb_group_extent[1]
#define PB_G2 pb_group_extent[2]
#endif
#if PB_HAS_BARRIER
#include <coroutine>
struct pb_Result {
  struct promise_type {
    pb_Result get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> item;
};
#define PB_RETURN co_return
#define PB_BARRIER() co_await std::suspend_always{}
// Warps of four items, so that what is printed for larger ones is tested.
#define PB_WARP 4
#define PB_SHUFFLE(T, name, value, lanes)                                                                \
  static T name##_of[4096];                                                                              \
  name##_of[PB_LOCAL_INDEX] = value;                                                                     \
  PB_BARRIER();                                                                                          \
  const T name = name##_of[PB_LOCAL_INDEX % PB_WARP + lanes < PB_WARP ? PB_LOCAL_INDEX + lanes : PB_LOCAL_INDEX]; \
  PB_BARRIER()
#define PB_SHUFFLE_BEFORE(T, name, value, lanes)                                                         \
  static T name##_of[4096];                                                                              \
  name##_of[PB_LOCAL_INDEX] = value;                                                                     \
  PB_BARRIER();                                                                                          \
  const T name = name##_of[PB_LOCAL_INDEX % PB_WARP >= lanes ? PB_LOCAL_INDEX - lanes : PB_LOCAL_INDEX]; \
  PB_BARRIER()
// All items of the group vote, because shuffles have barriers here.
#define PB_VOTE(name, value)                                                                             \
  static bool name##_of[4096];                                                                           \
  name##_of[PB_LOCAL_INDEX] = value;                                                                     \
  PB_BARRIER();                                                                                          \
  PB_INDEX name = 1;                                                                                     \
  for (int pb_k = 0; pb_k < PB_G0 * PB_G1 * PB_G2; ++pb_k)                                               \
    name &= name##_of[pb_k];                                                                             \
  PB_BARRIER()
#define PB_MATCH(name, value, bits)                                                                      \
  static unsigned name##_of[4096];                                                                       \
  name##_of[PB_LOCAL_INDEX] = (value) & ((1u << bits) - 1);                                              \
  PB_BARRIER();                                                                                          \
  unsigned name = 0;                                                                                     \
  for (int pb_k = 0; pb_k < PB_WARP; ++pb_k)                                                             \
    name |= (unsigned)(name##_of[PB_LOCAL_INDEX / PB_WARP * PB_WARP + pb_k] ==                           \
                       name##_of[PB_LOCAL_INDEX])                                                        \
            << pb_k;                                                                                     \
  PB_BARRIER()
#define PB_WARP_BARRIER() PB_BARRIER()
#else
#define PB_MATCH(name, value, bits) const unsigned name = 1u
#define PB_WARP_BARRIER() ((void)0)
#define PB_WARP 1
#define PB_SHUFFLE(T, name, value, lanes) const T name = value
#define PB_SHUFFLE_BEFORE(T, name, value, lanes) const T name = value
#define PB_VOTE(name, value) const PB_INDEX name = 0
using pb_Result = void;
#define PB_RETURN return
#endif
#define PB_KERNEL(name) static pb_Result name
#define PB_GLOBAL
#define PB_LOCAL
#define PB_CONSTANT
#define PB_TABLE static
#define PB_COMMON_TABLE static
#define PB_FUNCTION static inline
#define PB_OWN f
#define PB_COPY(to, from) to = from
#define PB_COPY_16(to, from) __builtin_memcpy(&to, __builtin_assume_aligned(&from, 16), 16)
#define PB_COPIED() ((void)0)
#define PB_LOAD_16(T, to, from) __builtin_memcpy(&to, __builtin_assume_aligned(&from, 16), 16)
#define PB_LOAD_LOCAL_16 PB_LOAD_16
#define PB_STORE_16(T, to, from) __builtin_memcpy(__builtin_assume_aligned(&to, 16), &from, 16)
#define PB_PLACE(cells, offset) cells += offset
// Groups run one after the other, and between two barriers items do, too.
#define PB_COUNT_ONES(bits) ((unsigned)__builtin_popcount(bits))
#define PB_DIVIDE(x, by) ((x) / (by))
#define PB_ADD_LOCAL(cell, value) ((cell += value) - value)
#define PB_ADD_GLOBAL(cell, value) ((cell += value) - value)
#define PB_PUBLISH(cell, value) cell = value
#define PB_PUBLISHED(cell) (cell)
#define PB_LOCAL_ARRAYS
#define PB_LOCAL_ARRAY(T, name, count)                                                    \
  alignas(16) static T name[count];                                                       \
  if (pb_measuring) {                                                                     \
    pb_local_bytes += sizeof name;                                                        \
    if (pb_local_count < 64) pb_locals[pb_local_count++] = {name, sizeof name};           \
  }
#define PB_BEGIN if (pb_measuring) PB_RETURN; {
#define PB_END }
#define PB_ID(d) (pb_item->global[d])
#define PB_LOCAL_ID(d) (pb_item->local[d])
#define PB_GROUP_ID(d) (pb_item->group[d])
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define HUGE_VAL (__builtin_huge_val())
extern "C" {
)" UNARY(HOST_1) BINARY(
    HOST_2) "double fma(double, double, double) noexcept; float fmaf(float, float, "
            "float) noexcept;\ndouble ldexp(double, int) noexcept; float ldexpf(float, int) noexcept;\n"
            "int ilogb(double) noexcept; int ilogbf(float) noexcept;\n"
            "double frexp(double, int *) noexcept; float frexpf(float, int *) noexcept;\n"
            "double modf(double, double *) noexcept; float modff(float, float *) noexcept;\n}\n" ARITHMETIC(
                "static inline") INDICES("static inline")
                MISSING("static inline", "__builtin_bit_cast(long, ", "__builtin_bit_cast(double, ");

const char *const kHostEpilogue = R"(
namespace {
template <class T> struct pb_Kind { static constexpr char value = 'v'; };
template <class T> struct pb_Kind<T *> { static constexpr char value = 'w'; };
template <class T> struct pb_Kind<const T *> { static constexpr char value = 'r'; };
template <unsigned long... K> struct pb_Numbers {};
template <unsigned long N, unsigned long... K> struct pb_UpTo : pb_UpTo<N - 1, N - 1, K...> {};
template <unsigned long... K> struct pb_UpTo<0, K...> { using Type = pb_Numbers<K...>; };
template <class T> T pb_argument(unsigned long bits) {
  static_assert(sizeof(T) == 8, "all arguments of kernels have 8 bytes");
  T value;
  __builtin_memcpy(&value, &bits, 8);
  return value;
}
template <class... A> struct pb_Function {
  static constexpr char kinds[] = {pb_Kind<A>::value..., 0};
  template <unsigned long... K>
  static inline pb_Result call(pb_Result (*f)(A...), const unsigned long *arguments, pb_Numbers<K...>) {
    return f(pb_argument<A>(arguments[K])...);
  }
  static inline pb_Result call(pb_Result (*f)(A...), const unsigned long *arguments) {
    return call(f, arguments, typename pb_UpTo<sizeof...(A)>::Type());
  }
};
template <class... A> pb_Function<A...> pb_functionOf(pb_Result (*)(A...)) { return {}; }
constexpr auto pb_entry = &PB_ENTRY;
using pb_Entry = decltype(pb_functionOf(pb_entry));
}
extern "C" const char *pb_kinds() { return pb_Entry::kinds; }
extern "C" unsigned long pb_measure() {
  static const unsigned long nothing[sizeof pb_Entry::kinds] = {};
  pb_measuring = true;
#if PB_HAS_BARRIER
  auto item = pb_Entry::call(pb_entry, nothing).item;
  item.resume();
  item.destroy();
#else
  pb_Entry::call(pb_entry, nothing);
#endif
  pb_measuring = false;
  return pb_local_bytes;
}
/// Returns whether all items reached the same barriers. The memory of groups starts with arbitrary bytes, as
/// on other devices. `extent` is the number of items along each dimension.
extern "C" int pb_run_group(const unsigned long *arguments, const long *group, const long *extent) {
#if PB_ANY_GROUP
  pb_group_extent = extent;
#endif
  for (int k = 0; k < pb_local_count; ++k)
    __builtin_memset(pb_locals[k].base, 0xcb, pb_locals[k].bytes);
#if PB_HAS_BARRIER
  constexpr int count = PB_G0 * PB_G1 * PB_G2;
  static pb_Item items[count];
  static std::coroutine_handle<pb_Result::promise_type> work[count];
#else
  pb_Item one;
  pb_item = &one;
#endif
  int k = 0;
  for (int z = 0; z < PB_G2; ++z)
    for (int y = 0; y < PB_G1; ++y)
      for (int x = 0; x < PB_G0; ++x, ++k) {
        const pb_Item item = {{group[0] * PB_G0 + x, group[1] * PB_G1 + y, group[2] * PB_G2 + z}, {x, y, z},
                              {group[0], group[1], group[2]}};
#if PB_HAS_BARRIER
        items[k] = item;
        work[k] = pb_Entry::call(pb_entry, arguments).item;
#else
        one = item;
        pb_Entry::call(pb_entry, arguments);
#endif
      }
#if PB_HAS_BARRIER
  // Every second pass runs the items in reverse order, so that a missing barrier has different effects.
  int done = 0;
  for (bool back = false; done == 0; back = !back)
    for (int n = 0; n < count; ++n) {
      const int at = back ? count - 1 - n : n;
      pb_item = &items[at];
      work[at].resume();
      done += work[at].done();
    }
  for (k = 0; k < count; ++k)
    work[k].destroy();
  return done == count;
#else
  return 1;
#endif
}
)";

std::string kernelText(const char *prelude, const KernelSource &source) {
  std::string text;
  for (int d = 0; d < 3; ++d)
    text += "#define PB_G" + std::to_string(d) + " " + std::to_string(source.group[d]) + "\n";
  if (source.dynamicBytes > 0)
    text += "#define PB_DYNAMIC_BYTES " + std::to_string(source.dynamicBytes) + "\n";
  return text + prelude + kDialectMath + "#line 1 \"" + source.entry + "\"\n" + source.text;
}

} // namespace pb::device
