// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/memory_limit.h"
#include "compiler/driver/problems.h"
#include "runtime/base/machine.h"
#include "runtime/base/pending_files.h"
#include "runtime/base/read_file.h"
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <llvm/Support/ErrorHandling.h>
#include <new>
#include <unistd.h>

namespace pbc::driver {
namespace {

constexpr std::chrono::milliseconds kInterval{10};

std::atomic<const char *> currentStep{nullptr};
std::atomic<bool> isEnding{false};

/// Ends the process without running destructors, because other threads are still working.
[[noreturn]] void endWith(const char *text) {
  if (isEnding.exchange(true)) // another thread is already printing the message
    for (;;)
      pause();
  pb::base::removePendingFiles();
  (void)!write(STDERR_FILENO, text, std::strlen(text));
  _exit(1);
}

const char *step() {
  const char *name = currentStep.load();
  return name ? name : "start";
}

/// This function must not allocate memory.
[[noreturn]] void endForMemory(const char *need) {
  char text[400];
  std::snprintf(
      text, sizeof text,
      "pbc: error: the compilation needs %s (in the step `%s`)\n"
      "help: large arrays, deep templates and constant expressions in raw blocks are usual reasons; "
      "--memory-limit=SIZE or PBC_MEMORY_LIMIT allows more, `none` any\n",
      need, step());
  endWith(text);
}

[[noreturn]] void noMemory() { endForMemory("more memory than the system gives"); }

void llvmNoMemory(void *, const char *, bool) { noMemory(); }

void llvmFatal(void *, const char *reason, bool) {
  char text[1000], why[600];
  std::snprintf(why, sizeof why, "%s", reason);
  std::snprintf(
      text, sizeof text,
      "pbc: internal error: LLVM failed in the step `%s`: %s\n"
      "help: this is a fault of pbc, not of your program; please report it with the program and this "
      "message\n",
      step(), why);
  endWith(text);
}

/// The process's own resident memory in bytes, without mapped files.
long residentBytes() {
  char text[128];
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  const ssize_t n = read(file, text, sizeof text - 1);
  close(file);
  text[n > 0 ? n : 0] = '\0';
  long size = 0, resident = 0, shared = 0;
  if (std::sscanf(text, "%ld %ld %ld", &size, &resident, &shared) != 3)
    return 0;
  return (resident - shared) * sysconf(_SC_PAGESIZE);
}

} // namespace

std::optional<long> sizeOf(const std::string &text) {
  if (text == "none")
    return 0;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string unit(end, text.data() + text.size());
  for (const char *ending : {"iB", "B"}) // 6GiB, 6GB
    if (unit.size() > std::strlen(ending) && unit.ends_with(ending))
      unit.resize(unit.size() - std::strlen(ending));
  const std::string units = "KMGT";
  const std::size_t power = unit.empty() ? 0 : units.find(unit[0]) + 1; // also 0 for npos
  if (error != std::errc{} || unit.size() > 1 || (!unit.empty() && power == 0))
    return std::nullopt;
  for (std::size_t i = 0; i < power; ++i)
    value *= 1024;
  if (!(value >= 1 && value < 1e18))
    return std::nullopt;
  return static_cast<long>(value);
}

long defaultMemoryLimit() { return pb::base::memoryOfMachine() / 2; }

MemoryLimit::MemoryLimit(long bytes) {
  std::set_new_handler(noMemory);
  llvm::install_bad_alloc_error_handler(llvmNoMemory);
  llvm::install_fatal_error_handler(llvmFatal);
  if (bytes > 0)
    watcher_ = std::thread([this, bytes] { watch(bytes); });
}

MemoryLimit::~MemoryLimit() {
  {
    const std::lock_guard lock(mutex_);
    isOver_ = true;
  }
  ends_.notify_all();
  if (watcher_.joinable())
    watcher_.join();
  llvm::remove_fatal_error_handler();
  llvm::remove_bad_alloc_error_handler();
  std::set_new_handler(nullptr);
}

void MemoryLimit::during(const char *name) { currentStep = name; }

void MemoryLimit::watch(long bytes) {
  const std::string need =
      fmt::format("more than {} of memory", pb::base::sizeText(static_cast<unsigned long>(bytes)));
  std::unique_lock lock(mutex_);
  while (!ends_.wait_for(lock, kInterval, [this] { return isOver_; }))
    if (residentBytes() > bytes)
      endForMemory(need.c_str());
}

} // namespace pbc::driver
