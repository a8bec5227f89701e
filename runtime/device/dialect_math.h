// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions of the kernels' dialect that are built from its others: OpenCL C, CUDA C++ or C++ have them under
// another name, as a macro, or with another result for zeros and NaN.
//
//   lround(x)  =>  pb_lround(x), which is (long)round(x)
//
// The text stands behind a prelude, which has defined all other functions as in C. PB_OWN is `f` where
// functions that the prelude does not define (ldexp, ilogb, frexp, modf) have other names for float.
#pragma once

namespace pb::device {

extern const char *const kDialectMath;

} // namespace pb::device
