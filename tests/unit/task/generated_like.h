// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

/// What jobs that may fail leave behind.
struct Traces {
  int frames = 0;  // atomic; alive
  int reached = 0; // atomic; ends of frames
};
using Leaf = pb::Job (*)(int number);
/// depth frames, one awaiting the next, the last one awaiting leaf(0).
pb::Job chain(Leaf leaf, int depth, Traces *traces);
/// A binary tree of spawned frames; leaf(k) at its ends, k from 0.
pb::Job tree(Leaf leaf, int depth, int number, Traces *traces);
/// Spawns leaf(1), awaits leaf(0) meanwhile.
pb::Job spawnThenAwait(Leaf leaf, Traces *traces);

} // namespace generated
