// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions of the kernels' dialect that are made of its others: what OpenCL C, CUDA C++ or C++ have under
// another name, as a macro, or with another result for zeros and NaN.
//
//   lround(x)  =>  pb_lround(x), which is (long)round(x)
//
// Text for behind a prelude, which has made all functions C's; PB_OWN is `f` where those that it has not
// touched (ldexp, ilogb, frexp, modf) have other names for float.
#pragma once

namespace pb::device {

extern const char *const kDialectMath;

} // namespace pb::device
