// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/movement/closed_forms.h"

#include "compiler/model/problem.h"

#include <cmath>
#include <fmt/format.h>

namespace pbc::model {
namespace {

void requireWords(double memory) {
  if (!(memory >= 1) || !std::isfinite(memory))
    throw Problem(fmt::format("a fast memory of {} words", memory), "it has at least one word");
}

/// Throws if the form may be negative: it assumes more than one tile along this size.
void requireLarge(const char *name, long size, double memory) {
  requireWords(memory);
  const double least = std::ceil(std::sqrt(memory) / 2);
  if (static_cast<double>(size) < least)
    throw Problem(
        fmt::format("the closed form needs {} of at least half the root of the memory, {:.0f} for {:.0f} "
                    "words; it is {}",
                    name, least, memory, size),
        "take the exact counts, or a smaller memory");
}

double threeSizes(long a, long b, long c) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}

double twoSizes(long a, long b) { return static_cast<double>(a) * static_cast<double>(b); }

/// alpha' = (1 + 2 alpha) / (1 + alpha), between 1 and 2: the factor by which the tile is longer along the
/// size that the updates of the result do not repeat.
double stretch(double alpha) { return (1 + 2 * alpha) / (1 + alpha); }

double sizeRatio(long a, long b) { return static_cast<double>(a) / static_cast<double>(b); }

/// D.10 without its last term, and the tile.
ClosedForm fusedForm(double products, double alpha, double memory) {
  const double longer = stretch(alpha);
  return {2 * products * (1 + alpha) * std::sqrt(longer) / std::sqrt(memory), std::sqrt(memory / longer),
          std::sqrt(memory * longer)};
}

FusedSizes reversed(const FusedSizes &p) { return {p[3], p[2], p[1], p[0]}; }

} // namespace

ClosedForm closedOutputKept(const ProductSizes &p, double memory) {
  requireWords(memory);
  const double side = std::sqrt(memory);
  return {2 * threeSizes(p[0], p[1], p[2]) / side + twoSizes(p[0], p[2]), side, side};
}

ClosedForm closedLeftKept(const ProductSizes &p, double memory) {
  requireLarge("P1", p[1], memory);
  return {2 * std::sqrt(2.0) * threeSizes(p[0], p[1], p[2]) / std::sqrt(memory) + twoSizes(p[0], p[1]) -
              twoSizes(p[0], p[2]),
          std::sqrt(memory / 2), std::sqrt(2 * memory)};
}

ClosedForm closedRightKept(const ProductSizes &p, double memory) {
  requireLarge("P1", p[1], memory);
  return {2 * std::sqrt(2.0) * threeSizes(p[0], p[1], p[2]) / std::sqrt(memory) + twoSizes(p[1], p[2]) -
              twoSizes(p[0], p[2]),
          std::sqrt(memory / 2), std::sqrt(2 * memory)};
}

ClosedForm closedLeft(const FusedSizes &p, double memory) {
  requireLarge("P2", p[2], memory);
  ClosedForm form = fusedForm(threeSizes(p[0], p[1], p[2]), sizeRatio(p[3], p[1]), memory);
  form.words -= twoSizes(p[0], p[3]);
  return form;
}

ClosedForm closedRight(const FusedSizes &p, double memory, Mode mode) {
  requireLarge("P1", p[1], memory);
  const double beta = sizeRatio(p[0], mode == Mode::Printed ? p[1] : p[2]);
  ClosedForm form = fusedForm(threeSizes(p[1], p[2], p[3]), beta, memory);
  form.words -= twoSizes(p[0], p[3]);
  std::swap(form.first, form.second); // the longer side is along P1
  return form;
}

ClosedForm closedLeftReduction(const FusedSizes &p, double memory) {
  requireWords(memory);
  const double side = std::sqrt(memory);
  return {2 * twoSizes(p[0], p[2]) * static_cast<double>(p[1] + p[3]) / side + twoSizes(p[0], p[3]), side,
          side};
}

ClosedForm closedRightReduction(const FusedSizes &p, double memory) {
  return closedLeftReduction(reversed(p), memory);
}

double breakEvenLeft(const FusedSizes &p) {
  const double more = std::sqrt(stretch(sizeRatio(p[3], p[1]))) - 1;
  const double side = 2 * static_cast<double>(p[2]) * static_cast<double>(p[1] + p[3]) * more /
                      static_cast<double>(p[2] + 2 * p[3]);
  return side * side;
}

double breakEvenRight(const FusedSizes &p) { return breakEvenLeft(reversed(p)); }

double ClosedCosts::product(long p0, long p1, long p2) const {
  return closedOutputKept({p0, p1, p2}, memory).words;
}
double ClosedCosts::left(long p0, long p1, long p2, long p3) const {
  return closedLeft({p0, p1, p2, p3}, memory).words;
}
double ClosedCosts::right(long p0, long p1, long p2, long p3) const {
  return closedRight({p0, p1, p2, p3}, memory, mode).words;
}

} // namespace pbc::model
