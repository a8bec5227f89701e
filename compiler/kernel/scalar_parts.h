// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scalars of a body whose values come from a matrix with a structure: where they have which value.
//
//   for k in [0, n): { t = A(k, y) * b(k); s += t }        A is lower_triangular
//   => t has the parts k <= y, and k > y where it is 0
//
// A statement that reads `t` becomes several along the same parts, and where `t` is a constant nothing is stored in it. So the body
// becomes the statements of `s += A(k, y) * b(k)`, which needs no name for the product.
//
// Invariant: only scalars are cut that are read in the same list of statements behind a plain assignment of theirs, and nowhere else. No other
// statement can see whether they are stored.
#pragma once
#include "compiler/body/facts.h"
#include "compiler/kernel/kernel.h"
#include <algorithm>
#include <isl/set.h>
#include <utility>
#include <vector>

namespace pbc::kernel {

class ScalarParts {
public:
  struct Part {
    isl::set where; // over the statement's dimensions, without a tuple
    ExprPtr value;  // a literal; null: it is computed
  };

  ScalarParts() = default;
  explicit ScalarParts(const body::Facts &);

  /// Whether a local variable of the body may be cut.
  bool isPrivate(int local) const { return isPrivate_[static_cast<std::size_t>(local)]; }
  /// The parts of a new assignment of the local variable; none: it is the same everywhere.
  void set(int local, std::vector<Part> parts) { parts_[static_cast<std::size_t>(local)] = std::move(parts); }
  /// Those that its last assignment has made; none if it is the same everywhere.
  const std::vector<Part> &of(int local) const { return parts_[static_cast<std::size_t>(local)]; }

  /// Whether there are parts of any.
  bool areCut() const {
    return std::any_of(parts_.begin(), parts_.end(), [](const auto &parts) { return !parts.empty(); });
  }

private:
  std::vector<bool> isPrivate_;
  std::vector<std::vector<Part>> parts_;
};

} // namespace pbc::kernel
