// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions that generated_like.cpp, written and compiled like generated code, offers to the tests.
#pragma once
#include "runtime/abi/loops.h"

namespace generated {

/// out[0] = fib(n), by spawn, await and sync.
pb::Job fibonacci(long n, long *out);
/// data[y * w + x] += 1 in tasks of at most 64 x 4.
pb::Job increment(int *data, long w, long h);
/// Three levels of scopes around a loop whose kernel calls `kernel`.
pb::Job nested(pb::BoxFunction kernel, const void *context);

/// What jobs that may fail record.
struct Traces {
  int frames = 0;  // atomic; number of frames that exist
  int reached = 0; // atomic; number of frames that reached their end
};
using Leaf = pb::Job (*)(int number);
/// A chain of `depth` frames, each awaiting the next, the last one awaiting leaf(0).
pb::Job chain(Leaf leaf, int depth, Traces *traces);
/// A binary tree of spawned frames with leaf(k) at its ends, k from 0.
pb::Job tree(Leaf leaf, int depth, int number, Traces *traces);
/// Spawns leaf(1) and awaits leaf(0) meanwhile.
pb::Job spawnThenAwait(Leaf leaf, Traces *traces);

} // namespace generated
