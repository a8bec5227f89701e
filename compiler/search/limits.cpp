// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/limits.h"
#include "compiler/search/space.h"
#include <algorithm>
#include <bit>

namespace pbc::search {
namespace {

/// Products of a few numbers of iterations, which stop growing before they overflow.
long times(long a, long b) {
  constexpr long kEnough = 1L << 60;
  return b != 0 && a > kEnough / b ? kEnough : a * b;
}

long iterations(const Space &space, const State &state, int dimension, bool atMost) {
  const int size = space.structure().dimension(dimension).size;
  const Domain domain = state.domain(space.size(size));
  const int value = atMost ? std::bit_width(domain) - 1 : std::countr_zero(domain);
  return space.structure().sizes[std::size_t(size)].values[std::size_t(value)];
}

} // namespace

long leastIterations(const Space &space, const State &state, int dimension) {
  return iterations(space, state, dimension, false);
}

long mostIterations(const Space &space, const State &state, int dimension) {
  return iterations(space, state, dimension, true);
}

std::vector<int> NestLimit::watched() const {
  std::vector<int> variables;
  const auto &dimensions = space_.dimensions();
  for (const int a : dimensions) {
    variables.push_back(space_.kind(a));
    if (what_ == What::Iterations)
      variables.push_back(space_.sizeOf(a));
    for (const int b : dimensions)
      if (a < b)
        variables.push_back(space_.isOrder(a, b, OrderSet::all()).variable);
  }
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  return variables;
}

/// Whether the dimension and each of the others, and `inner_`, certainly lie in each other, whichever is the outer one: the innermost
/// of them has all others around it.
bool NestLimit::areNested(const State &state, int dimension, const std::vector<int> &others) const {
  const OrderSet nested = Order::Inside | Order::Outside;
  auto isNested = [&](int other) {
    return other != dimension && (space_.order(state, dimension, other) & ~nested).empty();
  };
  return isNested(inner_) && std::all_of(others.begin(), others.end(), isNested);
}

std::vector<int> NestLimit::certain(const State &state) const {
  std::vector<int> found;
  auto isOne = [&](int dimension) { return space_.kinds(state, dimension) == KindSet(kind_); };
  if (isOne(inner_))
    found.push_back(inner_);
  for (const int d : space_.dimensions())
    if (d != inner_ && isOne(d) && areNested(state, d, found))
      found.push_back(d);
  return found;
}

long NestLimit::least(const State &state, const std::vector<int> &dimensions, int fixed, unsigned at) const {
  if (what_ == What::Dimensions)
    return long(dimensions.size());
  long product = 1;
  for (const int d : dimensions) {
    const int size = space_.structure().dimension(d).size;
    product =
        times(product, space_.size(size) == fixed ? space_.structure().sizes[std::size_t(size)].values[at]
                                                  : leastIterations(space_, state, d));
  }
  return product;
}

bool NestLimit::propagate(State &state, int self) const {
  if (!space_.kinds(state, inner_).has(kind_))
    return true;
  std::vector<int> nest = certain(state);
  const bool innerIsOne = !nest.empty() && nest.front() == inner_;
  if (!innerIsOne) {
    nest.insert(nest.begin(), inner_);
    if (least(state, nest) > most_)
      return state.keepOnly(space_.kind(inner_), (~KindSet(kind_)).bits(), self);
    return true;
  }
  if (least(state, nest) > most_)
    return state.keepOnly(space_.kind(inner_), (~KindSet(kind_)).bits(), self);
  for (const int d : space_.dimensions()) {
    const KindSet kinds = space_.kinds(state, d);
    if (!kinds.has(kind_) || kinds == KindSet(kind_) || !areNested(state, d, nest))
      continue;
    nest.push_back(d);
    const bool isTooMuch = least(state, nest) > most_;
    nest.pop_back();
    if (isTooMuch && !state.keepOnly(space_.kind(d), (~KindSet(kind_)).bits(), self))
      return false;
  }
  if (what_ == What::Iterations)
    for (const int d : nest) {
      const int size = space_.sizeOf(d);
      for (Domain rest = state.domain(size); rest != 0; rest &= rest - 1) {
        const auto value = unsigned(std::countr_zero(rest));
        if (least(state, nest, size, value) > most_ && !state.keepOnly(size, ~(Domain(1) << value), self))
          return false;
      }
    }
  return true;
}

bool NestLimit::holdsAnyway(const State &state) const {
  if (!space_.kinds(state, inner_).has(kind_))
    return true;
  long most = 1;
  std::vector<int> counted;
  for (const int d : space_.dimensions()) {
    if (!space_.kinds(state, d).has(kind_) ||
        (d != inner_ && !space_.order(state, d, inner_).has(Order::Outside)) ||
        std::any_of(counted.begin(), counted.end(),
                    [&](int other) { return space_.order(state, d, other) == OrderSet(Order::Fused); }))
      continue;
    most = times(most, mostIterations(space_, state, d));
    counted.push_back(d);
  }
  return (what_ == What::Dimensions ? long(counted.size()) : most) <= most_;
}

std::vector<int> SharedLimit::watched() const {
  std::vector<int> variables;
  const Structure &structure = space_.structure();
  for (int c = 0; c < int(structure.communications.size()); ++c) {
    variables.push_back(space_.place(c));
    for (const auto &[source, target] : structure.communications[std::size_t(c)].pairs) {
      variables.push_back(space_.sizeOf(source));
      variables.push_back(space_.isOrder(source, target, OrderSet::all()).variable);
    }
  }
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  return variables;
}

long SharedLimit::bytes(const State &state, int communication, bool atMost) const {
  const Communication &c = space_.structure().communications[std::size_t(communication)];
  long bytes = c.elementBytes;
  for (const auto &[source, target] : c.pairs) {
    const OrderSet order = space_.order(state, source, target);
    if (atMost ? order != OrderSet(Order::Fused) : !order.has(Order::Fused))
      bytes = times(bytes, iterations(space_, state, source, atMost));
  }
  return bytes;
}

bool SharedLimit::propagate(State &state, int self) const {
  const long most = space_.structure().limits.sharedBytes;
  const int count = int(space_.structure().communications.size());
  auto places = [&](int c) { return PlaceSet::ofBits(state.domain(space_.place(c))); };
  long least = 0;
  int last = -1;
  for (int c = 0; c < count; ++c)
    if (places(c) == PlaceSet(Place::Shared)) {
      least += bytes(state, c, false);
      last = c;
    }
  if (least > most)
    return state.keepOnly(space_.place(last), (~PlaceSet(Place::Shared)).bits(), self);
  for (int c = 0; c < count; ++c)
    if (places(c).has(Place::Shared) && !state.isDecided(space_.place(c)) &&
        least + bytes(state, c, false) > most &&
        !state.keepOnly(space_.place(c), (~PlaceSet(Place::Shared)).bits(), self))
      return false;
  for (int c = 0; c < count; ++c)
    if (places(c) == PlaceSet(Place::Shared) &&
        !fuseWhatDoesNotFit(state, self, c, least - bytes(state, c, false)))
      return false;
  return true;
}

/// Loops that are one need no cells between them: where there is no place for cells, they have to be one.
bool SharedLimit::fuseWhatDoesNotFit(State &state, int self, int communication, long others) const {
  const long most = space_.structure().limits.sharedBytes;
  const long own = bytes(state, communication, false);
  for (const auto &[source, target] : space_.structure().communications[std::size_t(communication)].pairs) {
    const OrderSet order = space_.order(state, source, target);
    if (!order.has(Order::Fused) || order == OrderSet(Order::Fused) ||
        others + times(own, iterations(space_, state, source, false)) <= most)
      continue;
    const Literal fused = space_.isOrder(source, target, Order::Fused);
    if (!state.keepOnly(fused.variable, fused.values, self))
      return false;
  }
  return true;
}

bool SharedLimit::holdsAnyway(const State &state) const {
  long most = 0;
  for (int c = 0; c < int(space_.structure().communications.size()); ++c)
    if (PlaceSet::ofBits(state.domain(space_.place(c))).has(Place::Shared))
      most += bytes(state, c, true);
  return most <= space_.structure().limits.sharedBytes;
}

std::vector<int> RegisterLimit::watched() const {
  std::vector<int> variables = {space_.place(communication_)};
  for (const auto &[source, target] : space_.structure().communications[std::size_t(communication_)].pairs) {
    variables.push_back(space_.kind(target));
    variables.push_back(space_.sizeOf(target));
  }
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  return variables;
}

long RegisterLimit::registers(const State &state, bool atMost, int without) const {
  const Communication &c = space_.structure().communications[std::size_t(communication_)];
  long registers = (c.elementBytes + 3) / 4;
  for (const auto &[source, target] : c.pairs) {
    const KindSet kinds = space_.kinds(state, target);
    if (target != without && (atMost ? kinds.has(Kind::Unroll) : kinds == KindSet(Kind::Unroll)))
      registers = times(registers, iterations(space_, state, target, atMost));
  }
  return registers;
}

bool RegisterLimit::propagate(State &state, int self) const {
  const long most = space_.structure().limits.registersInThread;
  const PlaceSet places = PlaceSet::ofBits(state.domain(space_.place(communication_)));
  if (!places.has(Place::Register))
    return true;
  if (registers(state, false) > most)
    return state.keepOnly(space_.place(communication_), (~PlaceSet(Place::Register)).bits(), self);
  if (places != PlaceSet(Place::Register))
    return true;
  for (const auto &[source, target] : space_.structure().communications[std::size_t(communication_)].pairs) {
    const KindSet kinds = space_.kinds(state, target);
    if (kinds.has(Kind::Unroll) &&
        times(registers(state, false, target), iterations(space_, state, target, false)) > most &&
        !state.keepOnly(space_.kind(target), (~KindSet(Kind::Unroll)).bits(), self))
      return false;
  }
  return true;
}

bool RegisterLimit::holdsAnyway(const State &state) const {
  return !PlaceSet::ofBits(state.domain(space_.place(communication_))).has(Place::Register) ||
         registers(state, true) <= space_.structure().limits.registersInThread;
}

} // namespace pbc::search
