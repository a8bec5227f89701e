// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/matrix/matrix.h"
#include "runtime/base/errors.h"
#include "runtime/base/random.h"
#include "runtime/matrix/storage.h"
#include <cstring>
#include <utility>

namespace pb::matrix {

std::string print(const Extents &extents) {
  std::string text = "[";
  for (size_t d = 0; d < extents.size(); ++d)
    text += (d ? ", " : "") + std::to_string(extents[d]);
  return text + "]";
}

long count(const Extents &extents) {
  long n = 1;
  for (int e : extents)
    if (e == 0)
      return 0; // before the product of the others can overflow
  for (int e : extents)
    n *= e;
  return n;
}

Matrix::Matrix(const Matrix &o)
    : element_(o.element_), extents_(o.extents_), data_(o.data_), owner_(o.owner_) {
  if (owner_)
    pb_storage_retain(owner_);
}

Matrix::~Matrix() {
  if (owner_)
    pb_storage_release(owner_);
}

void Matrix::swap(Matrix &o) noexcept {
  std::swap(element_, o.element_);
  std::swap(extents_, o.extents_);
  std::swap(data_, o.data_);
  std::swap(owner_, o.owner_);
}

Matrix Matrix::allocate(ElementKind element, const Extents &extents) {
  unsigned long bytes = matrix::bytes(element);
  bool empty = false;
  for (int e : extents) {
    if (e < 0)
      throw base::UserError("a matrix cannot have the extents " + print(extents));
    empty |= e == 0;
  }
  // 2^46 bytes are more than any machine's memory; the check keeps the product from wrapping.
  for (int e : extents)
    if (!empty && (bytes *= static_cast<unsigned long>(e)) > 1ul << 46)
      throw base::UserError("a matrix of " + print(extents) + " elements does not fit any memory");
  Matrix m;
  m.element_ = element;
  m.extents_ = extents;
  m.owner_ = pb_storage_allocate(empty ? 0 : bytes, &m.data_);
  return m;
}

Matrix Matrix::over(ElementKind element, const Extents &extents, void *data) {
  Matrix m;
  m.element_ = element;
  m.extents_ = extents;
  m.data_ = data;
  m.owner_ = storageOver(data, static_cast<unsigned long>(m.bytes()));
  return m;
}

AnyRegion Matrix::region() const {
  AnyRegion r;
  r.base = data_;
  r.owner = owner_;
  const bool empty = count() == 0;
  long stride = 1;
  for (int d = 0; d < rank(); ++d) {
    r.stride[d] = stride;
    r.extent[d] = extents_[static_cast<size_t>(d)];
    if (!empty)
      stride *= r.extent[d];
  }
  return r;
}

Matrix Matrix::leading(const Extents &extents) const {
  Matrix part = allocate(element_, extents);
  const long n = matrix::count(extents);
  if (n == 0)
    return part;
  const unsigned long size = matrix::bytes(element_);
  const long row = extents.empty() ? 1 : extents[0];
  const AnyRegion from = region();
  auto *to = static_cast<char *>(part.data());
  int at[AnyRegion::kMaxRank] = {};
  for (long done = 0; done < n; done += row) {
    long offset = 0;
    for (int d = 1; d < rank(); ++d)
      offset += at[d] * from.stride[d];
    std::memcpy(to, static_cast<const char *>(data_) + static_cast<unsigned long>(offset) * size,
                static_cast<unsigned long>(row) * size);
    to += static_cast<unsigned long>(row) * size;
    for (int d = 1; d < rank() && ++at[d] == extents[static_cast<size_t>(d)]; ++d)
      at[d] = 0;
  }
  return part;
}

void fillRandom(const Matrix &m, unsigned long seed) {
  base::Random random(seed);
  withType(m.element(), [&](auto zero) {
    using T = decltype(zero);
    T *e = m.elements<T>();
    for (long i = 0, n = m.count(); i < n; ++i) {
      if constexpr (std::is_same_v<T, float>)
        e[i] = static_cast<float>(random.bits() >> 40) * 0x1p-24f; // rounding a double could give 1
      else if constexpr (std::is_floating_point_v<T>)
        e[i] = random.unit();
      else
        e[i] = static_cast<T>(random.below(101));
    }
  });
}

void fillWithNonsense(const Matrix &m) {
  if (m.bytes() > 0)
    std::memset(m.data(), 0xff, static_cast<unsigned long>(m.bytes()));
}

} // namespace pb::matrix
