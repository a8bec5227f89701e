// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Memory for measurements, in large pages if the system has them, so that address translation does not affect
// the result.
//
//   Pages<std::uint64_t> data(1 << 20);   data.get()[5] = 1;
//
// The memory is not touched before it is used, so that it lies near the thread that uses it. Throws
// std::bad_alloc.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <sys/mman.h>

namespace pbc::model {

struct FreePages {
  void operator()(void *p) const { std::free(p); }
};

template <class T>
class Pages {
public:
  explicit Pages(std::size_t count) {
    constexpr std::size_t kLarge = std::size_t{2} << 20;
    const std::size_t bytes = (count * sizeof(T) + kLarge - 1) / kLarge * kLarge;
    pages_.reset(static_cast<T *>(std::aligned_alloc(kLarge, bytes)));
    if (!pages_)
      throw std::bad_alloc();
    madvise(pages_.get(), bytes, MADV_HUGEPAGE); // if that fails, small pages are used
  }
  T *get() const { return pages_.get(); }

private:
  std::unique_ptr<T, FreePages> pages_;
};

} // namespace pbc::model
