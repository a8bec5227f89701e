// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled by the compiler of generated programs without any C++ library header.
#include "generated_like.h"
#ifdef __clang__
#ifdef __GLIBCXX__
#error "runtime/abi/task.h must stay free of libstdc++"
#endif
#endif

namespace generated {

pb::Job fibonacci(long n, long *out) {
  if (n < 2) {
    *out = n;
    co_return;
  }
  long a, b;
  pb::SpawnScope scope;
  scope.spawn(fibonacci(n - 1, &a));
  co_await fibonacci(n - 2, &b);
  co_await scope.sync();
  *out = a + b;
}

namespace {
struct Frame {
  int *data;
  long w;
};
void kernel(const void *context, const long *low, const long *high) {
  const Frame &f = *static_cast<const Frame *>(context);
  for (long y = low[1]; y < high[1]; ++y)
    for (long x = low[0]; x < high[0]; ++x)
      f.data[y * f.w + x] += 1;
}
} // namespace

pb::Job increment(int *data, long w, long h) {
  Frame frame = {data, w};
  pb::Box box = {2, {0, 0}, {w, h}};
  pb::Split split = {{64, 4}};
  co_await pb::forEachBox(box, split, kernel, &frame);
}

namespace {
pb::Job level(int depth, pb::BoxFunction kernel, const void *context) {
  if (depth == 0) {
    pb::Box box = {1, {0}, {100}};
    co_await pb::forEachBox(box, pb::Split{{7}}, kernel, context);
    co_return;
  }
  pb::SpawnScope scope;
  scope.spawn(level(depth - 1, kernel, context));
  co_await level(depth - 1, kernel, context);
  co_await scope.sync();
}
} // namespace

pb::Job nested(pb::BoxFunction kernel, const void *context) { co_await level(3, kernel, context); }

namespace {
struct Counted {
  explicit Counted(Traces *t) : traces(t) { __atomic_fetch_add(&t->frames, 1, __ATOMIC_RELAXED); }
  ~Counted() { __atomic_fetch_sub(&traces->frames, 1, __ATOMIC_RELAXED); }
  Counted(const Counted &) = delete;
  void end() { __atomic_fetch_add(&traces->reached, 1, __ATOMIC_RELAXED); }
  Traces *traces;
};
} // namespace

pb::Job chain(Leaf leaf, int depth, Traces *traces) {
  Counted frame(traces);
  if (depth > 1)
    co_await chain(leaf, depth - 1, traces);
  else
    co_await leaf(0);
  frame.end();
}

pb::Job tree(Leaf leaf, int depth, int number, Traces *traces) {
  Counted frame(traces);
  if (depth == 0)
    co_await leaf(number);
  else {
    pb::SpawnScope scope;
    scope.spawn(tree(leaf, depth - 1, 2 * number, traces));
    scope.spawn(tree(leaf, depth - 1, 2 * number + 1, traces));
    co_await scope.sync();
  }
  frame.end();
}

pb::Job spawnThenAwait(Leaf leaf, Traces *traces) {
  Counted frame(traces);
  pb::SpawnScope scope;
  scope.spawn(leaf(1));
  co_await leaf(0);
  co_await scope.sync();
  frame.end();
}

} // namespace generated
