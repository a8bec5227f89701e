// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/resource_loops.h"

#include "compiler/model/measure/keep.h"
#include "compiler/model/measure/widest_vectors.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace pbc::model {
namespace {

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
    if constexpr (std::is_same_v<V, float>)
      x = __builtin_sqrtf(x);
    else if constexpr (std::is_same_v<V, double>)
      x = __builtin_sqrt(x);
#ifdef __x86_64__
    else if constexpr (sizeof(V) == 16 && sizeof(x[0]) == 4)
      asm volatile("sqrtps %0, %0" : "+x"(x));
    else if constexpr (sizeof(V) == 16)
      asm volatile("sqrtpd %0, %0" : "+x"(x));
    else if constexpr (sizeof(x[0]) == 4)
      asm volatile("vsqrtps %0, %0" : "+v"(x));
    else
      asm volatile("vsqrtpd %0, %0" : "+v"(x));
#else
    else
      for (std::size_t i = 0; i < sizeof(V) / sizeof(x[0]); ++i)
        SquareRoot::apply(x[i], x[i]);
#endif
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
  V y{};
  y = y + 1;
  keep(y);
  V x[] = {(static_cast<void>(kChain), y)...};
  for (long r = 0; r < rounds; ++r)
    ((static_cast<void>(kTime), advance<Op>(x, y, each)), ...);
}

template <class V>
constexpr int kVectorBytes = std::is_arithmetic_v<V> ? 16 : static_cast<int>(sizeof(V));

template <class Op, class V, std::size_t kChains, std::size_t kTimes>
void runChains(long rounds) {
  onVectorsOf<kVectorBytes<V>>([=]() PBC_INLINE {
    chains<Op, V>(rounds, std::make_index_sequence<kChains>(), std::make_index_sequence<kTimes>());
  });
}

constexpr std::size_t kAccesses = 32; // in a round, each of another place

template <class V, std::size_t... kPlace>
PBC_INLINE inline void loadEach(const volatile V *data, std::index_sequence<kPlace...>) {
  (used(static_cast<V>(data[kPlace])), ...);
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
class LoopsOf {
public:
  LoopsOf(ResourceKind kind, std::vector<ResourceLoop> &loops) : kind_(kind), loops_(loops) {
    constexpr std::size_t kScalarChains = std::is_integral_v<Number> ? kIntegerChains : kFloatChains;
    loops_.push_back({kind, 1, runChains<Op, Number, kScalarChains, kTimes>, kScalarChains * kTimes,
                      runChains<Op, Number, 1, kDependentTimes>, kDependentTimes});
    // A processor may have more instructions of half of its widest vectors, or a higher clock with them.
    if (vectorLanes() >= 16)
      addVectors<64>();
    if (vectorLanes() >= 8)
      addVectors<32>();
    else
      addVectors<16>();
  }

private:
  template <int kBytes>
  void addVectors() {
    using Vector = VectorOf<Number, kBytes>;
    loops_.push_back({kind_, static_cast<int>(kBytes / sizeof(Number)),
                      runChains<Op, Vector, kFloatChains, kTimes>, kFloatChains * kTimes});
  }

  ResourceKind kind_;
  std::vector<ResourceLoop> &loops_;
};

template <class V>
void addAccesses(std::vector<ResourceLoop> &loops) {
  constexpr int kNumbers = sizeof(V) / sizeof(float);
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
  addAccesses<float>(loops);
  if (vectorLanes() >= 16)
    addAccesses<VectorOf<float, 64>>(loops);
  if (vectorLanes() >= 8)
    addAccesses<VectorOf<float, 32>>(loops);
  else
    addAccesses<VectorOf<float, 16>>(loops);
  LoopsOf<Addition, float>(Kind::AddF32, loops);
  LoopsOf<Addition, double>(Kind::AddF64, loops);
  LoopsOf<Multiplication, float>(Kind::MultiplyF32, loops);
  LoopsOf<Multiplication, double>(Kind::MultiplyF64, loops);
  if (hasMultiplyAdd()) {
    LoopsOf<MultiplyAdd, float>(Kind::FmaF32, loops);
    LoopsOf<MultiplyAdd, double>(Kind::FmaF64, loops);
  }
  LoopsOf<Division, float>(Kind::DivideF32, loops);
  LoopsOf<Division, double>(Kind::DivideF64, loops);
  LoopsOf<SquareRoot, float>(Kind::SqrtF32, loops);
  LoopsOf<SquareRoot, double>(Kind::SqrtF64, loops);
  LoopsOf<Addition, std::uint32_t>(Kind::AddI32, loops);
  LoopsOf<Multiplication, std::uint32_t>(Kind::MultiplyI32, loops);
  LoopsOf<Addition, std::uint64_t>(Kind::AddI64, loops);
  LoopsOf<Multiplication, std::uint64_t>(Kind::MultiplyI64, loops);
  return loops;
}

} // namespace pbc::model
