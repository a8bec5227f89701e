// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where selectors, tunables and cut-offs live: a program has them once, a library once for each context.
//
//   static pb::Slots<long, 2> pb_cutoff_Sort;      // generated; one value for each accuracy bin
//   if (n < pb_cutoff_Sort[bin]) ...               // in a library, the value of the context whose thread this is
//   &pb_cutoff_Sort.own[bin]                       // in tables: the program's own
//
// All slots of a library lie in one section. A context has a copy of the whole section, and its threads know how far
// behind the section the copy lies. In a program there is no copy, and no code that would ask for one.
#pragma once

namespace pb {

struct Memo; // memo.h
namespace base {
class RandomStreams; // runtime/base/random.h
}

/// What differs between the contexts of a library. A program has one.
struct ExecutionContext {
  long slotShift = 0;      ///< bytes from a slot of the library to the same slot of this context
  int threads = 0;         ///< workers of this context; 0: those of the newest scheduler
  unsigned long run = 0;   ///< changes with every call from outside; atomic
  Memo *memos = nullptr;   ///< those of this context that remember something
  bool isUntrained = true; ///< whether it has its defaults alone
  void *owner = nullptr;   ///< what runtime/embed knows of it
  base::RandomStreams *random = nullptr; ///< of this context; null: those of the process
};

extern "C" {
/// That of the calling thread, never null. A program's is set from the beginning.
[[gnu::visibility("hidden")]] extern __thread ExecutionContext *pb_execution;
}

/// The same slot in the calling thread's context. It is no part of the object that `slot` points to, so the address is
/// computed as a number.
template <class T>
T *ofContext(T *slot) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<T *>(reinterpret_cast<__UINTPTR_TYPE__>(slot) +
                               static_cast<__UINTPTR_TYPE__>(pb_execution->slotShift));
}

/// Of a program.
template <class T, int N>
struct Slots {
  T own[N];
  T &operator[](long i) { return own[i]; }
};

/// Of a library.
template <class T, int N>
struct ContextSlots {
  T own[N];
  T &operator[](long i) { return ofContext(own)[i]; }
};

} // namespace pb
