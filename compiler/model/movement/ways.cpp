// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/movement/ways.h"

#include "compiler/model/movement/exact_counts.h"
#include "compiler/model/problem.h"

#include <cmath>

namespace pbc::model {
namespace {

using pb::FastMemory;
using pb::Tiled;
using pb::Update;

/// Two separate products: a Tiled without a tile.
Way oneByOne(const std::string &side, const ProductSizes &first, const ProductSizes &second) {
  return {side + ", one by one", 0, 0,
          [=](FastMemory m) {
            const Tiled a = pb::leastProduct(first[0], first[1], first[2], m);
            const Tiled b = pb::leastProduct(second[0], second[1], second[2], m);
            return Tiled{a.words + b.words, 0, 0};
          },
          [=](double m) {
            return ClosedForm{closedOutputKept(first, m).words + closedOutputKept(second, m).words, 0, 0};
          }};
}

} // namespace

std::vector<Way> waysOfOne(const ProductSizes &p) {
  return {{"output kept (P0 x P2)", p[0], p[2],
           [p](FastMemory m) { return pb::leastOutputKept(p[0], p[1], p[2], m); },
           [p](double m) { return closedOutputKept(p, m); }},
          {"left kept (P0 x P1)", p[0], p[1],
           [p](FastMemory m) { return pb::leastLeftKept(p[0], p[1], p[2], m); },
           [p](double m) { return closedLeftKept(p, m); }},
          {"right kept (P2 x P1)", p[2], p[1],
           [p](FastMemory m) { return pb::leastRightKept(p[0], p[1], p[2], m); },
           [p](double m) { return closedRightKept(p, m); }}};
}

WaysOfTwo waysOfTwo(const FusedSizes &p, Mode mode) {
  const auto left = [p](Update update) {
    return [p, update](FastMemory m) { return pb::leastLeft(p[0], p[1], p[2], p[3], m, update); };
  };
  const auto right = [p](Update update) {
    return [p, update](FastMemory m) { return pb::leastRight(p[0], p[1], p[2], p[3], m, update); };
  };
  return {
      {oneByOne("left", {p[0], p[1], p[2]}, {p[0], p[2], p[3]}),
       {"left, fused", p[0], p[2], left(Update::ReadAndWrite), [p](double m) { return closedLeft(p, m); }},
       {"left, fused, reductions", p[0], p[2], left(Update::Reduction),
        [p](double m) { return closedLeftReduction(p, m); }},
       {"left, fused, panel of R kept", p[0], p[2], left(Update::Panel), {}}},
      {oneByOne("right", {p[1], p[2], p[3]}, {p[0], p[1], p[3]}),
       {"right, fused", p[1], p[3], right(Update::ReadAndWrite),
        [p, mode](double m) { return closedRight(p, m, mode); }},
       {"right, fused, reductions", p[1], p[3], right(Update::Reduction),
        [p](double m) { return closedRightReduction(p, m); }},
       {"right, fused, panel of R kept", p[1], p[3], right(Update::Panel), {}}}};
}

std::optional<ClosedForm> closedOf(const Way &way, double memory) {
  if (!way.closed)
    return {};
  try {
    return way.closed(memory);
  } catch (const Problem &) {
    return {};
  }
}

const Way &leastOf(const std::vector<Way> &ways, const FastMemory &memory) {
  const Way *best = &ways.front();
  for (const Way &way : ways)
    if (way.exact(memory).words < best->exact(memory).words)
      best = &way;
  if (best->exact(memory).words == pb::kTooMany) {
    counted(pb::leastOutputKept(1, 1, 1, memory), memory, "the product"); // does any tile fit?
    counted(pb::kTooMany, "the product");
  }
  return *best;
}

std::optional<long> paysFrom(const Way &way, const Way &other, const FastMemory &memory) {
  constexpr double kStep = 1.05, kMost = 1e15;
  for (double words = static_cast<double>(memory.words); words < kMost; words *= kStep) {
    const FastMemory here{std::lround(words), memory.stream};
    if (way.exact(here).words < other.exact(here).words)
      return here.words;
  }
  return {};
}

} // namespace pbc::model
