// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/resource_loops.h"

#include "compiler/model/measure/jump_loops.h"
#include "compiler/model/measure/vector_loops.h"
#include "compiler/model/measure/widest_vectors.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace pbc::model {
namespace {

/// Without effect, but the compiler does not know what x is afterwards.
template <class Number>
PBC_INLINE inline void keep(Number &x) {
  if constexpr (std::is_integral_v<Number>)
    asm volatile("" : "+r"(x));
  else
#ifdef __x86_64__
    asm volatile("" : "+x"(x));
#else
    asm volatile("" : "+w"(x));
#endif
}

// Operations: x becomes the result, y is 1.

struct Addition {
  template <class V>
  PBC_INLINE static void apply(V &x, V &y) {
    x = x + y;
  }
};
struct Multiplication {
  template <class V>
  PBC_INLINE static void apply(V &x, V &y) {
    x = x * y;
  }
};
/// A sum: where the summand's way is shorter than that of the factors, it is the one that counts.
struct MultiplyAdd {
  template <class V>
  PBC_INLINE static void apply(V &x, V &y) {
    keep(y); // or the product would be computed once
    x = y * y + x;
  }
};
struct Division {
  template <class V>
  PBC_INLINE static void apply(V &x, V &y) {
    x = x / y;
  }
};
struct SquareRoot {
  template <class V>
  PBC_INLINE static void apply(V &x, V &) {
    if constexpr (sizeof(V) == 4)
      x = __builtin_sqrtf(x);
    else
      x = __builtin_sqrt(x);
  }
};

template <class Op, class V, std::size_t... kChain>
PBC_INLINE inline void advance(V (&x)[sizeof...(kChain)], V &y, std::index_sequence<kChain...>) {
  ((Op::apply(x[kChain], y), keep(x[kChain])), ...);
}

/// Each round makes a step in each chain, as many times as there are numbers kTime. Nothing here is a loop or an
/// index that varies: the compiler would keep the array in memory.
template <class Op, class V, std::size_t... kChain, std::size_t... kTime>
PBC_INLINE inline void chains(long rounds, std::index_sequence<kChain...> each,
                              std::index_sequence<kTime...>) {
  V y = 1;
  keep(y);
  V x[] = {(static_cast<void>(kChain), y)...};
  for (long r = 0; r < rounds; ++r)
    ((static_cast<void>(kTime), advance<Op>(x, y, each)), ...);
}

template <class Op, class V, std::size_t kChains, std::size_t kTimes>
void runChains(long rounds) {
  onWidestVectors([=]() PBC_INLINE { // which have multiply-add
    chains<Op, V>(rounds, std::make_index_sequence<kChains>(), std::make_index_sequence<kTimes>());
  });
}

constexpr std::size_t kAccesses = 32; // in a round, each of another place

template <class V>
constexpr int kVectorBytes = std::is_arithmetic_v<V> ? 16 : static_cast<int>(sizeof(V));

template <class V, std::size_t... kPlace>
PBC_INLINE inline void loadEach(const volatile V *data, std::index_sequence<kPlace...>) {
  const auto load = [](const volatile V &place) PBC_INLINE { [[maybe_unused]] const V loaded = place; };
  (load(data[kPlace]), ...);
}
template <class V, std::size_t... kPlace>
PBC_INLINE inline void storeEach(volatile V *data, const V &value, std::index_sequence<kPlace...>) {
  const auto store = [&](volatile V &place) PBC_INLINE { place = value; };
  (store(data[kPlace]), ...);
}

template <class V>
void runLoads(long rounds) {
  onVectorsOf<kVectorBytes<V>>([=]() PBC_INLINE {
    alignas(64) V data[kAccesses] = {};
    for (long r = 0; r < rounds; ++r)
      loadEach<V>(data, std::make_index_sequence<kAccesses>());
  });
}
template <class V>
void runStores(long rounds) {
  onVectorsOf<kVectorBytes<V>>([=]() PBC_INLINE {
    alignas(64) V data[kAccesses];
    V value{};
    for (long r = 0; r < rounds; ++r)
      storeEach<V>(data, value, std::make_index_sequence<kAccesses>());
  });
}

constexpr std::size_t kIssueChains = 4, kIssueTimes = 16;

/// Instructions that need no port of a unit beside additions, so that only their number limits them.
struct AdditionBesideNothing {
  template <class V>
  PBC_INLINE static void apply(V &x, V &y) {
    x = x + y;
    asm volatile("nop");
  }
};

/// Enough chains that no result is waited for, and so few that they and the operand fit in 16 registers.
constexpr std::size_t kFloatChains = 12, kIntegerChains = 8, kTimes = 8, kDependentTimes = 64;

template <class Op, class Number>
ResourceLoop scalarLoop(ResourceKind kind) {
  constexpr std::size_t kChains = std::is_integral_v<Number> ? kIntegerChains : kFloatChains;
  return {kind,
          1,
          runChains<Op, Number, kChains, kTimes>,
          kChains * kTimes,
          runChains<Op, Number, 1, kDependentTimes>,
          kDependentTimes};
}

template <class V>
void addAccesses(std::vector<ResourceLoop> &loops) {
  constexpr int kNumbers = static_cast<int>(sizeof(V) / 4);
  loops.push_back({ResourceKind::Load, kNumbers, runLoads<V>, kAccesses});
  loops.push_back({ResourceKind::Store, kNumbers, runStores<V>, kAccesses});
}

bool hasMultiplyAdd() {
#if defined(__x86_64__)
  return vectorLanes() > 4;
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

} // namespace

std::vector<ResourceLoop> resourceLoops() {
  using Kind = ResourceKind;
  std::vector<ResourceLoop> loops;
  loops.push_back(
      {Kind::Issue, 0, runChains<Addition, std::uint64_t, kIntegerChains, kTimes>, kIntegerChains * kTimes});
  loops.push_back({Kind::Issue, 0, runChains<AdditionBesideNothing, std::uint64_t, kIssueChains, kIssueTimes>,
                   2 * kIssueChains * kIssueTimes});
  const std::vector<ResourceLoop> jumps = jumpLoops();
  loops.insert(loops.end(), jumps.begin(), jumps.end());
  addAccesses<float>(loops);
  if (vectorLanes() >= 16)
    addAccesses<VectorOf<float, 64>>(loops);
  if (vectorLanes() >= 8)
    addAccesses<VectorOf<float, 32>>(loops);
  else
    addAccesses<VectorOf<float, 16>>(loops);
  std::vector<ResourceLoop> scalars;
  scalars.push_back(scalarLoop<Addition, float>(Kind::AddF32));
  scalars.push_back(scalarLoop<Addition, double>(Kind::AddF64));
  scalars.push_back(scalarLoop<Multiplication, float>(Kind::MultiplyF32));
  scalars.push_back(scalarLoop<Multiplication, double>(Kind::MultiplyF64));
  if (hasMultiplyAdd()) {
    scalars.push_back(scalarLoop<MultiplyAdd, float>(Kind::FmaF32));
    scalars.push_back(scalarLoop<MultiplyAdd, double>(Kind::FmaF64));
  }
  scalars.push_back(scalarLoop<Division, float>(Kind::DivideF32));
  scalars.push_back(scalarLoop<Division, double>(Kind::DivideF64));
  scalars.push_back(scalarLoop<SquareRoot, float>(Kind::SqrtF32));
  scalars.push_back(scalarLoop<SquareRoot, double>(Kind::SqrtF64));
  scalars.push_back(scalarLoop<Addition, std::uint32_t>(Kind::AddI32));
  scalars.push_back(scalarLoop<Multiplication, std::uint32_t>(Kind::MultiplyI32));
  scalars.push_back(scalarLoop<Addition, std::uint64_t>(Kind::AddI64));
  scalars.push_back(scalarLoop<Multiplication, std::uint64_t>(Kind::MultiplyI64));
  const std::vector<ResourceLoop> vectors = vectorLoops();
  for (ResourceLoop &loop : scalars) {
    // The most numbers are those of vectors: where these are not measured, they are not known.
    if (std::ranges::find(vectors, loop.kind, &ResourceLoop::kind) == vectors.end())
      loop.numbers = 0;
    loops.push_back(loop);
  }
  loops.insert(loops.end(), vectors.begin(), vectors.end());
  return loops;
}

} // namespace pbc::model
