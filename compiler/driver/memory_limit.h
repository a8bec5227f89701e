// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ends a compilation that needs too much memory with a message, instead of leaving it to the kernel, which
// would kill some process, or to Clang, which aborts without memory.
//
//   MemoryLimit limit(memoryLimitOf("6G"));   // while it lives
//   limit.during("compile");                  // for the message
//
//   pbc: error: the compilation needs more than 6 GiB of memory (in the step `compile`)
//
// A thread checks the memory in use every few milliseconds. So memory that is only reserved (the stacks that
// deep expressions may need) does not count, but memory of isl, Clang and the linker does. Starting the
// thread takes less than a tenth of a millisecond; a separate process for Clang would take more than ten. An
// allocation that fails at once and LLVM's other fatal errors give messages in the same way. Incomplete files are
// removed.
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace pbc::driver {

/// The number of bytes: "6G", "500M", "1073741824", "none" (0). Nothing if the text is not a size.
std::optional<long> sizeOf(const std::string &text);

/// Half of the memory of this machine or container; 0, for no limit, if that is not known.
long defaultMemoryLimit();

class MemoryLimit {
public:
  /// 0: no limit, but there are messages if an allocation fails.
  explicit MemoryLimit(long bytes);
  MemoryLimit(const MemoryLimit &) = delete;
  MemoryLimit &operator=(const MemoryLimit &) = delete;
  ~MemoryLimit();

  /// Sets the step that is under way; the text must outlive the object.
  static void during(const char *step);

private:
  void watch(long bytes);

  std::mutex mutex_;
  std::condition_variable ends_;
  bool isOver_ = false;
  std::thread watcher_;
};

} // namespace pbc::driver
