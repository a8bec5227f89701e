// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Everything that rule bodies and raw blocks may name without declaring it (language reference 1.6): the
// namespace `petabricks`, which the prelude opens. What else the runtime needs stays in namespace pb, where
// no name of a program can clash with it.
//
//   MatrixRegion1D t = MatrixRegion1D::allocate(n);
//   CArrayStorage copy = to_c_array(a);  dgetrf_(&n, &n, copy, ...);  from_c_array(copy, b);
//   if (PetabricksRuntime::rand01() < 0.5) PetabricksRuntime::abort();
#pragma once
#include "assertions.h"
#include "predicates.h"
#include "region.h"

namespace pb {

extern "C" {
/// A normally distributed random number with mean 0 and standard deviation 1.
double pb_random_normal();
/// Ends the program with status 66 and without outputs: it tells the tuner to reject this candidate.
[[noreturn]] void pb_give_up();
/// Whether the program is being run by a tuner.
bool pb_is_training();
/// Whether the program runs with its defaults: no configuration was given, built in or found.
bool pb_is_untrained();
/// Reads a matrix of doubles from a file in any format that command-line arguments may have ("-": standard
/// input). Sets the extents and a new storage (count 1), whose elements begin at `base`.
void pb_read_matrix(const char *file, int rank, AnyRegion *);
/// Writes doubles to a file in the way that the program's outputs are written ("-": standard output).
void pb_write_matrix(const char *file, int rank, const AnyRegion *);
/// Allocates memory that is freed when the program ends.
double *pb_lasting_array(long count);
}

/// The value of an optional input that lies outside its matrix: a quiet NaN whose payload no arithmetic
/// produces. A float keeps as much of the payload as isMissing() tests.
inline constexpr unsigned long kMissingBits = 0x7ff9'6155'e000'0000;
inline double missing() { return __builtin_bit_cast(double, kMissingBits); }
inline bool isMissing(double v) { return __builtin_bit_cast(unsigned long, v) == kMissingBits; }

} // namespace pb

namespace petabricks {

using pb::ConstMatrixRegion;
using pb::ConstMatrixRegion0D;
using pb::ConstMatrixRegion1D;
using pb::ConstMatrixRegion2D;
using pb::ConstMatrixRegion3D;
using pb::ConstMatrixRegion4D;
using pb::ConstMatrixRegion5D;
using pb::ConstMatrixRegion6D;
using pb::ElementT;
using pb::IndexT;
using pb::MatrixRegion;
using pb::MatrixRegion0D;
using pb::MatrixRegion1D;
using pb::MatrixRegion2D;
using pb::MatrixRegion3D;
using pb::MatrixRegion4D;
using pb::MatrixRegion5D;
using pb::MatrixRegion6D;
using pb::Region;

struct PetabricksRuntime {
  static double rand01() { return pb::pb_random01(); }
  static double randDouble(double low, double high) { return low + (high - low) * pb::pb_random01(); }
  /// A whole number in [low, high).
  static int randInt(int low, int high) {
    return low + static_cast<int>((static_cast<double>(high) - low) * pb::pb_random01());
  }
  static double randNormal(double mean, double deviation) {
    return mean + deviation * pb::pb_random_normal();
  }
  [[noreturn]] static void abort() { pb::pb_give_up(); }
  static bool isTrainingRun() { return pb::pb_is_training(); }
  static bool untrained() { return pb::pb_is_untrained(); }
};

/// A matrix as a C function expects it: x fastest, without gaps. The memory lives as long as the object; if
/// only a pointer is taken from a temporary object, it lives as long as the program.
class CArrayStorage {
public:
  explicit CArrayStorage(long count = 0) : count_(count), array_(MatrixRegion1D::allocate(count)) {}
  operator ElementT *() const & { return array_.base(); }
  operator ElementT *() const && {
    ElementT *lasting = pb::pb_lasting_array(count_);
    for (long i = 0; i < count_; ++i)
      lasting[i] = array_.base()[i];
    return lasting;
  }
  ElementT *data() const { return array_.base(); }
  long count() const { return count_; }

private:
  long count_;
  MatrixRegion1D array_;
};

/// Copies the cells to memory, x fastest; returns where the next one would go.
template <class To, class T, int D>
To *copyCells(const Region<T, D> &from, To *to) {
  if constexpr (D == 0)
    *to++ = from.cell();
  else
    for (int k = 0; k < from.size(D - 1); ++k)
      to = copyCells(from.slice(D - 1, k), to);
  return to;
}
template <class From, class T, int D>
const From *fillCells(const Region<T, D> &to, const From *from) {
  if constexpr (D == 0)
    to.cell() = static_cast<T>(*from++);
  else
    for (int k = 0; k < to.size(D - 1); ++k)
      from = fillCells(to.slice(D - 1, k), from);
  return from;
}

template <class T, int D>
CArrayStorage to_c_array(const Region<T, D> &m) {
  CArrayStorage all(m.count());
  copyCells(m, all.data());
  return all;
}
template <class T, int D>
void to_c_array(const Region<T, D> &m, ElementT *array) {
  copyCells(m, array);
}
template <class T, int D>
void to_c_array(ElementT *array, const Region<T, D> &m) {
  copyCells(m, array);
}
template <class T, int D>
void from_c_array(const ElementT *array, const Region<T, D> &m) {
  fillCells(m, array);
}
template <class T, int D>
void from_c_array(const Region<T, D> &m, const ElementT *array) {
  fillCells(m, array);
}

/// Reads and writes matrices of ElementT in files of any format that the program's own arguments may have.
class MatrixIO {
public:
  explicit MatrixIO(const char *file = "-", const char * /*mode*/ = "r") {
    pb::pb_append(file_, sizeof file_, "%s", file);
  }
  template <class S>
    requires requires(const S &s) { s.c_str(); }
  explicit MatrixIO(const S &file, const char *mode = "r") : MatrixIO(file.c_str(), mode) {}

  MatrixRegion0D read0D() const { return read<0>(); }
  MatrixRegion1D read1D() const { return read<1>(); }
  MatrixRegion2D read2D() const { return read<2>(); }
  MatrixRegion3D read3D() const { return read<3>(); }
  MatrixRegion4D read4D() const { return read<4>(); }
  template <int D>
  MatrixRegion<D> read() const {
    pb::AnyRegion any;
    pb::pb_read_matrix(file_, D, &any);
    MatrixRegion<D> m(any);
    pb::pb_storage_release(any.owner);
    return m;
  }
  template <class T, int D>
  void write(const Region<T, D> &m) const {
    const CArrayStorage dense = to_c_array(m);
    pb::AnyRegion any;
    any.base = dense.data();
    for (int d = 0; d < D; ++d)
      any.extent[d] = m.size(d);
    pb::pb_write_matrix(file_, D, &any);
  }

private:
  char file_[4096] = {};
};

} // namespace petabricks

#define OPTIONAL (::pb::missing())
#define IS_MISSING(value) (::pb::isMissing(value))
