// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The dialect of kernels as CUDA C++, for NVRTC.
#include "runtime/device/dialect.h"
#include "runtime/device/dialect_division.h"
#include "runtime/device/prelude_parts.h"

#define DIVISION_TEXT(...) #__VA_ARGS__
#define DIVISION(code) DIVISION_TEXT(code) // as a string, with macros replaced

// CUDA C++ has functions of one name for both types; in the dialect the name stands for double.
#define CUDA_DOUBLE_1(f) "__device__ inline double pb_" #f "(double x) { return " #f "(x); }\n"
#define CUDA_DOUBLE_2(f) "__device__ inline double pb_" #f "(double x, double y) { return " #f "(x, y); }\n"

namespace pb::device {

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
// The compiler would add the offset to each index instead, in 64 bits. `offset` may name any variable of the kernel.
#define PB_PLACE(cells, offset)                                                                     \
  {                                                                                                 \
    unsigned long pb_placed = __cvta_generic_to_global(cells + offset);                             \
    asm("" : "+l"(pb_placed));                                                                      \
    cells = (decltype(cells))__cvta_global_to_generic(pb_placed);                                   \
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

} // namespace pb::device
