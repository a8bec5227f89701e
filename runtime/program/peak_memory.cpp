// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/peak_memory.h"
#include "runtime/matrix/storage.h"
#include "runtime/matrix/storage_pool.h"
#include <algorithm>
#include <barrier>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <malloc.h>
#include <string>
#include <thread>
#include <vector>

namespace pb::program {
namespace {

/// A value of /proc/self/status, in bytes; 0 if there is no such line.
double statusBytes(const char *name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind(name, 0) == 0)
      return 1024 * std::strtod(line.c_str() + std::strlen(name), nullptr);
  return 0;
}

bool beginPeak() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

constexpr double kLeast = 256 << 10; // each processor counts some 30 pages separately
constexpr int kTrim = 128 << 10, kKeep = 64 << 20, kMapped = 32 << 20;

/// Threads that have ended leave their parts of malloc's memory (arenas) to later threads, and malloc_trim()
/// does not free the end of each arena. If a thread takes an arena over and frees a block in it, that end is
/// returned to the system. The calling thread, which is one of the workers, keeps its own.
void trimArenas(int arenas) {
  // This is the value that it reaches by itself, once large blocks have been freed.
  mallopt(M_MMAP_THRESHOLD, kMapped);
  mallopt(M_TRIM_THRESHOLD, kTrim);
  std::barrier together(arenas); // so that each has an arena of its own
  const auto freeEnd = [](auto &&whileAllocated) {
    void *volatile block = std::malloc(kTrim * 3 / 4);
    whileAllocated();
    std::free(block);
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < arenas; ++i)
    threads.emplace_back([&] { freeEnd([&] { together.arrive_and_wait(); }); });
  threads.clear();
  freeEnd([] {});
  malloc_trim(0);
  mallopt(M_TRIM_THRESHOLD, kKeep);
}

} // namespace

PeakMemory::PeakMemory(int threads) {
  matrix::emptyPool();
  trimArenas(threads + 2);
  beginPeak();
  before_ = statusBytes("VmRSS:");
  matrix::watchStorage(true);
}

PeakMemory::~PeakMemory() { matrix::watchStorage(false); }

double PeakMemory::bytes() const {
  const auto matrices = static_cast<double>(matrix::mostStorage());
  const double others = statusBytes("VmHWM:") - before_ - matrices;
  return matrices + (others >= kLeast ? others : 0);
}

bool knowsPeakMemory() { return statusBytes("VmHWM:") > 0 && beginPeak(); }

} // namespace pb::program
