// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/order.h"
#include <algorithm>
#include <array>

namespace pbc::search {
namespace {

constexpr unsigned kOrders = 5, kSets = 32;

constexpr Order converseOf(Order order) {
  switch (order) {
  case Order::Before:
    return Order::After;
  case Order::After:
    return Order::Before;
  case Order::Inside:
    return Order::Outside;
  case Order::Outside:
    return Order::Inside;
  case Order::Fused:
    break;
  }
  return Order::Fused;
}

/// The rules R1 to R5 of section 2.3 for three objects in one of their six sequences.
constexpr bool followsRules(Order lm, Order mr, Order lr) {
  if (lm == mr && (lm == Order::Before || lm == Order::Inside) && lr != lm)
    return false; // R1, R2: before and inside are transitive
  if ((lm == Order::Before || lm == Order::After) && mr == Order::Outside && lr != lm)
    return false; // R3: what is before a loop is before its contents
  if (lm == Order::Outside && mr == Order::Inside && (lr == Order::Before || lr == Order::After))
    return false; // R4: two loops around the same object are nested or fused
  if (lr == Order::Fused && converseOf(mr) != lm)
    return false; // R5: fused loops lie alike to everything
  return true;
}

constexpr bool possible(Order ab, Order bc, Order ac) {
  const Order ba = converseOf(ab), cb = converseOf(bc), ca = converseOf(ac);
  return followsRules(ab, bc, ac) && followsRules(ac, cb, ab) && followsRules(ba, ac, bc) &&
         followsRules(bc, ca, ba) && followsRules(ca, ab, cb) && followsRules(cb, ba, ca);
}

struct Tables {
  std::array<std::uint8_t, kSets> converse{};
  std::array<std::array<std::uint8_t, kSets>, kSets> composed{}, certain{};
};

/// `composed`: what some choice of both sets allows. `certain`: what every choice of both sets allows.
constexpr Tables makeTables() {
  Tables made;
  std::array<std::array<unsigned, kOrders>, kOrders> single{};
  for (unsigned ab = 0; ab < kOrders; ++ab)
    for (unsigned bc = 0; bc < kOrders; ++bc)
      for (unsigned ac = 0; ac < kOrders; ++ac)
        if (possible(Order(ab), Order(bc), Order(ac)))
          single[ab][bc] |= 1u << ac;
  for (unsigned x = 0; x < kSets; ++x) {
    for (unsigned order = 0; order < kOrders; ++order)
      if (x >> order & 1u)
        made.converse[x] = std::uint8_t(made.converse[x] | 1u << unsigned(converseOf(Order(order))));
    for (unsigned y = 0; y < kSets; ++y) {
      unsigned some = 0, every = 31;
      for (unsigned ab = 0; ab < kOrders; ++ab)
        for (unsigned bc = 0; bc < kOrders; ++bc)
          if ((x >> ab & 1u) && (y >> bc & 1u)) {
            some |= single[ab][bc];
            every &= single[ab][bc];
          }
      made.composed[x][y] = std::uint8_t(some);
      made.certain[x][y] = std::uint8_t(every);
    }
  }
  return made;
}

constexpr Tables kTables = makeTables();

} // namespace

OrderSet converse(OrderSet set) { return OrderSet::ofBits(kTables.converse[set.bits()]); }

OrderSet compose(OrderSet ab, OrderSet bc) {
  return OrderSet::ofBits(kTables.composed[ab.bits()][bc.bits()]);
}

bool isForest(Order ab, Order bc, Order ac) { return possible(ab, bc, ac); }

bool alwaysForest(OrderSet ab, OrderSet bc, OrderSet ac) {
  return (ac.bits() & ~unsigned(kTables.certain[ab.bits()][bc.bits()])) == 0;
}

std::string shortText(OrderSet set) {
  static constexpr std::pair<Order, char> kLetters[] = {{Order::Inside, 'I'},
                                                        {Order::Outside, 'O'},
                                                        {Order::Fused, 'F'},
                                                        {Order::Before, 'B'},
                                                        {Order::After, 'A'}};
  std::string out;
  for (const auto &[order, letter] : kLetters)
    if (set.has(order)) {
      if (!out.empty())
        out += ',';
      out += letter;
    }
  return out;
}

} // namespace pbc::search
