// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/core_probe.h"

#include "compiler/model/measure/pages.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace pbc::model {
namespace {

constexpr std::size_t kNodeBytes = 64;
constexpr double kLeastSeconds = 1e-11;

/// The shortest of some samples: what disturbs makes them longer only.
double shortest(const Sampling &sampling, const std::function<double()> &measureOnce) {
  const Figure f = sampled(sampling, Better::Lower, measureOnce);
  return f.best.value_or(f.value);
}

// ---- branches

constexpr std::size_t kBranches = 1 << 15;

/// Counts up or down by each value; the empty statements keep it from becoming arithmetic without a branch.
long branchOn(const std::vector<std::uint8_t> &ways) {
  long sum = 0;
  for (const std::uint8_t way : ways)
    if (way) {
      sum += 3;
      asm volatile("" : "+r"(sum));
    } else {
      sum -= 1;
      asm volatile("" : "+r"(sum));
    }
  return sum;
}

double branchTime(const std::vector<std::uint8_t> &ways) {
  volatile long kept = 0;
  return ownSecondsOf([&] { kept = branchOn(ways); }) / static_cast<double>(ways.size());
}

/// A round of a loop of so many, run again and again.
double roundTime(int rounds) {
  const int repeated = 100'000 / rounds;
  return ownSecondsOf([=] {
           for (int r = 0; r < repeated; ++r) {
             int left = rounds;
             asm volatile("" : "+r"(left));
             do
               asm volatile("" : "+r"(left));
             while (--left > 0);
           }
         }) /
         (static_cast<double>(repeated) * rounds);
}

// ---- the window

constexpr std::size_t kChainNodes = 2; // side by side: one of each chain
constexpr int kSteps = 2000;

struct Node {
  Node *next;
  char rest[kNodeBytes - sizeof(Node *)];
};

// Each takes a place of its own in the window; some processors put two `nop` into one. Results are of three kinds, so that the window is full before there is no
// register left for one of them.
#if defined(__x86_64__)
#define PBC_FOUR "addl %%ecx, %%eax\npor %%xmm1, %%xmm0\ncmpl %%ecx, %%ecx\npor %%xmm3, %%xmm2\n"
#define PBC_CHANGED "eax", "xmm0", "xmm2", "cc"
#else
#define PBC_FOUR "nop\nnop\nnop\nnop\n"
#define PBC_CHANGED "cc"
#endif

/// Two chains of misses by turns, with so many times 16 instructions behind each load. They go on from where the last sample ended.
template <int kSixteens>
void walkTwice(Node *&a, Node *&b) {
  Node *x = a, *y = b;
  const auto between = []<std::size_t... kPlace>(std::index_sequence<kPlace...>) {
    ((void(kPlace), [] { asm volatile(PBC_FOUR PBC_FOUR PBC_FOUR PBC_FOUR ::: PBC_CHANGED); }()), ...);
  };
  for (int step = 0; step < kSteps; ++step) {
    x = x->next;
    asm volatile("" : "+r"(x));
    between(std::make_index_sequence<kSixteens>());
    y = y->next;
    asm volatile("" : "+r"(y));
    between(std::make_index_sequence<kSixteens>());
  }
  a = x, b = y;
}

using Walk = void (*)(Node *&, Node *&);
/// By the instructions between two loads.
constexpr std::array<std::pair<int, Walk>, 11> kWalks = {{{32, walkTwice<2>},
                                                          {96, walkTwice<6>},
                                                          {128, walkTwice<8>},
                                                          {192, walkTwice<12>},
                                                          {224, walkTwice<14>},
                                                          {256, walkTwice<16>},
                                                          {320, walkTwice<20>},
                                                          {384, walkTwice<24>},
                                                          {448, walkTwice<28>},
                                                          {544, walkTwice<34>},
                                                          {768, walkTwice<48>}}};

// ---- pages

constexpr int kWalkSteps = 1 << 15;

/// Memory in small pages.
class SmallPages {
public:
  explicit SmallPages(std::size_t count) : bytes_(count * size()) {
    void *all = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
      throw std::bad_alloc();
#ifdef MADV_NOHUGEPAGE
    madvise(all, bytes_, MADV_NOHUGEPAGE);
#endif
    all_ = static_cast<char *>(all);
  }
  ~SmallPages() { munmap(all_, bytes_); }
  SmallPages(const SmallPages &) = delete;
  SmallPages &operator=(const SmallPages &) = delete;
  static std::size_t size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
  /// A place in a page, at another line in each.
  void **at(std::size_t page) const {
    return reinterpret_cast<void **>(all_ + page * size() + page % (size() / kNodeBytes) * kNodeBytes);
  }
  /// As many lines side by side.
  void **beside(std::size_t line) const { return reinterpret_cast<void **>(all_ + line * kNodeBytes); }

private:
  std::size_t bytes_;
  char *all_ = nullptr;
};

struct PageTimes {
  double
      chased = 0,
      together =
          0; // seconds by which an access is longer than with lines side by side; of one that waits for none
};

PageTimes pageTimes(const SmallPages &pages, std::size_t count, const Sampling &sampling) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  const auto chase = [&](bool isApart) {
    const auto at = [&](std::size_t k) { return isApart ? pages.at(order[k]) : pages.beside(order[k]); };
    for (std::size_t k = 0; k < count; ++k)
      *at(k) = static_cast<void *>(at((k + 1) % count));
    void **here = at(0);
    return shortest(sampling, [&] {
      return ownSecondsOf([&] {
               for (int step = 0; step < kWalkSteps; ++step) {
                 here = static_cast<void **>(*here);
                 asm volatile("" : "+r"(here));
               }
             }) /
             kWalkSteps;
    });
  };
  const double beside = chase(false), apart = chase(true);
  const std::size_t times = kWalkSteps / count + 1;
  const double together = shortest(sampling, [&] {
    return ownSecondsOf([&] {
             for (std::size_t t = 0; t < times; ++t)
               for (const std::size_t page : order) {
                 void *loaded = *pages.at(page);
                 asm volatile("" : : "r"(loaded));
               }
           }) /
           static_cast<double>(times * count);
  });
  return {std::max(0.0, apart - beside), together};
}

} // namespace

Figure mispredictedTime(const Sampling &sampling) {
  std::vector<std::uint8_t> alike(kBranches, 0), random(kBranches);
  std::mt19937 numbers(1);
  for (std::uint8_t &way : random)
    way = numbers() & 1;
  const double right = shortest(sampling, [&] { return branchTime(alike); });
  return sampled(sampling, Better::Lower, [&] { // every second guess is wrong
    return std::max(kLeastSeconds, 2 * (branchTime(random) - right));
  });
}

std::optional<int> guessedRounds(double wrong, const Sampling &sampling) {
  const double each = shortest(sampling, [] { return roundTime(4096); });
  std::optional<int> last;
  for (const int rounds : {16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512}) {
    const double more = (shortest(sampling, [=] { return roundTime(rounds); }) - each) * rounds;
    if (more > wrong / 2)
      return last.value_or(8);
    last = rounds;
  }
  return {};
}

std::optional<int> windowSize(std::size_t farBytes, const Sampling &sampling) {
  const std::size_t count = farBytes / sizeof(Node) / kChainNodes;
  const Pages<Node> memory(count * kChainNodes);
  Node *const nodes = memory.get();
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t chain = 0; chain < kChainNodes; ++chain)
      nodes[order[k] * kChainNodes + chain].next =
          &nodes[order[(k + 1 + chain * count / 2) % count] * kChainNodes + chain];
  Node *a = nodes, *b = nodes + 1;
  std::vector<std::pair<int, double>> times; // of a step, by the instructions between
  for (const auto &[between, walk] : kWalks)
    times.emplace_back(
        between, shortest(sampling, [&, run = walk] { return ownSecondsOf([&] { run(a, b); }) / kSteps; }));
  // Misses that overlap take one latency, others two.
  const double least = times.front().second, most = times.back().second;
  if (most < 1.5 * least)
    return {};
  for (std::size_t k = 1; k < times.size(); ++k)
    if (times[k].second > (least + most) / 2)
      return (times[k - 1].first + times[k].first) / 2;
  return {};
}

std::optional<PageTable> knownPages(const Sampling &sampling) {
  constexpr std::size_t kMost = 16384;
  const SmallPages pages(kMost);
  const PageTimes most = pageTimes(pages, kMost, sampling);
  constexpr std::size_t kFew = 256; // more than the first level of places knows, and fewer than the second
  constexpr double kSeen = 0.25;    // of a walk
  const double base = pageTimes(pages, kFew, sampling).chased, walk = most.chased - base;
  if (!(walk > base))
    return {};
  std::size_t entries = kFew;
  for (std::size_t count = kFew; count < kMost; count += count / 4) {
    if (pageTimes(pages, count, sampling).chased > base + kSeen * walk)
      break;
    entries = count;
  }
  return PageTable{static_cast<double>(SmallPages::size()), static_cast<int>(entries),
                   Figure{std::max(kLeastSeconds, walk), 0, {}},
                   Figure{1 / std::max(kLeastSeconds, most.together), 0, {}}};
}

} // namespace pbc::model
