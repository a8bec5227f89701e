// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/kernel_cache.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#define XXH_INLINE_ALL // header-only, because programs would otherwise have to link the library
#include <xxhash.h>

namespace fs = std::filesystem;

namespace pb::device {
namespace {

/// The header of an entry.
struct KernelHeader {
  char magic[8] = {'p', 'b', 'k', 'e', 'r', 'n', 'e', 'l'};
  std::uint64_t size = 0, low = 0, high = 0;
  explicit KernelHeader(std::string_view bytes) : size(bytes.size()) {
    const XXH128_hash_t sum = XXH3_128bits(bytes.data(), bytes.size());
    low = sum.low64, high = sum.high64;
  }
};

struct CachedKernel {
  fs::path path;
  std::uint64_t size;
  fs::file_time_type used;
};

/// Returns all entries; removes leftovers of writers that died.
std::vector<CachedKernel> cachedKernels(const fs::path &folder) {
  std::vector<CachedKernel> entries;
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
    std::error_code gone; // for entries that other processes remove
    const fs::file_time_type used = at->last_write_time(gone);
    const std::uint64_t size = at->file_size(gone);
    const std::string name = at->path().filename().string();
    if (gone || name == "lock")
      continue;
    if (!name.starts_with("tmp-"))
      entries.push_back({at->path(), size, used});
    else if (used < fs::file_time_type::clock::now() - std::chrono::hours(1))
      fs::remove(at->path(), gone);
  }
  return entries;
}

} // namespace

fs::path KernelCache::standardFolder() {
  if (const char *named = std::getenv("PB_KERNEL_CACHE"))
    return named;
  if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    return fs::path(cache) / "pbc" / "kernels";
  if (const char *home = std::getenv("HOME"); home && *home)
    return fs::path(home) / ".cache" / "pbc" / "kernels";
  return {};
}

KernelCache::KernelCache(fs::path folder, std::uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}

std::optional<std::string> KernelCache::get(const std::string &key) const {
  if (folder_.empty())
    return std::nullopt;
  const fs::path path = folder_ / key;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return std::nullopt;
  std::ostringstream all;
  all << file.rdbuf();
  std::string bytes = std::move(all).str();
  std::string binary = bytes.substr(std::min(bytes.size(), sizeof(KernelHeader)));
  const KernelHeader expected(binary);
  if (bytes.size() < sizeof expected || std::memcmp(bytes.data(), &expected, sizeof expected) != 0) {
    unlink(path.c_str());
    return std::nullopt;
  }
  utimensat(AT_FDCWD, path.c_str(), nullptr, 0); // used now
  return binary;
}

void KernelCache::put(const std::string &key, std::string_view binary) const {
  if (folder_.empty())
    return;
  std::error_code problem;
  fs::create_directories(folder_, problem);
  std::string temporary = (folder_ / "tmp-XXXXXX").string();
  const int descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0)
    return;
  close(descriptor);
  std::ofstream file(temporary, std::ios::binary);
  const KernelHeader header(binary);
  file.write(reinterpret_cast<const char *>(&header), sizeof header);
  file.write(binary.data(), static_cast<std::streamsize>(binary.size()));
  file.close();
  if (!file || std::rename(temporary.c_str(), (folder_ / key).c_str()) != 0)
    unlink(temporary.c_str());

  // Listing the folder takes milliseconds, so it is done once for every 64th of the limit that a process
  // writes, and for one new entry in 16, chosen by its key, so that many short processes do it, too.
  static std::atomic<std::uint64_t> written{0};
  const bool much = (written += binary.size()) > limit_ / 64;
  if (much)
    written = 0;
  if (much || key.starts_with('0'))
    prune();
}

void KernelCache::prune() const {
  const int lock = open((folder_ / "lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (lock < 0)
    return;
  if (flock(lock, LOCK_EX | LOCK_NB) == 0) { // otherwise another process is pruning
    std::vector<CachedKernel> entries = cachedKernels(folder_);
    std::uint64_t total = 0;
    for (const CachedKernel &entry : entries)
      total += entry.size;
    if (total > limit_) {
      std::sort(entries.begin(), entries.end(),
                [](const CachedKernel &a, const CachedKernel &b) { return a.used < b.used; });
      for (const CachedKernel &entry : entries) {
        if (total <= limit_ / 5 * 4)
          break;
        unlink(entry.path.c_str());
        total -= entry.size;
      }
    }
  }
  close(lock);
}

std::string kernelKey(const Description &about, std::string_view options, std::string_view text,
                      std::string_view entry) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  for (const std::string_view part :
       {std::string_view("kernel 1"), std::string_view(about.api), std::string_view(about.name),
        std::string_view(about.driver), options, text, entry}) {
    const std::uint64_t size = part.size(); // distinguishes ("ab", "c") from ("a", "bc")
    XXH3_128bits_update(&state, &size, sizeof size);
    XXH3_128bits_update(&state, part.data(), part.size());
  }
  const XXH128_hash_t sum = XXH3_128bits_digest(&state);
  std::string key;
  for (const std::uint64_t half : {sum.high64, sum.low64})
    for (int shift = 60; shift >= 0; shift -= 4)
      key += "0123456789abcdef"[half >> shift & 15];
  return key;
}

} // namespace pb::device
