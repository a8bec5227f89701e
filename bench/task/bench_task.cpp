// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures the cost of a task, how well two workers share work, and what an idle scheduler uses.
//
//   cmake --build build --target bench_task && build/bin/bench_task
//
// Prints medians; runs with one and with two workers alternate, so that a busy machine disturbs both alike.
#include "runtime/task/scheduler.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <sys/resource.h>
#include <thread>
#include <vector>

using namespace pb;
using pb::task::Scheduler;

namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double cpuSeconds() {
  rusage r;
  getrusage(RUSAGE_SELF, &r);
  return r.ru_utime.tv_sec + r.ru_stime.tv_sec + 1e-6 * (r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

double timed(const std::function<void()> &f) {
  double begin = seconds();
  f();
  return seconds() - begin;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

Job empty() { co_return; }

Job oneByOne(long n) {
  for (long i = 0; i < n; ++i) {
    SpawnScope scope;
    scope.spawn(empty());
    co_await scope.sync();
  }
}

Job byHundreds(long n) {
  for (long i = 0; i < n; i += 100) {
    SpawnScope scope;
    for (int k = 0; k < 100; ++k)
      scope.spawn(empty());
    co_await scope.sync();
  }
}

Job awaited(long n) {
  for (long i = 0; i < n; ++i)
    co_await empty();
}

long fibonacci(long n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

Job fibonacciTasks(long n, long cutoff, long *out) {
  if (n < cutoff) {
    *out = fibonacci(n);
    co_return;
  }
  long a, b;
  SpawnScope scope;
  scope.spawn(fibonacciTasks(n - 1, cutoff, &a));
  co_await fibonacciTasks(n - 2, cutoff, &b);
  co_await scope.sync();
  *out = a + b;
}

void perTask(const char *what, Job (*job)(long)) {
  constexpr long n = 1'000'000;
  Scheduler s(1);
  std::vector<double> t;
  for (int run = 0; run < 11; ++run)
    t.push_back(timed([&] { s.run(job(n)); }) / n);
  std::printf("%-52s %6.1f ns\n", what, 1e9 * median(t));
}

void speedUp(long n, long cutoff) {
  Scheduler one(1), two(2);
  std::vector<double> alone, shared;
  long out = 0;
  for (int run = 0; run < 9; ++run) {
    alone.push_back(timed([&] { one.run(fibonacciTasks(n, cutoff, &out)); }));
    shared.push_back(timed([&] { two.run(fibonacciTasks(n, cutoff, &out)); }));
  }
  std::printf("fibonacci(%ld), tasks from %2ld: 1 worker %7.2f ms, 2 workers %7.2f ms, speed-up %.2f (best "
              "of each: %.2f)\n",
              n, cutoff, 1e3 * median(alone), 1e3 * median(shared), median(alone) / median(shared),
              *std::min_element(alone.begin(), alone.end()) /
                  *std::min_element(shared.begin(), shared.end()));
}

void idle() {
  Scheduler s(2);
  s.run(byHundreds(1000));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  double before = cpuSeconds();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  std::printf("%-52s %6.3f %%\n",
              "processor use of an idle scheduler, 2 workers:", 100 * (cpuSeconds() - before) / 2);
}

} // namespace

int main() {
  perTask("spawn+run+join of an empty task:", oneByOne);
  perTask("the same, 100 tasks per join:", byHundreds);
  perTask("co_await of an empty job:", awaited);
  Scheduler s(2);
  std::vector<double> t;
  for (int run = 0; run < 1001; ++run)
    t.push_back(timed([&] { s.run(empty()); }));
  std::printf("%-52s %6.1f us\n", "run() of an empty job from outside:", 1e6 * median(t));
  speedUp(35, 20);
  speedUp(35, 10);
  speedUp(27, 2);
  idle();
}
