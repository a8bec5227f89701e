// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A compilation that needs too much memory ends with a message: not by the kernel's choice of a process, not in an
// abort of Clang, which cannot go on without memory.
//
//   MemoryLimit limit(memoryLimitOf("6G"));   // while it lives
//   limit.during("compile");                  // for the message
//
//   pbc: error: the compilation needs more than 6 GiB of memory (in the step `compile`)
//
// A thread looks at the memory in use every few milliseconds, so that what is only reserved (the stacks that deep
// expressions may need) does not count, and memory that isl, Clang or the linker take does. Starting it takes less
// than a tenth of a millisecond; a process for Clang alone would cost more than ten. An allocation that fails at once
// and LLVM's other fatal errors give messages in the same way. What is half written is removed.
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace pbc::driver {

/// Bytes: "6G", "500M", "1073741824", "none" (0). Nothing for what is no size.
std::optional<long> sizeOf(const std::string &text);

/// Half of the memory of this machine or container; 0, for no limit, if that is not known.
long defaultMemoryLimit();

class MemoryLimit {
public:
  /// 0: no limit, but messages where an allocation fails.
  explicit MemoryLimit(long bytes);
  MemoryLimit(const MemoryLimit &) = delete;
  MemoryLimit &operator=(const MemoryLimit &) = delete;
  ~MemoryLimit();

  /// The step that is under way; the text must outlive the object.
  static void during(const char *step);

private:
  void watch(long bytes);

  std::mutex mutex_;
  std::condition_variable ends_;
  bool isOver_ = false;
  std::thread watcher_;
};

} // namespace pbc::driver
