// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The values of decisions, each list in the order of the decision's row in the table (decision.h).
#pragma once
#include <cstdint>

namespace pbc::search {

/// How the iterations of a dimension are carried out (decisions/kind.cpp).
enum class Kind : std::uint8_t { For, Unroll, Vector, Thread, Block };

/// Where a value lies between the two loops of a communication (decisions/place.cpp).
enum class Place : std::uint8_t { Register, Shared, Global };

/// The nearest cache that an access uses (decisions/cache.cpp).
enum class Cache : std::uint8_t { First, Second, ReadOnly, None };

/// A set of the values of one enumeration: bit `1 << value`.
template <class Value, unsigned count>
class ValueSet {
public:
  constexpr ValueSet() = default;
  constexpr ValueSet(Value value) : bits_(1u << unsigned(value)) {}
  static constexpr ValueSet all() { return ofBits((1u << count) - 1); }
  static constexpr ValueSet ofBits(std::uint32_t bits) {
    ValueSet made;
    made.bits_ = bits;
    return made;
  }
  constexpr std::uint32_t bits() const { return bits_; }
  constexpr bool has(Value value) const { return (bits_ >> unsigned(value) & 1u) != 0; }
  constexpr ValueSet operator|(ValueSet other) const { return ofBits(bits_ | other.bits_); }
  constexpr ValueSet operator&(ValueSet other) const { return ofBits(bits_ & other.bits_); }
  constexpr ValueSet operator~() const { return ofBits(all().bits_ & ~bits_); }
  constexpr bool operator==(const ValueSet &) const = default;

private:
  std::uint32_t bits_ = 0;
};

using KindSet = ValueSet<Kind, 5>;
using PlaceSet = ValueSet<Place, 3>;
using CacheSet = ValueSet<Cache, 4>;

constexpr KindSet operator|(Kind a, Kind b) { return KindSet(a) | KindSet(b); }
constexpr PlaceSet operator|(Place a, Place b) { return PlaceSet(a) | PlaceSet(b); }
constexpr CacheSet operator|(Cache a, Cache b) { return CacheSet(a) | CacheSet(b); }

} // namespace pbc::search
