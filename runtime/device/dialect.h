// The language in which the compiler writes kernels, and what makes it OpenCL C, CUDA C++ or C++.
//
//   PB_KERNEL(pb_k0)(PB_GLOBAL const float *A_p, long A_o, long A_s0, ..., long low0, long high0)
//   {
//     PB_LOCAL_ARRAY(float, A_t, (PB_G0 + 2) * PB_G1);     // group-local; at the begin of the body
//     PB_BEGIN                                             // statements begin here
//     const long i0 = low0 + PB_ID(0);                     // 0 .. items[d] - 1; PB_LOCAL_ID(d),
//     PB_GROUP_ID(d);
//                                                          // PB_LOCAL_INDEX: of the item among all of its
//                                                          group
//     ...
//     PB_BARRIER();                                        // all items of the group, global and local memory
//     if (i0 < high0) ...
//     PB_END
//   }
//
// Otherwise kernels are C: for, if, assignments, conditional expressions; types float, double, int, long,
// unsigned char, bool (as int); functions by C's names for double (sqrt, fabs, fmin, pow, ...) and with an
// `f` for float (sqrtf, ...), abs and labs; of longs pb_minimum, pb_maximum, pb_floordiv (towards minus
// infinity) and pb_floormod; pb_missing() and pb_isMissing(double) as in runtime/abi/body.h; INFINITY.
// `long` has 64 bits everywhere. fused multiply-add may be formed, sums are not reordered.
#pragma once

namespace pb::device {

/// Text to be put in front of kernels.
extern const char *const kOpenClPrelude;
extern const char *const kCudaPrelude;
extern const char *const kHostPrelude; // for the fake device: a C++ compiler makes a shared library of it

} // namespace pb::device
