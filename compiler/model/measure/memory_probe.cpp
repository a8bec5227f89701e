// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/memory_probe.h"

#include "compiler/model/measure/pages.h"
#include "compiler/model/measure/widest_vectors.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <thread>

namespace pbc::model {
namespace {

constexpr std::size_t kLineBytes = 64;

/// A line; the processor's vectors are as wide or narrower.
using Line = std::uint64_t __attribute__((vector_size(kLineBytes)));
constexpr std::size_t kStrip = 4; // lines that are added in parallel, so that several loads are in flight

/// Reads all of it `times` times; the result depends on every number.
std::uint64_t readAll(const Line *data, std::size_t count, long times) {
  std::uint64_t sum = 0;
  onWidestVectors([&]() PBC_INLINE {
    for (long t = 0; t < times; ++t) {
      Line a = {}, b = {}, c = {}, d = {};
      for (std::size_t i = 0; i + kStrip <= count; i += kStrip)
        a += data[i], b += data[i + 1], c += data[i + 2], d += data[i + 3];
      a += b + c + d;
      for (std::size_t i = 0; i < kLineBytes / sizeof(std::uint64_t); ++i)
        sum += a[i];
      asm volatile("" : : "r"(data) : "memory"); // each time anew
    }
  });
  return sum;
}

} // namespace

Figure readBandwidth(int units, std::size_t bytesEach, const Sampling &sampling) {
  const std::size_t count = std::max(bytesEach / kLineBytes / kStrip, std::size_t{1}) * kStrip;
  const double bytes = static_cast<double>(count * kLineBytes);
  // A millisecond or less if that is enough, because short samples are rarely interrupted.
  const long times = std::max(1L, static_cast<long>(2e7 / bytes));
  const int samples = sampling.most;
  std::vector<std::vector<double>> seconds(static_cast<std::size_t>(units));
  std::barrier together(units);
  // Allocated here, so that an allocation failure is reported; first touched by the thread that reads it.
  std::vector<Pages<Line>> data;
  for (int u = 0; u < units; ++u)
    data.emplace_back(count);
  std::vector<std::thread> threads;
  std::atomic<std::uint64_t> kept{0};
  std::atomic<bool> isOver{false};
  const auto begin = std::chrono::steady_clock::now();
  for (int u = 0; u < units; ++u)
    threads.emplace_back([&, u] {
      Line *const own = data[static_cast<std::size_t>(u)].get();
      std::memset(own, u + 1, count * kLineBytes);
      for (int s = 0; s < samples; ++s) {
        if (u == 0 && s >= sampling.least &&
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() >
                sampling.seconds)
          isOver = true;
        together.arrive_and_wait();
        if (isOver)
          break;
        seconds[static_cast<std::size_t>(u)].push_back(
            ownSecondsOf([&] { kept += readAll(own, count, times); }));
        together.arrive_and_wait();
      }
    });
  for (std::thread &t : threads)
    t.join();
  // Each unit's rate while the others ran.
  std::vector<double> rates;
  for (std::size_t s = 0; s < seconds.front().size(); ++s) {
    double rate = 0;
    for (const auto &ofUnit : seconds)
      rate += bytes * static_cast<double>(times) / ofUnit[s];
    rates.push_back(rate);
  }
  return figureOf(rates);
}

Figure chaseLatency(std::size_t bytes, const Sampling &sampling) {
  struct alignas(kLineBytes) Node {
    Node *next;
  };
  const std::size_t count = std::max(bytes / sizeof(Node), std::size_t{2});
  const Pages<Node> pages(count);
  Node *const nodes = pages.get();
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::mt19937_64 random(1);
  std::shuffle(order.begin(), order.end(), random);
  for (std::size_t i = 0; i < count; ++i)
    nodes[order[i]].next = &nodes[order[(i + 1) % count]];
  const long steps = 1 << 16;
  const Node *at = nodes;
  const auto walk = [&] {
    const Node *here = at;
    for (long i = 0; i < steps; ++i) {
      here = here->next;
      asm volatile("" : "+r"(here));
    }
    at = here;
  };
  // Before measuring, every line is brought to its level of the hierarchy; far memory does not need this.
  for (std::size_t walked = 0; walked < std::min(count, std::size_t{1} << 20);
       walked += static_cast<std::size_t>(steps))
    walk();
  return sampled(sampling, [&] { return ownSecondsOf(walk) / static_cast<double>(steps); });
}

} // namespace pbc::model
