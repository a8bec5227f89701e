// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/embed/arrays.h"
#include "runtime/abi/plan.h"
#include "runtime/embed/array_texts.h"
#include "runtime/embed/refusal.h"
#include "runtime/matrix/element.h"
#include "runtime/matrix/matrix.h"
#include "runtime/matrix/storage.h"
#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace pb::embed {
namespace {

constexpr int elementOf(ElementKind kind) { return static_cast<int>(kind) + 1; }
static_assert(elementOf(ElementKind::F64) == PBC_F64 && elementOf(ElementKind::F32) == PBC_F32 &&
              elementOf(ElementKind::I32) == PBC_I32 && elementOf(ElementKind::I64) == PBC_I64 &&
              elementOf(ElementKind::U8) == PBC_U8);

long bytesOf(const MatrixInfo &m) { return static_cast<long>(matrix::bytes(m.element)); }

RegionShape shapeOf(const AnyRegion &r, const MatrixInfo &m) {
  return {r.base, r.stride, r.extent, m.rank, bytesOf(m), r.owner};
}

bool isEmpty(const AnyRegion &r, int rank) {
  for (int d = 0; d < rank; ++d)
    if (r.extent[d] == 0)
      return true;
  return false;
}

bool isDense(const AnyRegion &r, int rank) {
  long dense = 1;
  for (int d = 0; d < rank; ++d) {
    if (r.extent[d] > 1 && r.stride[d] != dense)
      return false;
    dense *= r.extent[d];
  }
  return true;
}

/// Whether every step along a dimension leads to a later address.
bool goesForwards(const AnyRegion &r, int rank) {
  for (int d = 0; d < rank; ++d)
    if (r.extent[d] > 1 && r.stride[d] <= 0)
      return false;
  return true;
}

/// The same cells in another order: strides are positive, and dimensions with one cell are left out.
struct Sorted {
  Sorted(const AnyRegion &r, const MatrixInfo &m) : base(static_cast<char *>(r.base)) {
    for (int d = 0; d < m.rank; ++d) {
      if (r.extent[d] < 2)
        continue;
      if (r.stride[d] < 0)
        base += r.stride[d] * (r.extent[d] - 1L) * bytesOf(m);
      int at = rank++;
      for (; at > 0 && stride[at - 1] > std::abs(r.stride[d]); --at)
        stride[at] = stride[at - 1], extent[at] = extent[at - 1];
      stride[at] = std::abs(r.stride[d]), extent[at] = r.extent[d];
    }
  }
  char *base;
  int rank = 0;
  long stride[AnyRegion::kMaxRank] = {};
  int extent[AnyRegion::kMaxRank] = {};
};

/// Whether two coordinates may mean the same cell: each stride has to reach over all smaller ones.
bool mayOverlapItself(const AnyRegion &r, const MatrixInfo &m) {
  const Sorted s(r, m);
  long reach = 0;
  for (int d = 0; d < s.rank; ++d) {
    if (s.stride[d] <= reach)
      return true;
    reach += s.stride[d] * (s.extent[d] - 1L);
  }
  return false;
}

bool mayShareCells(const AnyRegion &a, const MatrixInfo &ofA, const AnyRegion &b, const MatrixInfo &ofB) {
  const Sorted first(a, ofA), second(b, ofB);
  const RegionShape one{first.base, first.stride, first.extent, first.rank, bytesOf(ofA), nullptr};
  const RegionShape other{second.base, second.stride, second.extent, second.rank, bytesOf(ofB), nullptr};
  return pb_may_overlap(&one, &other);
}

bool updatesSome(const Transform &t) {
  return std::any_of(t.matrices, t.matrices + t.matrixCount,
                     [](const MatrixInfo &m) { return m.before >= 0; });
}

/// Copies the cells of one region to another of the same extents.
void copyCells(const AnyRegion &to, const AnyRegion &from, const MatrixInfo &m) {
  if (isEmpty(from, m.rank))
    return;
  const long bytes = bytesOf(m);
  int at[AnyRegion::kMaxRank] = {};
  for (;;) {
    long there = 0, here = 0;
    for (int k = 0; k < m.rank; ++k)
      there += at[k] * to.stride[k], here += at[k] * from.stride[k];
    std::memcpy(static_cast<char *>(to.base) + there * bytes, static_cast<char *>(from.base) + here * bytes,
                static_cast<std::size_t>(bytes));
    int d = 0;
    for (; d < m.rank && ++at[d] == from.extent[d]; ++d)
      at[d] = 0;
    if (d == m.rank)
      return;
  }
}

} // namespace

Arrays::Arrays(const Transform &t, pbc_array *const *given, const device::Session *devices)
    : t_(t), given_(given), updates_(updatesSome(t)) {
  if (t.matrixCount > kUsual) {
    many_ = std::make_unique<AnyRegion[]>(static_cast<std::size_t>(t.matrixCount));
    manyExtents_ = std::make_unique<Row[]>(static_cast<std::size_t>(t.matrixCount));
    regions_ = many_.get();
    extents_ = manyExtents_.get();
  }
  for (int m = 0; m < t.matrixCount && updates_; ++m)
    if (t.matrices[m].before >= 0 && this->given(m) && isWanted(m))
      throw Refusal(PBC_ERROR_ARGUMENT, std::string(t.name) + ": the array " + t.matrices[m].name +
                                            " is updated in place: it has to be there, with its values "
                                            "before the call");
  for (int m = 0; m < t.matrixCount; ++m)
    check(m, devices);
}

Arrays::~Arrays() {
  for (const std::vector<AnyRegion> *all : {&owned_, &originals_})
    for (const AnyRegion &r : *all)
      if (r.owner)
        pb_storage_release(r.owner);
  for (int m = 0; m < t_.matrixCount; ++m)
    if (regions_[m].owner)
      pb_storage_release(regions_[m].owner);
}

int Arrays::argumentOf(int m) const {
  int matrix = m;
  for (int o = 0; o < t_.matrixCount; ++o)
    if (t_.matrices[o].before == m)
      matrix = o; // the values before the call are in the output
  int argument = matrix;
  for (int o = 0; o < t_.matrixCount; ++o)
    if (t_.matrices[o].before >= 0 && t_.matrices[o].before < matrix)
      --argument;
  return argument;
}

bool Arrays::isWanted(int m) const {
  const pbc_array &a = *given(m);
  return t_.matrices[m].role == Role::Output && !a.data && !a.element && !a.rank;
}

/// Makes the region of one array, or refuses it.
void Arrays::check(int m, const device::Session *devices) {
  const MatrixInfo &info = t_.matrices[m];
  const auto refuse = [&](const std::string &why, int status = PBC_ERROR_ARGUMENT) {
    throw Refusal(status, std::string(t_.name) + ": " + why);
  };
  if (!given(m))
    refuse("the array " + std::string(info.name) + " is null");
  const pbc_array &a = *given(m);
  AnyRegion &r = regions_[m];
  if (isWanted(m))
    return;
  if (a.element != elementOf(info.element))
    refuse(written(info) + " has elements of type " + elementName(elementOf(info.element)) +
           ", and the array has " + elementName(a.element));
  if (a.rank != info.rank)
    refuse(written(info) + " has " + dimensions(info.rank) + ", and the array has " + dimensions(a.rank));
  if (info.role == Role::Output && (a.flags & PBC_READ_ONLY))
    refuse("the array of the output " + std::string(info.name) + " is read-only");
  bool hasCells = true;
  for (int d = 0; d < info.rank; ++d) {
    if (a.extent[d] < 0 || a.extent[d] > INT_MAX)
      refuse("dimension " + std::to_string(d) + " of the array " + info.name + " has " +
                 std::to_string(a.extent[d]) + " cells; a size is a number from 0 to 2147483647",
             PBC_ERROR_SIZE);
    r.extent[d] = static_cast<int>(a.extent[d]);
    r.stride[d] = a.stride[d];
    hasCells = hasCells && a.extent[d] > 0;
  }
  r.base = a.data;
  if (!hasCells)
    return;
  if (!a.data)
    refuse("the array " + std::string(info.name) + " has cells, and no memory (its `data` is null)");
  if (reinterpret_cast<std::uintptr_t>(a.data) % static_cast<std::uintptr_t>(bytesOf(info)))
    refuse("the memory of the array " + std::string(info.name) +
           " does not begin at a multiple of the size of its elements");
  if (a.place != PBC_HOST)
    checkPlace(m, devices);
}

void Arrays::checkPlace(int m, const device::Session *devices) {
  const pbc_array &a = *given(m);
  const auto refuse = [&](const std::string &why) {
    throw Refusal(PBC_ERROR_DEVICE,
                  std::string(t_.name) + ": the array " + t_.matrices[m].name + " is " + why);
  };
  const char *const api = apiOf(a.place);
  if (!api)
    refuse("in a place that this library does not know (number " + std::to_string(a.place) + ")");
  const std::string name = std::string(api) + ":" + std::to_string(a.device);
  const int device = devices ? devices->find(api, a.device) : kHost;
  if (device < 0)
    refuse("on the device " + name + ", and this context " +
           (devices ? "does not have it" : "has no device") +
           ": contexts have the devices that they are made with, as \"" + name +
           "\", and those on which their configuration places steps");
  if (t_.matrices[m].rank == 0)
    refuse("a number, and those have to be in the memory of the processor");
  if (devices_.empty()) {
    devices_.assign(static_cast<std::size_t>(t_.matrixCount), kHost);
    lent_ = std::make_unique<bool[]>(static_cast<std::size_t>(t_.matrixCount));
  }
  devices_[static_cast<std::size_t>(m)] = device;
  lent_[static_cast<std::size_t>(m)] = true;
}

std::string Arrays::listing() const {
  std::string text;
  for (int m = 0; m < t_.matrixCount; ++m)
    if (t_.matrices[m].rank && !isWanted(m))
      text += (text.empty() ? "" : ", ") + written(t_.matrices[m]) + " is " +
              list(regions_[m].extent, t_.matrices[m].rank);
  return text;
}

void Arrays::fit(long *sizes, int bin) {
  const auto refuse = [&](const std::string &why) {
    const std::string arrays = listing();
    throw Refusal(PBC_ERROR_SIZE,
                  std::string(t_.name) + ": " + why + (arrays.empty() ? "" : " (" + arrays + ")"));
  };
  for (int m = 0; m < t_.matrixCount; ++m)
    std::memcpy(extents_[m], regions_[m].extent, sizeof(Row));
  Message why;
  why.text[0] = '\0';
  if (!t_.solveSizes(extents_, sizes, bin, &why) || !t_.extents(sizes, extents_, bin, &why))
    refuse(why.text);
  for (int m = 0; m < t_.matrixCount; ++m) {
    const MatrixInfo &info = t_.matrices[m];
    if (isWanted(m))
      continue;
    for (int d = 0; d < info.rank; ++d)
      if (regions_[m].extent[d] != extents_[m][d])
        refuse("size mismatch: " + written(info) + " is to be " + list(extents_[m], info.rank));
  }
  refuseOverlaps();
  for (int m = 0; m < t_.matrixCount; ++m)
    if (isWanted(m))
      allocate(m, extents_[m]);
}

void Arrays::refuseOverlaps() const {
  for (int m = t_.matrixCount - 1; m >= 0 && t_.matrices[m].role == Role::Output; --m) {
    const MatrixInfo &info = t_.matrices[m];
    if (isWanted(m) || isEmpty(regions_[m], info.rank))
      continue;
    if (mayOverlapItself(regions_[m], info))
      throw Refusal(PBC_ERROR_OVERLAP, std::string(t_.name) + ": cells of the output " + info.name +
                                           " share memory: its extents are " +
                                           list(regions_[m].extent, info.rank) + " and its strides " +
                                           list(regions_[m].stride, info.rank));
    for (int k = m - 1; k >= 0 && t_.matrices[k].role == Role::Output; --k)
      if (!isWanted(k) && !isEmpty(regions_[k], t_.matrices[k].rank) &&
          mayShareCells(regions_[m], info, regions_[k], t_.matrices[k]))
        throw Refusal(PBC_ERROR_OVERLAP, std::string(t_.name) + ": the outputs " + t_.matrices[k].name +
                                             " and " + info.name + " share memory");
  }
}

void Arrays::allocate(int m, const Row &extents) {
  const MatrixInfo &info = t_.matrices[m];
  AnyRegion &r = regions_[m];
  unsigned long bytes = static_cast<unsigned long>(bytesOf(info));
  long stride = 1;
  for (int d = 0; d < info.rank; ++d) {
    r.extent[d] = extents[d];
    r.stride[d] = stride;
    stride *= std::max(1, extents[d]);
    if (__builtin_mul_overflow(bytes, static_cast<unsigned long>(extents[d]), &bytes))
      throw std::bad_alloc();
  }
  r.owner = pb_storage_allocate(bytes, &r.base);
}

void Arrays::replaceByCopy(int m) {
  const MatrixInfo &info = t_.matrices[m];
  AnyRegion &r = regions_[m];
  AnyRegion &original = originals_[static_cast<std::size_t>(m)];
  original = r;
  if (lent_)
    lent_[static_cast<std::size_t>(m)] = false;
  const RegionShape from = shapeOf(original, info);
  r.owner = pb_copy_cells(&from, &r.base);
  long stride = 1;
  for (int d = 0; d < info.rank; ++d)
    r.stride[d] = stride, stride *= r.extent[d];
}

void Arrays::closeGaps() {
  originals_.resize(static_cast<std::size_t>(t_.matrixCount));
  for (int m = 0; m < t_.matrixCount; ++m)
    if (!isEmpty(regions_[m], t_.matrices[m].rank) && !isDense(regions_[m], t_.matrices[m].rank))
      replaceByCopy(m);
}

void Arrays::own() {
  originals_.resize(static_cast<std::size_t>(t_.matrixCount));
  for (int m = 0; m < t_.matrixCount; ++m)
    if (const MatrixInfo &info = t_.matrices[m];
        !isEmpty(regions_[m], info.rank) && !goesForwards(regions_[m], info.rank))
      replaceByCopy(m);
  owned_.assign(regions_, regions_ + t_.matrixCount);
  for (AnyRegion &r : owned_)
    r.owner = nullptr; // of those without cells, and where an allocation fails
  for (int m = 0; m < t_.matrixCount; ++m) {
    const MatrixInfo &info = t_.matrices[m];
    AnyRegion &r = owned_[static_cast<std::size_t>(m)];
    if (isEmpty(r, info.rank))
      continue;
    if (lent_ && lent_[static_cast<std::size_t>(m)]) {
      r.owner = regions_[m].owner;
      pb_storage_retain(r.owner);
      continue;
    }
    long last = 0;
    for (int d = 0; d < info.rank; ++d)
      last += r.stride[d] * (r.extent[d] - 1L);
    r.owner = matrix::storageOver(r.base, static_cast<unsigned long>((last + 1) * bytesOf(info)));
  }
}

bool Arrays::overwritesInputs() const {
  for (int out = 0; out < t_.matrixCount; ++out)
    for (int in = 0; in < t_.matrixCount; ++in)
      if (t_.matrices[out].role == Role::Output && t_.matrices[in].role == Role::Input &&
          mayShareCells(regions()[out], t_.matrices[out], regions()[in], t_.matrices[in]))
        return true;
  return false;
}

void Arrays::putBack() const {
  for (std::size_t m = 0; m < originals_.size(); ++m)
    if (originals_[m].base && t_.matrices[m].role == Role::Output)
      copyCells(originals_[m], regions_[m], t_.matrices[m]);
}

void Arrays::giveOut() {
  for (int m = 0; m < t_.matrixCount; ++m) {
    if (!isWanted(m))
      continue;
    const MatrixInfo &info = t_.matrices[m];
    pbc_array made = numberAt(regions_[m].base, elementOf(info.element));
    made.rank = info.rank;
    for (int d = 0; d < info.rank; ++d)
      made.extent[d] = regions_[m].extent[d], made.stride[d] = regions_[m].stride[d];
    made.owner = std::exchange(regions_[m].owner, nullptr);
    *given(m) = made;
  }
}

} // namespace pb::embed
