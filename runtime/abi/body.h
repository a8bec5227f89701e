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
  static double randDouble() { return rand01(); }
  static double randDouble(double low, double high) { return low + (high - low) * pb::pb_random01(); }
  /// A whole number in [0, the largest int).
  static int randInt() { return randInt(0, __INT_MAX__); }
  /// A whole number in [low, high).
  static int randInt(int low, int high) {
    return low + static_cast<int>((static_cast<double>(high) - low) * pb::pb_random01());
  }
  static double randNormal() { return pb::pb_random_normal(); }
  static double randNormal(double mean, double deviation) {
    return mean + deviation * pb::pb_random_normal();
  }
  [[noreturn]] static void abort() { pb::pb_give_up(); }
  static bool isTrainingRun() { return pb::pb_is_training(); }
  static bool untrained() { return pb::pb_is_untrained(); }
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

/// A matrix as a C function expects it: x fastest, without gaps. The memory lives as long as the object; if
/// only a pointer is taken from a temporary object, it lives as long as the program. The elements of an output
/// are written back when the object is destroyed or used again: to_c_array(region, pointer, storage).
class CArrayStorage {
public:
  explicit CArrayStorage(long count = 0) : count_(count), array_(Room::allocate(count)) {}
  /// The copy has the same elements; only the first one writes them back.
  CArrayStorage(const CArrayStorage &o) : count_(o.count_), array_(o.array_) {}
  CArrayStorage &operator=(const CArrayStorage &o) {
    if (this != &o) {
      writeBack();
      count_ = o.count_, array_ = o.array_;
    }
    return *this;
  }
  ~CArrayStorage() { writeBack(); }
  operator ElementT *() const & { return data(); }
  operator ElementT *() const && {
    void *const memory = pb::pb_lasting_array(count_);
    auto *const lasting = static_cast<ElementT *>(memory);
    for (long i = 0; i < count_; ++i)
      lasting[i] = data()[i];
    return lasting;
  }
  ElementT *data() const {
    void *const memory = array_.elements();
    return static_cast<ElementT *>(memory);
  }
  long count() const { return count_; }

  /// A copy of the cells as elements of P, which is written back if both may be written.
  template <class P, class T, int D>
  P *hold(const Region<T, D> &m) {
    static_assert(sizeof(P) <= sizeof(double), "an array of a C function has elements of 8 bytes at most");
    writeBack();
    count_ = m.count();
    array_ = Room::allocate(count_);
    void *const memory = array_.elements();
    auto *const elements = static_cast<typename pb::RemoveConst<P>::Type *>(memory);
    copyCells(m, elements);
    if constexpr (__is_same(T, typename Region<T, D>::Element) &&
                  __is_same(P, typename pb::RemoveConst<P>::Type)) {
      target_ = new Region<T, D>(m);
      back_ = [](void *target, const void *from) {
        auto *const to = static_cast<Region<T, D> *>(target);
        if (from)
          fillCells(*to, static_cast<const P *>(from));
        delete to;
      };
    }
    return elements;
  }
  /// Nothing is copied: the elements are the region's own.
  void holdNothing() { *this = CArrayStorage(); }

private:
  using Room = pb::Region<double, 1>; // for elements of any type, none of which has more than 8 bytes
  void writeBack() {
    if (!target_)
      return;
    back_(target_, array_.elements());
    target_ = nullptr;
  }

  long count_;
  Room array_;
  void *target_ = nullptr; // a Region
  void (*back_)(void *target, const void *from) = nullptr;
};
using CArrayStore = CArrayStorage;

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

/// Sets the pointer to the region's cells without gaps, x fastest: to the region's own memory if it has this layout,
/// or else to a copy in the storage, which is written back into an output when the storage is destroyed. The cells of an
/// input must not be written, so it is always copied unless the pointer is `const`.
template <class T, int D, class P>
void to_c_array(const Region<T, D> &m, P *&array, CArrayStorage &storage) {
  using Element = typename Region<T, D>::Element;
  constexpr bool fits = __is_same(T, P) || __is_same(const Element, P);
  if constexpr (fits)
    if (m.isEntireBuffer()) {
      storage.holdNothing();
      array = m.elements();
      return;
    }
  array = storage.hold<P>(m);
}

/// Copies cells to memory and back, x fastest.
template <class P, class T, int D>
void _regioncopy(P *to, const Region<T, D> &from) {
  copyCells(from, to);
}
template <class P, class T, int D>
void _regioncopy(const Region<T, D> &to, const P *from) {
  fillCells(to, from);
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
    const pb::Region<double, D> m(any);
    pb::pb_storage_release(any.owner);
    if constexpr (__is_same(ElementT, double))
      return m;
    else { // in the memory of a matrix of one dimension, with the same strides
      const auto all = MatrixRegion1D::allocate(m.count());
      copyCells(m, all.elements());
      return MatrixRegion<D>(all.elements(), m.strides(), m.extents(), all.owner());
    }
  }
  template <class T, int D>
  void write(const Region<T, D> &m) const {
    CArrayStorage dense;
    pb::AnyRegion any;
    any.base = const_cast<double *>(dense.hold<const double>(m));
    for (int d = 0; d < D; ++d)
      any.extent[d] = m.size(d);
    pb::pb_write_matrix(file_, D, &any);
  }

private:
  char file_[4096] = {};
};

} // namespace petabricks

/// The original compiler's second name for the namespace.
namespace workstealing {
using namespace petabricks;
}

#define OPTIONAL (::pb::missing())
#define IS_MISSING(value) (::pb::isMissing(value))
