// What generated_like.cpp, written and compiled as generated code is, offers to the tests.
#pragma once
#include "runtime/abi/loops.h"

namespace generated {

/// out[0] = fib(n), by spawn, await and sync.
pb::Job fibonacci(long n, long *out);
/// data[y * w + x] += 1 in tasks of at most 64 x 4.
pb::Job increment(int *data, long w, long h);
/// Three levels of scopes around a loop whose kernel calls `kernel`.
pb::Job nested(pb::BoxFunction kernel, const void *context);

} // namespace generated
