// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Coroutines that the compiler of generated code has compiled, on the runtime that the project's compiler has
// compiled (petabricks-hetero 10: 50, 51).
#include "generated_like.h"
#include "runtime/task/scheduler.h"
#include <coroutine> // harmless after runtime/abi/task.h
#include <gtest/gtest.h>
#include <stdexcept>

using pb::task::Scheduler;

namespace {

TEST(MixedCompilers, SpawnAwaitSync) {
  for (int threads : {1, 2, 4}) {
    Scheduler s(threads);
    long out = 0;
    s.run(generated::fibonacci(18, &out));
    EXPECT_EQ(out, 2584);
  }
}

TEST(MixedCompilers, Loops) {
  Scheduler s(2);
  std::vector<int> data(1000 * 33);
  s.run(generated::increment(data.data(), 1000, 33));
  EXPECT_EQ(std::count(data.begin(), data.end(), 1), 1000 * 33);
}

TEST(MixedCompilers, Nested) {
  Scheduler s(4);
  std::atomic<long> sum = 0;
  auto kernel = [](const void *context, const long *low, const long *high) {
    *static_cast<std::atomic<long> *>(const_cast<void *>(context)) += high[0] - low[0];
  };
  s.run(generated::nested(kernel, &sum));
  EXPECT_EQ(sum, 800);
}

TEST(MixedCompilers, ExceptionsPassThrough) { // 51
  Scheduler s(2);
  auto kernel = [](const void *, const long *low, const long *) {
    if (low[0] == 49)
      throw std::runtime_error("kernel");
  };
  EXPECT_THROW(s.run(generated::nested(kernel, nullptr)), std::runtime_error);
}

} // namespace
