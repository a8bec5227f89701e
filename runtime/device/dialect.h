// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The language in which the compiler writes kernels, and the preludes that turn it into OpenCL C, CUDA C++ or
// C++.
//
//   PB_KERNEL(pb_k0)(PB_GLOBAL const float *A_p, long A_o, long A_s0, ..., long low0, long high0)
//   {
//     PB_LOCAL_ARRAYS                                      // before the first array, if there are any
//     PB_LOCAL_ARRAY(float, A_t, (PB_G0 + 2) * PB_G1);     // group-local; at the beginning of the body
//     PB_BEGIN                                             // statements begin here
//     PB_PLACE(A_p, A_o);                                  // moves the pointer by so many elements
//     const long i0 = low0 + PB_ID(0);                     // 0 .. items[d] - 1
//                                                          // also PB_LOCAL_ID(d), PB_GROUP_ID(d), and
//                                                          // PB_LOCAL_INDEX: among all items of the group
//     PB_SHUFFLE(float, other, own, 8);                    // const float other = what the item 8 lanes further in
//                                                          // the warp has as `own`; all items of the group
//     PB_MATCH(alike, digit, 8);                           // const unsigned alike: bit k is set if the last 8 bits of
//                                                          // item k of the warp are those of this one; all items
//     PB_WARP_BARRIER();                                   // of the items of a warp, their group's local memory; all items
//     PB_ADD_LOCAL(counts[n], 1u)                          // at once, an unsigned of group-local memory (PB_ADD_GLOBAL: of
//                                                          // a matrix); the value before
//     PB_PUBLISH(marks[n], 5u);                            // an unsigned of a matrix that items of other groups see by
//     PB_PUBLISHED(marks[n])                               // this, while they run (Description::groupsWait)
//     PB_COPY(A_t[n], A_p[i0]);                            // a cell into group-local memory, as late as
//     PB_COPY_16(A_t[n], A_p[i0]);                         // the same, 16 bytes that begin at multiples of 16
//     PB_LOAD_16(float, a[0], A_p[i0]);                    // 16 bytes from a matrix into an item's own array,
//     PB_LOAD_LOCAL_16(float, a[0], A_t[n]);               // or from group-local memory, and PB_STORE_16 back
//     PB_COPIED();                                         // at the end of all copies of the item
//     PB_DIVIDE(x, 6.0f)                                   // x / 6.0f, a float by a number from 2^-20 to 2^20
//     ...
//     PB_BARRIER();                                        // all items of the group, global and local memory
//     if (i0 < high0) ...
//     PB_END
//   }
//   #define PB_LEAST_GROUPS PB_GROUPS_OF(96)                // before PB_KERNEL: items have about so many registers; two groups at once
//   #define PB_LEAST_GROUPS PB_GROUPS_FILLING(64)           // the same, and as many groups as there are registers for
//   #define PB_LEAST_GROUPS PB_GROUPS_KEEPING(36)           // the same, where items keep so many numbers, besides indices
//   PB_TABLE const double T[2] = {1, 2};                   // constants, before their first use
//   PB_COMMON_TABLE const double W[2] = {1, 2};            // the same; items that read it together read the same element
//   PB_FUNCTION int f(PB_GLOBAL const double *a, PB_LOCAL const double *b, PB_CONSTANT const double *c,
//                     int *own)
//
// Otherwise kernels are C: for, if, assignments, conditional expressions; types float, double, int, long, unsigned,
// unsigned long, unsigned char, bool (as int); functions by C's names for double (sqrt, fabs, fmin, pow, ...) and with an
// `f` for float (sqrtf, ...), pb_min_T / pb_max_T / pb_abs_T for T in {float, double, int, long}, abs and
// labs; PB_COUNT_ONES(unsigned); for long pb_minimum, pb_maximum, pb_floordiv, pb_floormod (runtime/abi/index.h); pb_missing() and
// pb_isMissing(double) (runtime/abi/body.h). `long` has 64 bits everywhere. Fused multiply-add may be formed;
// sums are not reordered.
//
// The functions are those of compiler/body/math_functions.h, predicates (isnan, ...) as pb_isnan and
// pb_isnanf; constants INFINITY and NAN. Barriers stand in the kernel itself (not in a function that it
// calls), and all items of the group reach the same barriers in the same order. A warp is PB_WARP items with neighbouring
// numbers in the group; without warps, that is 1. A pointer that is only read
// points to const.
#pragma once
#include "runtime/device/device.h"

namespace pb::device {

/// Text that stands before the kernels of each kind of device.
extern const char *const kOpenClPrelude;
extern const char *const kCudaPrelude;
extern const char *const kHostPrelude; // for the fake device: a C++ compiler makes a shared library of it
/// Text that stands behind the kernel, whose name is PB_ENTRY: the function that the fake device calls
/// (fake/host_kernel.h).
extern const char *const kHostEpilogue;

/// The whole text: sizes of groups, prelude, kernel. Line numbers in compilers' messages are those of the
/// kernel alone.
std::string kernelText(const char *prelude, const KernelSource &);

} // namespace pb::device
