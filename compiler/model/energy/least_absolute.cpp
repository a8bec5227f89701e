// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/energy/least_absolute.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace pbc::model {
namespace {

using Matrix = std::vector<std::vector<double>>;
constexpr double kTolerance = 1e-10; // entries are scaled to at most 1
constexpr double kUpper = 2;         // of z = y + 1

/// Solves max b'z, A'z + s = A'1, 0 <= z <= 2, s >= 0. It begins at z = 0, where s = A'1 >= 0 because A is
/// not negative.
class DualSimplex {
public:
  DualSimplex(const Matrix &a, const std::vector<double> &b)
      : rows_(a.front().size()), zs_(a.size()), cost_(b), atUpper_(a.size() + a.front().size()),
        basis_(a.front().size()), value_(a.front().size()) {
    tableau_.assign(rows_, std::vector<double>(zs_ + rows_));
    cost_.resize(zs_ + rows_);
    for (size_t r = 0; r < rows_; ++r) {
      for (size_t i = 0; i < zs_; ++i) {
        tableau_[r][i] = a[i][r];
        value_[r] += a[i][r];
      }
      tableau_[r][zs_ + r] = 1;
      basis_[r] = zs_ + r;
    }
  }

  void run() {
    const size_t patience = 2 * (zs_ + rows_);
    size_t idle = 0; // steps without gain
    for (size_t step = 0;; ++step) {
      const size_t entering = choose(/*first=*/idle > patience);
      if (entering == zs_ + rows_)
        return;
      idle = advance(entering) > kTolerance ? 0 : idle + 1;
      if (step > 1000 * (zs_ + rows_ + 100))
        throw std::logic_error("the regression does not come to its end");
    }
  }

  /// The basic variables: they stand for rows of A that are met, and coefficients that are zero.
  const std::vector<size_t> &basis() const { return basis_; }

private:
  double upper(size_t variable) const { return variable < zs_ ? kUpper : INFINITY; }

  /// A variable that is worth moving from its bound; zs_ + rows_ if there is none.
  size_t choose(bool first) const {
    size_t best = zs_ + rows_;
    double gain = kTolerance;
    for (size_t j = 0; j < zs_ + rows_; ++j) {
      const double here = atUpper_[j] ? -cost_[j] : cost_[j];
      if (here > gain && std::ranges::find(basis_, j) == basis_.end()) {
        best = j;
        if (first)
          return best;
        gain = here;
      }
    }
    return best;
  }

  /// Moves `entering` as far as possible and exchanges it for the basic variable that limits it. Returns the
  /// gain.
  double advance(size_t entering) {
    const double direction = atUpper_[entering] ? -1 : 1;
    double length = upper(entering);
    size_t leaving = rows_;
    for (size_t r = 0; r < rows_; ++r) {
      const double fall = tableau_[r][entering] * direction;
      double most = INFINITY;
      if (fall > kTolerance)
        most = std::max(value_[r], 0.0) / fall;
      else if (fall < -kTolerance && basis_[r] < zs_)
        most = std::max(kUpper - value_[r], 0.0) / -fall;
      if (most < length || (most == length && leaving < rows_ && basis_[r] < basis_[leaving])) {
        length = most;
        leaving = r;
      }
    }
    const double gain = std::abs(cost_[entering]) * length;
    for (size_t r = 0; r < rows_; ++r)
      value_[r] -= tableau_[r][entering] * direction * length;
    if (leaving == rows_) {
      atUpper_[entering] = !atUpper_[entering];
      return gain;
    }
    exchange(leaving, entering, direction > 0 ? length : kUpper - length,
             tableau_[leaving][entering] * direction < 0);
    return gain;
  }

  void exchange(size_t row, size_t entering, double value, bool leavesAtUpper) {
    atUpper_[basis_[row]] = leavesAtUpper;
    atUpper_[entering] = false;
    const double pivot = tableau_[row][entering];
    for (double &entry : tableau_[row])
      entry /= pivot;
    const auto eliminate = [&](std::vector<double> &other) {
      const double factor = other[entering];
      if (factor != 0)
        for (size_t j = 0; j < other.size(); ++j)
          other[j] -= factor * tableau_[row][j];
    };
    for (size_t r = 0; r < rows_; ++r)
      if (r != row)
        eliminate(tableau_[r]);
    eliminate(cost_);
    basis_[row] = entering;
    value_[row] = value;
  }

  size_t rows_, zs_;
  Matrix tableau_;
  std::vector<double> cost_; // reduced
  std::vector<bool> atUpper_;
  std::vector<size_t> basis_;
  std::vector<double> value_; // of the basic variables
};

/// Solves the square system with partial pivoting.
std::vector<double> solved(Matrix a, std::vector<double> b) {
  const size_t n = b.size();
  for (size_t c = 0; c < n; ++c) {
    size_t pivot = c;
    for (size_t r = c + 1; r < n; ++r)
      if (std::abs(a[r][c]) > std::abs(a[pivot][c]))
        pivot = r;
    std::swap(a[c], a[pivot]);
    std::swap(b[c], b[pivot]);
    for (size_t r = c + 1; r < n; ++r) {
      const double factor = a[r][c] / a[c][c];
      for (size_t k = c; k < n; ++k)
        a[r][k] -= factor * a[c][k];
      b[r] -= factor * b[c];
    }
  }
  for (size_t c = n; c-- > 0;) {
    for (size_t k = c + 1; k < n; ++k)
      b[c] -= a[c][k] * b[k];
    b[c] /= a[c][c];
  }
  return b;
}

} // namespace

std::vector<double> leastAbsolute(const std::vector<std::vector<double>> &a, const std::vector<double> &b) {
  if (a.empty() || a.front().empty())
    return std::vector<double>(a.empty() ? 0 : a.front().size());
  const size_t columns = a.front().size();
  std::vector<double> scale(columns);
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(b[i]));
    for (size_t j = 0; j < columns; ++j)
      scale[j] = std::max(scale[j], a[i][j]);
  }
  std::vector<double> result(columns);
  if (largest == 0)
    return result;
  Matrix scaled = a;
  std::vector<double> right = b;
  for (size_t i = 0; i < a.size(); ++i) {
    right[i] /= largest;
    for (size_t j = 0; j < columns; ++j)
      scaled[i][j] = scale[j] > 0 ? a[i][j] / scale[j] : 0;
  }
  DualSimplex simplex(scaled, right);
  simplex.run();

  // If a z is basic, its row is met. If a slack is not basic, its coefficient may be positive. The system is
  // solved again, so that the result does not contain the steps' rounding errors.
  std::vector<size_t> met, positive;
  std::vector<bool> isZero(columns);
  for (const size_t variable : simplex.basis())
    if (variable < a.size())
      met.push_back(variable);
    else
      isZero[variable - a.size()] = true;
  for (size_t j = 0; j < columns; ++j)
    if (!isZero[j])
      positive.push_back(j);
  Matrix square(met.size(), std::vector<double>(positive.size()));
  std::vector<double> rightSquare(met.size());
  for (size_t r = 0; r < met.size(); ++r) {
    rightSquare[r] = right[met[r]];
    for (size_t c = 0; c < positive.size(); ++c)
      square[r][c] = scaled[met[r]][positive[c]];
  }
  const std::vector<double> found = solved(std::move(square), std::move(rightSquare));
  for (size_t c = 0; c < positive.size(); ++c)
    result[positive[c]] = std::max(0.0, found[c]) * largest / scale[positive[c]];
  return result;
}

} // namespace pbc::model
