// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A matrix as the runtime itself handles it: element kind, extents, shared dense storage.
//
//   Matrix m = Matrix::allocate(ElementKind::F64, {640, 480});   // 640 wide, 480 high
//   m.elements<double>()[3 + 4 * 640] = 1;                       // column 3, row 4
//   AnyRegion r = m.region();                                    // for Transform::start
//
// Invariants: dimension 0 is contiguous and the others follow without gaps; copies share the elements; an
// AnyRegion from region() is valid as long as one of the copies lives.
#pragma once
#include "runtime/matrix/element.h"
#include <string>
#include <vector>

namespace pb::matrix {

/// Extents, dimension 0 first; empty for a 0-dimensional matrix (one element).
using Extents = std::vector<int>;

/// "[640, 480]"
std::string print(const Extents &);

/// Number of elements; 0 if an extent is 0.
long count(const Extents &);

class Matrix {
public:
  Matrix() = default;
  Matrix(const Matrix &);
  Matrix(Matrix &&o) noexcept { swap(o); }
  Matrix &operator=(Matrix o) noexcept {
    swap(o);
    return *this;
  }
  ~Matrix();

  /// The elements are uninitialised. Throws base::UserError when an extent is negative or the bytes do not
  /// fit in memory.
  static Matrix allocate(ElementKind, const Extents &);
  /// A matrix over memory that outlives it (a mapping shared with another process).
  static Matrix over(ElementKind, const Extents &, void *data);

  ElementKind element() const { return element_; }
  const Extents &extents() const { return extents_; }
  int rank() const { return static_cast<int>(extents_.size()); }
  long count() const { return matrix::count(extents_); }
  long bytes() const { return count() * static_cast<long>(matrix::bytes(element_)); }
  void *data() const { return data_; }
  template <class T>
  T *elements() const {
    return static_cast<T *>(data_);
  }
  AnyRegion region() const;

  /// A new matrix with the elements whose coordinates lie below `extents` (same rank, none larger).
  Matrix leading(const Extents &extents) const;

private:
  void swap(Matrix &) noexcept;
  ElementKind element_ = ElementKind::F64;
  Extents extents_;
  void *data_ = nullptr;
  Storage *owner_ = nullptr;
};

/// Fills with random elements: floats in [0, 1), integers in 0..100; the same for the same seed.
void fillRandom(const Matrix &, unsigned long seed);

/// Fills with bytes that no rule would produce (NaN in floats), so that elements that a run did not write
/// show up.
void fillWithNonsense(const Matrix &);

} // namespace pb::matrix
