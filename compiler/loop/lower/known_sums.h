// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is known of the names in loops: which sums they are, and how many steps loops have at most.
//
//   for c0 ..; { const at = c1 - c0 }  with c0 <= c1 < c0 + 16     sumOf(at) = steps of c1, isWithin(that, 16)
#pragma once
#include "compiler/loop/tree.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pbc::loop {

/// A sum of factor * name, and a constant.
struct LinearSum {
  std::map<std::string, long> factors;
  long constant = 0;

  void add(const LinearSum &other, long times) {
    constant += times * other.constant;
    for (const auto &[name, factor] : other.factors)
      if ((factors[name] += times * factor) == 0)
        factors.erase(name);
  }
};

class KnownSums {
public:
  void declare(const std::string &name, LinearSum value) { values_[name] = std::move(value); }
  /// The iterator of a loop: where it begins, and a number of steps. Of a loop that begins at the largest of several sums, the one from
  /// which it is known how many steps there are at most.
  void declare(const For &loop);
  /// Names of constant whole numbers. The place of a point in the group stays a name.
  void declare(const Let &);

  std::optional<LinearSum> sumOf(const Expr &) const;
  /// Whether a sum of names with known limits is within [0, extent).
  bool isWithin(const LinearSum &, long extent) const;

private:
  void largestOf(const Expr &, std::vector<LinearSum> &all) const;
  std::optional<long> mostOf(const Expr &limit, const LinearSum &begin) const;

  std::map<std::string, LinearSum> values_;
  std::map<std::string, long> most_;
};

/// What lower/points.cpp calls the place of a point in the group, and its item in the launch.
std::string placeName(int axis);
std::string itemName(int axis);

} // namespace pbc::loop
