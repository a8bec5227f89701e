// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/embed/borrowed_arrays.h"
#include "runtime/abi/plan.h"
#include "runtime/embed/refusal.h"
#include "runtime/matrix/element.h"
#include "runtime/matrix/storage.h"
#include <algorithm>
#include <cstdint>
#include <tuple>

namespace pb::embed {
namespace {

constexpr long kAlignment = 64; // of storages (region.h)

int bytesOfElement(const MatrixInfo &m) { return static_cast<int>(matrix::bytes(m.element)); }

} // namespace

/// The arrays' memory, in order; parts do not overlap.
std::vector<BorrowedArrays::Part> BorrowedArrays::parts() const {
  std::vector<Part> all, merged;
  for (int m = 0; m < arrays_.transform().matrixCount; ++m) {
    if (arrays_.deviceOf(m) == Arrays::kHost)
      continue;
    const AnyRegion &r = arrays_.region(m);
    const int bytes = bytesOfElement(arrays_.about(m));
    long low = 0, high = bytes;
    for (int d = 0; d < arrays_.about(m).rank; ++d) {
      const long reach = r.stride[d] * (r.extent[d] - 1L) * bytes;
      (reach < 0 ? low : high) += reach;
    }
    auto *const base = static_cast<char *>(r.base);
    all.push_back({arrays_.deviceOf(m), base + low, base + high, {m}, bytes});
  }
  std::sort(all.begin(), all.end(), [](const Part &a, const Part &b) {
    return std::tuple(a.device, a.low) < std::tuple(b.device, b.low);
  });
  for (Part &next : all) {
    if (merged.empty() || merged.back().device != next.device || merged.back().high <= next.low) {
      merged.push_back(std::move(next));
      continue;
    }
    Part &last = merged.back();
    if (last.elementBytes != next.elementBytes || (next.low - last.low) % last.elementBytes)
      last.elementBytes = 1;
    last.high = std::max(last.high, next.high);
    last.arrays.push_back(next.arrays.front());
  }
  return merged;
}

void BorrowedArrays::makeMirror(Part &part) const {
  const auto bytes = static_cast<unsigned long>(part.high - part.low);
  const auto shift = static_cast<long>(reinterpret_cast<std::uintptr_t>(part.low) % kAlignment);
  void *data = nullptr;
  part.memory = pb_storage_allocate(bytes + kAlignment, &data);
  char *const low = static_cast<char *>(data) + shift;
  part.mirror = matrix::storageOver(low, bytes);
  for (const int m : part.arrays) {
    AnyRegion &r = arrays_.region(m);
    r.base = low + (static_cast<char *>(r.base) - part.low);
    r.owner = part.mirror;
    pb_storage_retain(r.owner);
  }
}

void BorrowedArrays::borrow() {
  parts_ = parts();
  for (Part &part : parts_) {
    makeMirror(part);
    try {
      session_.borrow(part.device, part.mirror, part.low, part.elementBytes);
    } catch (const device::DeviceError &e) {
      if (e.failure() != device::Failure::Unsuitable)
        throw;
      throw Refusal(PBC_ERROR_DEVICE, std::string(arrays_.transform().name) + ": the array " +
                                          arrays_.about(part.arrays.front()).name +
                                          " cannot be used on its device: " + e.what());
    }
    part.isBorrowed = true;
    for (const int m : part.arrays) {
      const MatrixInfo &info = arrays_.about(m);
      places_.push_back(device::placeOf(arrays_.region(m), info.rank, bytesOfElement(info)));
      if (info.role == Role::Output)
        outputs_.push_back({m, places_.back()});
    }
  }
}

void BorrowedArrays::toHost() const {
  for (const device::Place &place : places_)
    session_.toHostNow(place);
}

void BorrowedArrays::wroteOnHost(Which which) const {
  std::vector<device::Place> written;
  for (const Output &o : outputs_)
    if (which == Which::All || !arrays_.lent()[o.matrix])
      written.push_back(o.place);
  session_.wroteOnHost(written);
}

void BorrowedArrays::giveBack() {
  for (Part &part : parts_) {
    std::vector<device::Place> results;
    for (const Output &o : outputs_)
      if (o.place.matrix.owner == part.mirror)
        results.push_back(o.place);
    part.isBorrowed = false;
    session_.giveBack(part.device, part.mirror, results);
  }
}

void BorrowedArrays::release() noexcept {
  for (Part &part : parts_)
    try {
      if (part.isBorrowed)
        session_.giveBack(part.device, part.mirror, {});
    } catch (const device::DeviceError &) { // NOLINT(bugprone-empty-catch): the call has failed already
    }
}

BorrowedArrays::~BorrowedArrays() {
  release();
  for (const Part &part : parts_)
    for (Storage *const storage : {part.mirror, part.memory})
      if (storage)
        pb_storage_release(storage);
}

} // namespace pb::embed
