// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/bound/terms/boundaries.h"
#include <algorithm>
#include <cmath>

namespace pbc::search {
namespace {

/// 2 m n k / sqrt(S) - 2 S words through a memory of S words, whatever the order of the operations.
TermValue product(const TermInput &input) {
  if (!input.work.isProductOfMatrices)
    return {};
  const double bytesOfWord = double(input.work.elementBytes);
  return overBoundaries(input.rates, &Rates::Level::bytesPerSecond, "bytes", [&](double held) {
    const double words = held / bytesOfWord;
    return (2 * std::min(input.work.points, input.work.instances) / std::sqrt(words) - 2 * words) *
           bytesOfWord;
  });
}

} // namespace

Term productTerm() {
  return {"product",
          "9.4, known I/O bound",
          "A product of matrices moves so many words through a memory, whatever its tiles (Smith, Lowery, "
          "Langou, van de Geijn, 2019).",
          "Smaller elements; no schedule moves less.",
          product,
          true};
}

} // namespace pbc::search
