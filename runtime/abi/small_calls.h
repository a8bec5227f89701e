// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What calls of small transforms need where they run in the unit of their caller (compiler/emit/in_callers.h).
//
//   pb::CellsHere<double, 1> old_A;                                    // in the callee's function
//   if (pb::meet(f.m_A, f.m_B) && !old_A.take(f.m_A)) return pb::SmallCall::IsSpecial; // copies few cells, in the task's own memory
//   co_await pb::HereOrJob{};                                          // the call has already been run: nothing to wait for
//   Add(pb::lent(f.m_A).region(0, 1), ...)                             // views that do not count who uses the cells
//
// Invariant: a lent view does not outlive the frame whose matrix it shows. Bodies get such views: a frame exists until all tasks of its
// bodies are done.
#pragma once
#include "plan.h"
#include "task.h"

namespace pb {

/// Whether the running scheduler has devices: their copies of matrices are found by who owns the memory.
bool haveDevices();
extern "C" {
/// Whether a scheduler of this process has ever had a matrix that may be valid on a device only; atomic.
[[gnu::visibility("hidden")]] extern bool pb_devices_seen;
/// Whether the running one has.
bool pb_devices_are_used();
}

/// Whether some matrix may be valid on a device only.
inline bool devicesAreUsed() {
  return __atomic_load_n(&pb_devices_seen, __ATOMIC_ACQUIRE) && pb_devices_are_used();
}

/// The same cells, without a count of their users.
template <class T, int D>
Region<T, D> borrowed(const Region<T, D> &r) {
  return Region<T, D>(r.elements(), r.strides(), r.extents(), nullptr);
}

/// The same, unless devices need the owner.
template <class T, int D>
Region<T, D> lent(const Region<T, D> &r) {
  return Region<T, D>(r.elements(), r.strides(), r.extents(), haveDevices() ? r.owner() : nullptr);
}

struct AddressRange {
  __UINTPTR_TYPE__ low, high; // half open
};

/// Where the cells are; of an empty view, anything.
template <class T, int D>
[[gnu::always_inline]] inline AddressRange addressesOf(const Region<T, D> &r) {
  const auto base = reinterpret_cast<__UINTPTR_TYPE__>(r.elements());
  long before = 0, behind = sizeof(T);
  for (int d = 0; d < D; ++d) {
    const long reach = (r.size(d) - 1L) * r.strides()[d] * static_cast<long>(sizeof(T));
    (reach < 0 ? before : behind) += reach;
  }
  return {base + static_cast<__UINTPTR_TYPE__>(before), base + static_cast<__UINTPTR_TYPE__>(behind)};
}

/// mayOverlap(), which asks the runtime only if the addresses of both do meet.
template <class T, int D, class U, int E>
[[gnu::always_inline]] inline bool meet(const Region<T, D> &a, const Region<U, E> &b) {
  const AddressRange first = addressesOf(a), second = addressesOf(b);
  // Copies, so that the addresses of the views themselves, which lie in a frame, stay unknown.
  return first.low < second.high && second.low < first.high && mayOverlap(borrowed(a), borrowed(b));
}

/// A copy of few cells.
template <class T, int D>
class CellsHere {
public:
  /// Makes the view one of a copy. False: there are too many cells, and nothing has been done.
  [[gnu::always_inline]] bool take(Region<const T, D> &view) {
    static_assert(D > 0, "numbers are passed by value");
    if (view.count() > kMost)
      return false;
    fill(borrowed(view));
    long stride[D], count = 1;
    for (int d = 0; d < D; ++d)
      stride[d] = count, count *= view.size(d);
    view = Region<const T, D>(cells_, stride, view.extents(), nullptr);
    return true;
  }

private:
  static constexpr long kMost = 4096 / sizeof(T);

  [[gnu::noinline]] void fill(const Region<const T, D> &from) {
    T *to = cells_;
    copy(from.elements(), from.strides(), from.extents(), D - 1, to);
  }
  static void copy(const T *from, const long *strides, const int *extents, int d, T *&to) {
    for (int k = 0; k < extents[d]; ++k)
      if (d == 0)
        *to++ = from[k * strides[0]];
      else
        copy(from + k * strides[d], strides, extents, d - 1, to);
  }

  T cells_[kMost];
};

/// What became of a call: it has been run, or it is one for the plain or for the parallel version of the transform itself.
enum class SmallCall { IsDone, IsSpecial, IsLarge };

/// The awaitable of a call that has been run already, or of its job.
struct HereOrJob {
  Job job = {};
  bool await_ready() const { return !job; }
  [[gnu::always_inline]] Job::Handle await_suspend(std::coroutine_handle<> caller) const {
    return job.operator co_await().await_suspend(caller);
  }
  [[gnu::always_inline]] void await_resume() const {
    if (job)
      job.operator co_await().await_resume();
  }
};

} // namespace pb
