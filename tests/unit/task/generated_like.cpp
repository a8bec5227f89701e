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

} // namespace generated
