// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/memory_probe.h"

#include "compiler/model/measure/pages.h"
#include "compiler/model/measure/together.h"
#include "compiler/model/measure/widest_vectors.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace pbc::model {
namespace {

constexpr std::size_t kLineBytes = 64;
constexpr std::size_t kStrip = 8; // lines that are read without a jump

/// Reads all of it, in lines of 64 bytes, without computing anything: additions would compete with loads.
template <int kBytes>
void readOnce(const unsigned char *data, std::size_t lines) {
  using Vector = VectorOf<std::uint64_t, kBytes>;
  onVectorsOf<kBytes>([=]() PBC_INLINE {
    for (std::size_t i = 0; i + kStrip <= lines; i += kStrip) {
      const auto *strip = reinterpret_cast<const volatile Vector *>(data + i * kLineBytes);
#pragma GCC unroll 32
      for (std::size_t v = 0; v < kStrip * kLineBytes / kBytes; ++v) [[maybe_unused]]
        const Vector loaded = strip[v];
    }
  });
}

void readAll(const unsigned char *data, std::size_t lines, long times) {
  withVectorBytes([=]<int kBytes>() {
    for (long t = 0; t < times; ++t)
      readOnce<kBytes>(data, lines);
  });
}

/// Stores a vector past the caches; where no such instruction is known, in them.
template <class Vector>
PBC_INLINE inline void storePast(volatile Vector *to, const Vector &value) {
#if defined(__clang__)
  __builtin_nontemporal_store(value, const_cast<Vector *>(to));
#elif defined(__x86_64__)
  if constexpr (sizeof(Vector) > 16)
    asm volatile("vmovntdq %1, %0" : "=m"(*to) : "v"(value));
  else
    asm volatile("movntdq %1, %0" : "=m"(*to) : "x"(value));
#else
  *to = value;
#endif
}

/// Blocks of so many lines are asked for together before they are copied, or none is: which is faster depends on the processor.
template <int kBytes, Stores kStores>
void copyOnce(const unsigned char *from, unsigned char *to, std::size_t lines, std::size_t linesAhead) {
  using Vector = VectorOf<std::uint64_t, kBytes>;
  onVectorsOf<kBytes>([=]() PBC_INLINE {
    for (std::size_t i = 0; i + kStrip <= lines; i += kStrip) {
      if (linesAhead > 0 && i % linesAhead == 0)
        for (std::size_t ahead = i; ahead < std::min(i + linesAhead, lines); ++ahead)
          __builtin_prefetch(from + ahead * kLineBytes);
      const auto *source = reinterpret_cast<const Vector *>(from + i * kLineBytes);
      auto *target =
          reinterpret_cast<volatile Vector *>(to + i * kLineBytes); // or it becomes a call of memcpy
#pragma GCC unroll 32
      for (std::size_t v = 0; v < kStrip * kLineBytes / kBytes; ++v)
        if constexpr (kStores == Stores::PastCaches)
          storePast(target + v, Vector(source[v]));
        else
          target[v] = source[v];
    }
  });
}

} // namespace

Figure readBandwidth(int units, std::size_t bytesEach, const Sampling &sampling) {
  const std::size_t count = std::max(bytesEach / kLineBytes / kStrip, std::size_t{1}) * kStrip;
  const double bytes = static_cast<double>(count * kLineBytes);
  // A millisecond or less if that is enough, because short samples are rarely interrupted.
  const long times = std::max(1L, static_cast<long>(2e7 / bytes));
  // Allocated here, so that an allocation failure is reported; first touched by the thread that reads it.
  std::vector<Pages<unsigned char>> data;
  for (int u = 0; u < units; ++u)
    data.emplace_back(count * kLineBytes);
  return rateTogether(units, sampling, [&](int u) {
    unsigned char *const own = data[static_cast<std::size_t>(u)].get();
    std::memset(own, u + 1, count * kLineBytes);
    return [=] {
      readAll(own, count, times);
      return bytes * static_cast<double>(times);
    };
  });
}

Figure copyBandwidth(std::size_t bytes, Stores stores, const Sampling &sampling) {
  const std::size_t lines = std::max(bytes / 2 / kLineBytes / kStrip, std::size_t{1}) * kStrip;
  const Pages<unsigned char> from(lines * kLineBytes), to(lines * kLineBytes);
  std::memset(from.get(), 1, lines * kLineBytes);
  std::memset(to.get(), 2, lines * kLineBytes);
  std::optional<Figure> best;
  for (const std::size_t linesAhead : {0, 32, 64}) {
    const Figure rate = sampled(sampling, Better::Higher, [&] {
      const double seconds = ownSecondsOf([&] {
        withVectorBytes([&]<int kBytes>() {
          if (stores == Stores::PastCaches)
            copyOnce<kBytes, Stores::PastCaches>(from.get(), to.get(), lines, linesAhead);
          else
            copyOnce<kBytes, Stores::InCaches>(from.get(), to.get(), lines, linesAhead);
        });
      });
      return 2.0 * static_cast<double>(lines * kLineBytes) / seconds;
    });
    keepFaster(best, rate, Better::Higher);
  }
  return *best;
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
  return sampled(sampling, Better::Lower, [&] { return ownSecondsOf(walk) / static_cast<double>(steps); });
}

} // namespace pbc::model
