// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// isl for the rest of the compiler: one context with a budget, and the few conversions to text that isl's C++
// interface lacks.
//
//   poly::Context ctx;
//   isl::set s = ctx.set("[n] -> { B[i] : 0 <= i < n }");
//   poly::text(s)                          "[n] -> { B[i] : 0 <= i < n }"
//   poly::cxx(dimMax)                      "n - 1"
//
// Invariant: all isl objects of a compilation live in one Context and are destroyed before it. Calls that may take
// exponential time run under withBudget(); beyond the budget they return nothing and the caller uses a simpler way.
#pragma once
#include "compiler/poly/names.h"
#include <functional>
#include <isl/cpp.h>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace pbc::poly {

class Context {
public:
  Context();
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  isl::ctx get() const { return isl::ctx(ctx_); }
  /// Reads each text once: many rules and matrices have the same spaces.
  isl::set set(const std::string &text) const;
  isl::map map(const std::string &text) const { return isl::map(get(), text); }

  /// Runs `f` with at most `operations` isl operations; false if the budget was exceeded (the results of f
  /// are then invalid). Inside of another budget it is no more than that. Other isl errors pass through as isl::exception.
  bool withBudget(unsigned long operations, const std::function<void()> &f) const;

private:
  isl_ctx *ctx_;
  mutable std::unordered_map<std::string, isl::set> sets_; // by their text
};

/// The same for those who have no Context, only objects of one.
bool withBudget(isl::ctx, unsigned long operations, const std::function<void()> &f);

/// The same points in fewer pieces. isl 0.25's coalesce() can change a set with integer divisions (observed
/// for cells of three strided rules, tests/property/grid_test.cpp), so the result is compared and discarded
/// if it differs.
isl::set simplified(const isl::set &);
isl::map simplified(const isl::map &);

std::string text(const isl::set &);
std::string text(const isl::map &);
std::string text(const isl::union_map &);
std::string text(const isl::union_set &);
std::string text(const isl::pw_aff &);
std::string text(const isl::union_pw_aff &);

/// { : low + distance <= high }, for two parameters.
isl::set apart(isl::ctx, const std::string &low, const std::string &high, int distance);

/// "[n, w] -> " for the given parameter names, which are mangled already; "" for none.
std::string parameterPrefix(const std::vector<std::string> &names);

/// A quasi-affine function as C++ over the names of its parameters and (named) dimensions, with pb::floordiv,
/// pb::minimum and pb::maximum. Every value is a long. Names are passed through `rename` if one is given.
std::string cxx(const isl::pw_aff &, const std::function<std::string(const std::string &)> &rename = {});
/// A set without dimensions (only parameters) as a C++ condition.
std::string cxxCondition(const isl::set &parameters);

/// The lowest and the highest value of a dimension as functions of the parameters.
isl::pw_aff dimMin(const isl::set &, unsigned dimension);
isl::pw_aff dimMax(const isl::set &, unsigned dimension);

/// How many of the dimensions and parameters can vary: 0 for a cell at one size, 1 for a cell at each size n.
int dimension(const isl::set &);

isl::set nameDimensions(const isl::set &, const std::vector<std::string> &names);

/// How messages name the cells of a matrix.
struct CellNames {
  std::string matrix;
  std::vector<std::string> dimensions; // "x", "y"; empty: those of the set
  std::optional<isl::set> all;         // all cells: conditions that hold for all of them are left out
};

/// A readable form for messages: boxes as "B[0], B[1 : n]", "B[0 : w, 0]" (half open), with "if n = 1" if a
/// piece exists only for some sizes; other sets as "B[x, y] with x > y"; "nothing" for the empty set.
std::string readable(const isl::set &cells, const CellNames &);

/// A function of the parameters as a program writes it: "w - 1", "n/2"; nothing if it has several formulas.
std::optional<std::string> readable(const isl::pw_aff &);

/// One of the cells for small sizes: "for n = 4: B[1, 0]"; "" if all pieces are boxes, which need no example.
std::string example(const isl::set &cells, const CellNames &);

} // namespace pbc::poly
