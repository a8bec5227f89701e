// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/tile_limits.h"
#include "compiler/search/limits.h"
#include "compiler/search/space.h"
#include <algorithm>
#include <bit>

namespace pbc::search {
namespace {

constexpr std::size_t kNone = ~std::size_t(0);

/// Products of a few numbers of iterations, which stop growing before they overflow.
long productOf(long a, long b) {
  constexpr long kEnough = 1L << 60;
  return b != 0 && a > kEnough / b ? kEnough : a * b;
}

} // namespace

bool hasWholeTile(const SizeProduct &product, long iterations) {
  if (iterations > product.most)
    return false;
  const long begin = (product.first + iterations - 1) / iterations * iterations;
  return begin + iterations <= product.first + product.most;
}

std::vector<int> WholeTileLimit::watched() const {
  std::vector<int> variables;
  for (const int size : product_.sizes)
    variables.push_back(space_.size(size));
  return variables;
}

const std::vector<long> &WholeTileLimit::values(int size) const {
  return space_.structure().sizes[std::size_t(size)].values;
}

long WholeTileLimit::product(const State &state, bool atMost, std::size_t without) const {
  long product = 1;
  for (std::size_t s = 0; s < product_.sizes.size(); ++s) {
    const Domain domain = state.domain(space_.size(product_.sizes[s]));
    const int value = atMost ? std::bit_width(domain) - 1 : std::countr_zero(domain);
    if (s != without)
      product = productOf(product, values(product_.sizes[s])[std::size_t(value)]);
  }
  return product;
}

bool WholeTileLimit::propagate(State &state, int self) const {
  for (std::size_t s = 0; s < product_.sizes.size(); ++s) {
    const int variable = space_.size(product_.sizes[s]);
    const long least = product(state, false, s), most = product(state, true, s);
    for (Domain rest = state.domain(variable); rest != 0; rest &= rest - 1) {
      const auto value = unsigned(std::countr_zero(rest));
      const long iterations = productOf(least, values(product_.sizes[s])[value]);
      // A larger tile may be whole though a smaller one is not, so only what is too large is removed until the others are decided.
      const bool fits = least == most ? hasWholeTile(product_, iterations) : iterations <= product_.most;
      if (!fits && !state.keepOnly(variable, ~(Domain(1) << value), self))
        return false;
    }
  }
  return true;
}

bool WholeTileLimit::holdsAnyway(const State &state) const {
  const long most = product(state, true, kNone);
  return product_.first == 0 ? most <= product_.most : most <= (product_.most + 1) / 2;
}

/// Visits the dimensions along which the copied matrix moves, until one visit gives false.
template <class Visit>
bool CopyLimit::each(const Visit &visit) const {
  for (const CopyExtent &extent : space_.structure().instruction(copy_).copied)
    for (const CopyExtent::Loop &loop : extent.loops)
      for (const int d : loop.dimensions)
        if (!visit(d))
          return false;
  return true;
}

std::vector<int> CopyLimit::watched() const {
  std::vector<int> variables;
  each([&](int d) {
    variables.push_back(space_.isOrder(copy_, d, OrderSet::all()).variable);
    variables.push_back(space_.sizeOf(d));
    return true;
  });
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  return variables;
}

long CopyLimit::bytes(const State &state, bool atMost, const Assumed &assumed) const {
  const Instruction &copy = space_.structure().instruction(copy_);
  long bytes = copy.bytesOfCell;
  for (const CopyExtent &extent : copy.copied) {
    long cells = extent.cells;
    for (const CopyExtent::Loop &loop : extent.loops) {
      long iterations = 1;
      for (const int d : loop.dimensions) {
        const OrderSet order = space_.order(state, copy_, d);
        if (d == assumed.dimension)
          iterations = productOf(iterations, assumed.iterations);
        else if (atMost ? order != OrderSet(Order::Inside) : !order.has(Order::Inside))
          iterations = productOf(iterations, atMost ? mostIterations(space_, state, d)
                                                    : leastIterations(space_, state, d));
      }
      cells += productOf(loop.coefficient, iterations - 1);
    }
    bytes = productOf(bytes, cells);
  }
  return bytes;
}

bool CopyLimit::propagate(State &state, int self) const {
  const long most = space_.structure().limits.copyBytes;
  return each([&](int d) {
    const OrderSet order = space_.order(state, copy_, d);
    const int size = space_.sizeOf(d);
    if (order == OrderSet(Order::Inside))
      return true;
    if (order.has(Order::Inside)) {
      if (bytes(state, false, {d, leastIterations(space_, state, d)}) <= most)
        return true;
      const Literal inside = space_.isOrder(copy_, d, Order::Inside);
      return state.keepOnly(inside.variable, inside.values, self);
    }
    for (Domain rest = state.domain(size); rest != 0; rest &= rest - 1) {
      const auto value = unsigned(std::countr_zero(rest));
      const long iterations =
          space_.structure().sizes[std::size_t(space_.structure().dimension(d).size)].values[value];
      if (bytes(state, false, {d, iterations}) > most && !state.keepOnly(size, ~(Domain(1) << value), self))
        return false;
    }
    return true;
  });
}

bool CopyLimit::holdsAnyway(const State &state) const {
  return bytes(state, true, {}) <= space_.structure().limits.copyBytes;
}

} // namespace pbc::search
