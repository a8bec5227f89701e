// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Regions: views of matrices, as generated programs and rule bodies see them.
//
// A Region<T, D> is a base pointer, D strides and D extents. Coordinate 0 is x, the fastest in storage
// of a fresh matrix. Copying a region copies the view; the elements are shared. A region that owns its
// storage (made by allocate()) keeps it alive through a reference count.
//
//   Region<double, 2> m = Region<double, 2>::allocate(640, 480);   // 640 wide, 480 high
//   m.cell(3, 4) = 1;                                              // column 3, row 4
//   Region<double, 1> r = m.row(4);                                // r.cell(3) == 1
//
// Freestanding on purpose: generated programs include this and compile in milliseconds (no libstdc++).
// Meaning of each method: language reference, section 1.6.
#pragma once

#ifndef __SIZE_TYPE__
#error "pb/region.h needs GCC or Clang"
#endif

namespace pb {

/// The type of sizes and coordinates in rule bodies (language reference 1.6).
using IndexT = int;

/// The default element type of a matrix, which `pbc --element` decides. The runtime itself is compiled without.
#ifndef PB_ELEMENT
#define PB_ELEMENT double
#endif
using ElementT = PB_ELEMENT;

/// No matrix has as many bytes: addresses end before. Products of extents that would be larger stay there, so that
/// they do not wrap and the allocation fails.
constexpr unsigned long kTooManyBytes = 1ul << 60;

/// `cells` cells of `bytes` bytes, `extent` times.
inline unsigned long cellsTimes(unsigned long cells, long extent, unsigned long bytes) {
  const unsigned long most = kTooManyBytes / bytes;
  unsigned long product = 0;
  return __builtin_mul_overflow(cells, static_cast<unsigned long>(extent), &product) || product > most
             ? most
             : product;
}

/// Reference-counted elements. Made and destroyed by the runtime (runtime/matrix/storage.cpp).
struct Storage;
extern "C" {
/// Allocates `bytes` uninitialised bytes, 64-byte aligned, and sets `*data` to where they begin. The count is
/// 1. Ends the program with a message when memory is short.
Storage *pb_storage_allocate(unsigned long bytes, void **data);
/// Chooses the strides of a temporary matrix whose elements have `bytes` bytes, and returns its number of
/// elements. Long rows begin at cache lines, and slices of the last dimension do not evict each other from
/// the cache (runtime/matrix/strides.cpp).
unsigned long pb_strides_apart(const int *extents, int rank, unsigned long bytes, long *strides);
void pb_storage_retain(Storage *);
void pb_storage_release(Storage *);
/// Reports an access outside a region (only with --bounds-check) and ends the program with status 1.
[[noreturn]] void pb_out_of_bounds(int dimension, long index, long extent, const char *file, int line);
/// Reports a size with which a rule's body cannot make a matrix, and ends the program with status 1.
[[noreturn]] void pb_wrong_size(int dimension, long size, const char *file, int line);
/// A random number in [0, 1).
double pb_random01();
}

/// The place of a rule in the source of a program that was compiled with --bounds-check, for pb_out_of_bounds().
/// Generated code has one for each rule.
struct CheckedRule {
  CheckedRule(const char *r, const char *f, int from, int to)
      : rule(r), file(f), firstLine(from), lastLine(to), next(all) {
    all = this;
  }
  const char *rule, *file;
  int firstLine, lastLine;
  const CheckedRule *next;
  static const CheckedRule *all; // runtime/base/errors.cpp
};
/// Notes that the calling thread runs the body of this rule: several rules may share a line (only with
/// --bounds-check).
extern "C" void pb_enter_rule(const CheckedRule *);

/// The first size of a new matrix, and the line of the program that asks for it.
struct FirstSize {
  template <class V>
  FirstSize(V v, const char *f = __builtin_FILE(), int l = __builtin_LINE())
      : value(static_cast<long>(v)), file(f), line(l) {}
  /// Ends the program if size `dimension` of the matrix is negative or more than an int can hold.
  void require(int dimension, long size) const {
    if (static_cast<unsigned long>(size) > __INT_MAX__)
      pb_wrong_size(dimension, size, file, line);
  }
  long value;
  const char *file;
  int line;
};

#ifdef PB_BOUNDS_CHECK
/// A coordinate, and the line of the program that computes it.
struct Coordinate {
  template <class V>
  Coordinate(V v, const char *f = __builtin_FILE(), int l = __builtin_LINE())
      : value(static_cast<long>(v)), file(f), line(l) {}
  /// Ends the program if coordinate `dimension` of this access is not in [0, extent).
  void require(int dimension, long index, long extent) const {
    if (index < 0 || index >= extent)
      refuse(dimension, index, extent);
  }
  [[noreturn]] void refuse(int dimension, long index, long extent) const {
    pb_out_of_bounds(dimension, index, extent, file, line);
  }
  long value;
  const char *file;
  int line;
};
#endif

template <class T>
struct RemoveConst {
  using Type = T;
};
template <class T>
struct RemoveConst<const T> {
  using Type = T;
};

/// Everything in a region that does not depend on the element type; also the form in which regions cross
/// the border between generated code and runtime. At most 5 dimensions (4 and one of versions).
struct AnyRegion {
  static constexpr int kMaxRank = 5;
  void *base = nullptr;
  long stride[kMaxRank] = {}; // in elements
  int extent[kMaxRank] = {};
  Storage *owner = nullptr; // not counted here: the user of an AnyRegion keeps the owner alive
};

/// The result of `storage()`: a pointer that also has a member data().
template <class T>
struct StorageView {
  T *elements;
  T *data() const { return elements; }
  operator T *() const { return elements; }
  const StorageView *operator->() const { return this; }
};

template <class T, int D>
class Region {
public:
  using Element = typename RemoveConst<T>::Type;
  static constexpr int kRank = D;

  Region() = default;
  /// A view of memory owned elsewhere.
  Region(T *base, const long *stride, const int *extent, Storage *owner = nullptr)
      : base_(base), owner_(owner) {
    for (int d = 0; d < D; ++d)
      stride_[d] = stride[d], extent_[d] = extent[d];
    retain();
  }
  explicit Region(const AnyRegion &a) : Region(static_cast<T *>(a.base), a.stride, a.extent, a.owner) {}
  Region(const Region &o) : Region(o.base_, o.stride_, o.extent_, o.owner_) {}
  /// Allows a region of mutable elements where a read-only one is expected.
  template <class U>
    requires(!__is_same(U, T) && __is_same(const U, T))
  Region(const Region<U, D> &o) : Region(o.elements(), o.strides(), o.extents(), o.owner()) {}
  Region(Region &&o) noexcept : base_(o.base_), owner_(o.owner_) {
    for (int d = 0; d < D; ++d)
      stride_[d] = o.stride_[d], extent_[d] = o.extent_[d];
    o.owner_ = nullptr;
  }
  Region &operator=(Region o) noexcept {
    Storage *old = owner_;
    base_ = o.base_, owner_ = o.owner_, o.owner_ = old;
    for (int d = 0; d < D; ++d)
      stride_[d] = o.stride_[d], extent_[d] = o.extent_[d];
    return *this;
  }
  ~Region() {
    if (owner_)
      pb_storage_release(owner_);
  }

  /// A new uninitialised matrix, x contiguous. `sizes`: D extents, x first.
  static Region allocate()
    requires(D == 0)
  {
    return withStorage(nullptr, nullptr, 1);
  }
  template <class... I>
  static Region allocate(FirstSize first, I... others) {
    static_assert(sizeof...(I) + 1 == D, "allocate() takes one size per dimension");
    const long size[] = {first.value, static_cast<long>(others)...};
    int extent[D + 1];
    long stride[D + 1];
    unsigned long count = 1;
    for (int d = 0; d < D; ++d) {
      first.require(d, size[d]);
      extent[d] = static_cast<int>(size[d]);
      stride[d] = static_cast<long>(count);
      count = cellsTimes(count, size[d], sizeof(T));
    }
    return withStorage(stride, extent, count);
  }
  /// The same, but rows, planes, ... are padded for the caches: pb_strides_apart().
  template <class... I>
  static Region allocateApart(I... sizes) {
    static_assert(sizeof...(I) == D, "allocateApart() takes one size per dimension");
    const int extent[] = {static_cast<int>(sizes)..., 0};
    long stride[D + 1];
    return withStorage(stride, extent, pb_strides_apart(extent, D, sizeof(T), stride));
  }

#ifndef PB_BOUNDS_CHECK
  /// One element; coordinates are relative to the view, x first.
  template <class... I>
  T &cell(I... at) const {
    static_assert(sizeof...(I) == D, "cell() takes one coordinate per dimension");
    const long index[] = {static_cast<long>(at)..., 0};
    return elementAt(index);
  }
  /// The box [begins, ends): all begins, then all ends.
  template <class... I>
  Region region(I... box) const {
    static_assert(sizeof...(I) == 2 * D, "region() takes all begins, then all ends");
    const long v[] = {static_cast<long>(box)..., 0};
    return boxAt(v);
  }
  using Position = long;
#else
  using Position = Coordinate;
  T &cell() const
    requires(D == 0)
  {
    return *base_;
  }
  template <class... I>
  T &cell(Coordinate first, I... others) const
    requires(sizeof...(I) + 1 == D)
  {
    const long index[] = {first.value, static_cast<long>(others)...};
    for (int d = 0; d < D; ++d)
      first.require(d, index[d], extent_[d]);
    return elementAt(index);
  }
  Region region() const
    requires(D == 0)
  {
    return *this;
  }
  template <class... I>
  Region region(Coordinate first, I... others) const
    requires(sizeof...(I) + 1 == 2 * D)
  {
    const long v[] = {first.value, static_cast<long>(others)...};
    for (int d = 0; d < D; ++d)
      if (v[d] < 0 || v[d] > v[D + d] || v[D + d] > extent_[d])
        first.refuse(d, v[D + d] > extent_[d] ? v[D + d] - 1 : v[d], extent_[d]);
    return boxAt(v);
  }
#endif
  /// The view with dimension `dimension` fixed at `position`.
  Region<T, D - 1> slice(int dimension, Position position) const
    requires(D > 0)
  {
    long stride[D + 1];
    int extent[D + 1];
    for (int d = 0, k = 0; d < D; ++d)
      if (d != dimension)
        stride[k] = stride_[d], extent[k] = extent_[d], ++k;
#ifdef PB_BOUNDS_CHECK
    position.require(dimension, position.value, extent_[dimension]);
    return Region<T, D - 1>(base_ + position.value * stride_[dimension], stride, extent, owner_);
#else
    return Region<T, D - 1>(base_ + position * stride_[dimension], stride, extent, owner_);
#endif
  }
  Region<T, 1> row(Position y) const
    requires(D == 2)
  {
    return slice(1, y);
  }
  Region<T, 1> column(Position x) const
    requires(D == 2)
  {
    return slice(0, x);
  }
  Region<T, 1> col(Position x) const
    requires(D == 2)
  {
    return slice(0, x);
  }
  Region all() const { return *this; }
  /// Dimensions in reverse order.
  Region transposed() const {
    long stride[D + 1];
    int extent[D + 1];
    for (int d = 0; d < D; ++d)
      stride[d] = stride_[D - 1 - d], extent[d] = extent_[D - 1 - d];
    return Region(base_, stride, extent, owner_);
  }

  int size(int d) const { return extent_[d]; }
  int width() const { return extent_[0]; }
  int height() const { return extent_[1]; }
  int depth() const { return extent_[2]; }
  long count() const {
    long n = 1;
    for (int d = 0; d < D; ++d)
      n *= extent_[d];
    return n;
  }
  long bytes() const { return count() * static_cast<long>(sizeof(T)); }
  /// Twice the sum of the extents.
  long perimeter() const {
    long sum = 0;
    for (int d = 0; d < D; ++d)
      sum += extent_[d];
    return 2 * sum;
  }
  /// Whether the cells lie in memory in the order of a fresh matrix, without gaps.
  bool isEntireBuffer() const {
    long dense = 1;
    for (int d = 0; d < D; ++d) {
      if (extent_[d] > 1 && stride_[d] != dense)
        return false;
      dense *= extent_[d];
    }
    return true;
  }
  template <class... I>
  bool contains(I... at) const {
    const long index[] = {static_cast<long>(at)..., 0};
    for (int d = 0; d < D; ++d)
      if (index[d] < 0 || index[d] >= extent_[d])
        return false;
    return true;
  }
  T *elements() const { return base_; }
  /// The elements' memory, without `const` because C functions often omit it for data that they only read.
  /// In programs that ask for it, and for storage(), matrices have no gaps (body/clang_reader.cpp).
  Element *base() const { return const_cast<Element *>(base_); }
  const long *strides() const { return stride_; }
  const long *multipliers() const { return stride_; }
  const int *extents() const { return extent_; }
  const int *sizes() const { return extent_; }
  Storage *owner() const { return owner_; }
  /// The same memory under its other name: `a.storage()`, `a.storage()->data()`.
  StorageView<Element> storage() const { return StorageView<Element>{base()}; }
  /// The same cells, writable although the rule's header declares them as an input.
  Region<Element, D> forceMutable() const {
    return Region<Element, D>(const_cast<Element *>(base_), stride_, extent_, owner_);
  }
  /// Random cells: [0, 1), integers 0 to 100.
  void randomize() const
    requires(__is_same(T, Element))
  {
    if constexpr (D == 0)
      *base_ = static_cast<T>(pb_random01() * (static_cast<T>(0.5) == 0 ? 101 : 1));
    else
      for (int k = 0; k < extent_[D - 1]; ++k)
        slice(D - 1, k).randomize();
  }
  /// These do nothing: for rule bodies the newest copy of the cells is always in the processor's memory.
  template <class... I>
  void useOnCpu(I...) const {}
  template <class... I>
  void modifyOnCpu(I...) const {}

  /// A zero-dimensional region converts to its one element ...
  operator T &() const
    requires(D == 0)
  {
    return *base_;
  }
  /// ... and can be assigned a value.
  const Region &operator=(Element value) const
    requires(D == 0)
  {
    *base_ = value;
    return *this;
  }

private:
  T &elementAt(const long *index) const {
    long offset = 0;
    for (int d = 0; d < D; ++d)
      offset += index[d] * stride_[d];
    return base_[offset];
  }
  Region boxAt(const long *v) const {
    int extent[D + 1];
    long offset = 0;
    for (int d = 0; d < D; ++d)
      offset += v[d] * stride_[d], extent[d] = static_cast<int>(v[D + d] - v[d]);
    return Region(base_ + offset, stride_, extent, owner_);
  }
  static Region withStorage(const long *stride, const int *extent, unsigned long count) {
    void *data = nullptr;
    Storage *s = pb_storage_allocate(count * sizeof(T), &data);
    Region r(static_cast<T *>(data), stride, extent, s);
    pb_storage_release(s);
    return r;
  }
  void retain() {
    if (owner_)
      pb_storage_retain(owner_);
  }
  // regionAt() relies on this order, which is the same for every T and D.
  T *base_ = nullptr;
  Storage *owner_ = nullptr;
  long stride_[D ? D : 1] = {};
  int extent_[D ? D : 1] = {};
};

/// Reads a Region of the given rank at any address, whatever the type of its elements.
inline AnyRegion regionAt(const void *place, int rank) {
  const auto *const words = static_cast<void *const *>(place);
  const auto *const strides = reinterpret_cast<const long *>(words + 2);
  const auto *const extents = reinterpret_cast<const int *>(strides + (rank ? rank : 1));
  AnyRegion r;
  r.base = words[0];
  r.owner = static_cast<Storage *>(words[1]);
  for (int d = 0; d < rank; ++d)
    r.stride[d] = strides[d], r.extent[d] = extents[d];
  return r;
}

/// Regions of ElementT by their number of dimensions, as rule bodies name them.
template <int D>
using MatrixRegion = Region<ElementT, D>;
template <int D>
using ConstMatrixRegion = Region<const ElementT, D>;
using MatrixRegion0D = Region<ElementT, 0>;
using MatrixRegion1D = Region<ElementT, 1>;
using MatrixRegion2D = Region<ElementT, 2>;
using MatrixRegion3D = Region<ElementT, 3>;
using MatrixRegion4D = Region<ElementT, 4>;
using MatrixRegion5D = Region<ElementT, 5>;
using MatrixRegion6D = Region<ElementT, 6>;
using ConstMatrixRegion0D = Region<const ElementT, 0>;
using ConstMatrixRegion1D = Region<const ElementT, 1>;
using ConstMatrixRegion2D = Region<const ElementT, 2>;
using ConstMatrixRegion3D = Region<const ElementT, 3>;
using ConstMatrixRegion4D = Region<const ElementT, 4>;
using ConstMatrixRegion5D = Region<const ElementT, 5>;
using ConstMatrixRegion6D = Region<const ElementT, 6>;

} // namespace pb
