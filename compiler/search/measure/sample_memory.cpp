// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/measure/sample_memory.h"
#include "compiler/kernel/footprint.h"
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

namespace pbc::search {

SampleMemory::SampleMemory(const Arrays &arrays) : arrays_(arrays) {
  constexpr std::size_t kLargePage = 2 << 20;
  for (const Array &array : arrays.all) {
    // Rows of several matrices of a power of two bytes would begin in the same sets of a cache.
    const std::size_t bytes = (std::size_t(array.bytes()) + 4095) / 4096 * 4096 + 4096 + 64 * cells_.size();
    // Matrices of programs lie in large pages, too (runtime/matrix/storage_pool.cpp).
    const std::size_t page = bytes < kLargePage ? 4096 : kLargePage;
    void *memory = nullptr;
    if (posix_memalign(&memory, page, bytes) != 0)
      _exit(3);
    if (page == kLargePage)
      madvise(memory, bytes, MADV_HUGEPAGE); // only advice, so failure is harmless
    memory_.push_back(memory);
    cells_.push_back(static_cast<char *>(memory) + 64 * cells_.size());
  }
  for (const auto &[name, value] : arrays.sizes)
    sizes_.push_back(value);
  sizes_.push_back(0);
}

SampleMemory::~SampleMemory() {
  for (void *memory : memory_)
    std::free(memory);
}

void SampleMemory::fill() {
  for (std::size_t a = 0; a < cells_.size(); ++a)
    for (long c = 0; c < arrays_.all[a].cells(); ++c) {
      const auto mixed = (std::uint64_t(c) * 2654435761U + a * 40503U) >> 7;
      store(a, c, double(mixed % 1024) / 1024.0 + 0.25);
    }
}

template <class Visit>
void SampleMemory::each(const Visit &visit) const {
  for (std::size_t a = 0; a < cells_.size(); ++a)
    if (arrays_.all[a].isResult)
      for (long c = 0; c < arrays_.all[a].cells(); ++c)
        visit(load(a, c));
}

void SampleMemory::keepResults() {
  results_.clear();
  each([&](double value) { results_.push_back(value); });
}

double SampleMemory::difference() const {
  double most = 0, largest = 1e-300;
  std::size_t at = 0;
  each([&](double value) {
    const double wanted = results_[at++];
    const double difference = std::abs(value - wanted);
    // What is no number in both is the same.
    if (!(difference <= most) && !(std::isnan(value) && std::isnan(wanted)) && value != wanted)
      most = std::isnan(difference) ? HUGE_VAL : difference;
    if (std::isfinite(wanted))
      largest = std::max(largest, std::abs(wanted));
  });
  return most / largest;
}

double SampleMemory::allowedDifference() const {
  for (const Array &array : arrays_.all)
    if (array.isResult && array.element == kernel::Scalar::F32)
      return 1e-4;
  return 1e-10;
}

void SampleMemory::store(std::size_t a, long c, double value) {
  switch (arrays_.all[a].element) {
  case kernel::Scalar::F64:
    static_cast<double *>(cells_[a])[c] = value;
    return;
  case kernel::Scalar::F32:
    static_cast<float *>(cells_[a])[c] = float(value);
    return;
  case kernel::Scalar::I32:
    static_cast<std::int32_t *>(cells_[a])[c] = std::int32_t(value * 16);
    return;
  case kernel::Scalar::I64:
    static_cast<std::int64_t *>(cells_[a])[c] = std::int64_t(value * 16);
    return;
  case kernel::Scalar::U8:
  case kernel::Scalar::Bool:
    static_cast<std::uint8_t *>(cells_[a])[c] = std::uint8_t(value * 16) & 1;
    return;
  }
}

double SampleMemory::load(std::size_t a, long c) const {
  switch (arrays_.all[a].element) {
  case kernel::Scalar::F64:
    return static_cast<const double *>(cells_[a])[c];
  case kernel::Scalar::F32:
    return double(static_cast<const float *>(cells_[a])[c]);
  case kernel::Scalar::I32:
    return static_cast<const std::int32_t *>(cells_[a])[c];
  case kernel::Scalar::I64:
    return double(static_cast<const std::int64_t *>(cells_[a])[c]);
  case kernel::Scalar::U8:
  case kernel::Scalar::Bool:
    return static_cast<const std::uint8_t *>(cells_[a])[c];
  }
  return 0;
}

} // namespace pbc::search
