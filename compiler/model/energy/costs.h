// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kinds of events that use energy, and the cost of each: the coefficients of the energy model. Energy is
// linear in them, so the same list of counts serves prediction (a product with the costs) and calibration (a
// row of a regression).
//
//   costsOf(k20c, "bench")[Spent::FloatAdd]   5.3e-11 J
//
// Invariant: costs are finite and not negative. Source: cost-models.md sections 2.1 and 2.4 (Table B.2).
#pragma once
#include "compiler/model/machine/machine.h"

#include <array>
#include <string>

namespace pbc::model {

enum class Spent {
  Static,         // seconds; watts
  GlobalShared,   // words between global and shared memory; joules each, as all that follow
  SharedRegister, // words between shared memory and registers
  FloatAdd,
  FloatMultiply,
  IntegerAdd,
  IntegerMaximum
};
inline constexpr size_t kSpents = 7;

/// The name in machine files: "static", "global_shared", "shared_register", "fadd", "fmul", "iadd", "imax".
const char *nameOf(Spent);
/// The name in texts: "standing still", "global memory", ...
const char *wordsFor(Spent);

/// A number for each kind: counts, or costs.
class Spendings {
public:
  double &operator[](Spent kind) { return values_[static_cast<size_t>(kind)]; }
  double operator[](Spent kind) const { return values_[static_cast<size_t>(kind)]; }
  const std::array<double, kSpents> &values() const { return values_; }
  std::array<double, kSpents> &values() { return values_; }

private:
  std::array<double, kSpents> values_{};
};

/// The energy in joules of so many events at these costs.
double joules(const Spendings &counts, const Spendings &costs);

/// The costs that a machine's description has under this name. Throws Problem with the names that it has.
Spendings costsOf(const Machine &, const std::string &name);

} // namespace pbc::model
