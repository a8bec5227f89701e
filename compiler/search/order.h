// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How two objects of an implementation, instructions or loops, lie to each other, and what follows for a third.
//
//   for i:            order(i, load)  = Outside     order(load, store) = Before
//     load            order(load, i)  = Inside      two loops that become one: Fused
//     store
//   compose({Before}, {Outside}) = {Before}: what is before a loop is before all that it contains
//
// A set of orders says what two objects may still become. Invariant: a complete matrix of orders of which every three
// objects pass `compose` is a forest of loops, and every forest of loops passes. Source: lower-bound-search.md, section 2.3.
#pragma once
#include <cstdint>
#include <string>

namespace pbc::search {

/// The first object relative to the second.
enum class Order : std::uint8_t { Before, After, Inside, Outside, Fused };

/// A set of orders: bit `1 << Order`.
class OrderSet {
public:
  constexpr OrderSet() = default;
  constexpr OrderSet(Order order) : bits_(std::uint8_t(1u << unsigned(order))) {}
  static constexpr OrderSet all() { return ofBits(31); }
  static constexpr OrderSet ofBits(unsigned bits) {
    OrderSet made;
    made.bits_ = std::uint8_t(bits);
    return made;
  }

  constexpr unsigned bits() const { return bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool has(Order order) const { return (bits_ >> unsigned(order) & 1u) != 0; }
  constexpr OrderSet operator|(OrderSet other) const { return ofBits(bits_ | other.bits_); }
  constexpr OrderSet operator&(OrderSet other) const { return ofBits(bits_ & other.bits_); }
  constexpr OrderSet operator~() const { return ofBits(31u & ~unsigned(bits_)); }
  constexpr bool operator==(const OrderSet &) const = default;

private:
  std::uint8_t bits_ = 0;
};

constexpr OrderSet operator|(Order a, Order b) { return OrderSet(a) | OrderSet(b); }

/// The second object relative to the first.
OrderSet converse(OrderSet);

/// What `a` may be to `c`, if `a` is one of `ab` to `b` and `b` is one of `bc` to `c`.
OrderSet compose(OrderSet ab, OrderSet bc);

/// Whether three objects may lie like this: the five rules of the order algebra.
bool isForest(Order ab, Order bc, Order ac);

/// Whether all that the three sets leave open is possible, whatever is decided: nothing is left to check.
bool alwaysForest(OrderSet ab, OrderSet bc, OrderSet ac);

/// "I,O": the orders by their first letters, as the specification's tables have them.
std::string shortText(OrderSet);

} // namespace pbc::search
