// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/structure.h"
#include "runtime/base/number.h"
#include <cmath>
#include <optional>

namespace pb::program {
namespace {

/// Calls `f(cell, wanted, x, y)` for each cell of which the structure says something, until it returns false.
template <class T, class F>
void eachCell(const Instance &instance, std::size_t matrix, const F &f) {
  const MatrixStructure &s = *instance.transform->matrices[matrix].structure;
  const Matrix &m = instance.matrices[matrix];
  const long width = m.extents()[0], height = m.extents()[1];
  long below = height, above = width;
  if (s.band)
    s.band(instance.sizes.data(), instance.transform->bin, &below, &above);
  T *const cells = m.elements<T>();
  for (long y = 0; y < height; ++y)
    for (long x = 0; x < width; ++x) {
      std::optional<T> wanted;
      if (s.isUnit && x == y)
        wanted = T(1);
      else if (y - x > below || x - y > above)
        wanted = T(0);
      else if (s.half * (x - y) < 0 || (s.half == 0 && s.isMirrored && x > y))
        wanted = s.isMirrored ? cells[y + x * width] : T(0);
      if (wanted && !f(cells[x + y * width], *wanted, x, y))
        return;
    }
}

template <class F>
void eachStructure(const Instance &instance, const F &f) {
  for (std::size_t k = 0; k < instance.matrices.size(); ++k)
    if (const MatrixInfo &info = instance.transform->matrices[k]; info.structure && info.structure->isChecked)
      matrix::withType(info.element, [&](auto zero) { f(k, zero); });
}

} // namespace

void imposeStructures(const Instance &instance) {
  eachStructure(instance, [&](std::size_t k, auto zero) {
    eachCell<decltype(zero)>(instance, k, [](auto &cell, auto wanted, long, long) {
      cell = wanted;
      return true;
    });
  });
}

std::string structureViolation(const Instance &instance) {
  std::string found;
  eachStructure(instance, [&](std::size_t k, auto zero) {
    if (!found.empty())
      return;
    const MatrixInfo &info = instance.transform->matrices[k];
    eachCell<decltype(zero)>(instance, k, [&](const auto &cell, auto wanted, long x, long y) {
      if (cell == wanted ||
          (std::isnan(static_cast<double>(cell)) && std::isnan(static_cast<double>(wanted))))
        return true;
      const auto digits = [](auto value, int count) {
        return base::number(static_cast<double>(value), count);
      };
      const bool areClose = digits(cell, 6) == digits(wanted, 6);
      const auto text = [&](auto value) { return digits(value, areClose ? 17 : 6); };
      const std::string name = info.name;
      found = name + "(" + std::to_string(x) + ", " + std::to_string(y) + ") is " + text(cell) + ", but " +
              name + " is " + info.structure->text + ": it is " + text(wanted);
      return false;
    });
  });
  return found;
}

} // namespace pb::program
