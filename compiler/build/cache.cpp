// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/cache.h"
#include "pbc/version.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#define XXH_STATIC_LINKING_ONLY // the size of a state
#include <xxhash.h>

namespace fs = std::filesystem;

namespace pbc::build {
namespace {

constexpr std::string_view kMagic = "pbccache";

/// The header of an entry.
struct EntryHeader {
  std::array<char, 8> magic;
  std::uint64_t size, low, high;
};

EntryHeader headerFor(std::string_view bytes) {
  const XXH128_hash_t sum = XXH3_128bits(bytes.data(), bytes.size());
  EntryHeader header{{}, bytes.size(), sum.low64, sum.high64};
  kMagic.copy(header.magic.data(), kMagic.size());
  return header;
}

Cache::Key hexadecimal(XXH128_hash_t sum) {
  static constexpr char digits[] = "0123456789abcdef";
  Cache::Key key;
  for (const std::uint64_t half : {sum.high64, sum.low64})
    for (int shift = 60; shift >= 0; shift -= 4)
      key += digits[half >> shift & 15];
  return key;
}

bool writeAll(int file, const void *data, std::size_t size) {
  const char *at = static_cast<const char *>(data);
  while (size) {
    const ssize_t n = write(file, at, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    at += n, size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool readAll(int file, void *data, std::size_t size) {
  char *at = static_cast<char *>(data);
  while (size) {
    const ssize_t n = read(file, at, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    at += n, size -= static_cast<std::size_t>(n);
  }
  return true;
}

/// The entry's bytes, or nothing if any of it is damaged.
std::optional<std::string> readEntry(int file) {
  EntryHeader header{};
  struct stat status{};
  if (fstat(file, &status) != 0 || !readAll(file, &header, sizeof header) ||
      static_cast<std::uint64_t>(status.st_size) != sizeof header + header.size)
    return std::nullopt;
  std::string bytes(header.size, '\0');
  if (!readAll(file, bytes.data(), bytes.size()))
    return std::nullopt;
  const EntryHeader expected = headerFor(bytes);
  if (std::memcmp(&expected, &header, sizeof header) != 0)
    return std::nullopt;
  return bytes;
}

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

struct Entry {
  fs::path path;
  std::uint64_t size;
  fs::file_time_type used;
};

/// Returns all entries; removes leftovers of writers that died.
std::vector<Entry> listEntries(const fs::path &folder) {
  std::vector<Entry> entries;
  std::error_code problem;
  for (fs::recursive_directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    std::error_code gone; // for entries that other processes remove
    if (!at->is_regular_file(gone) || gone)
      continue;
    const fs::file_time_type used = at->last_write_time(gone);
    const std::uint64_t size = at->file_size(gone);
    if (gone)
      continue;
    const std::string name = at->path().filename().string();
    if (name.starts_with("tmp-")) {
      if (used < fs::file_time_type::clock::now() - std::chrono::hours(1))
        fs::remove(at->path(), gone);
    } else if (name != "lock") {
      entries.push_back({at->path(), size, used});
    }
  }
  return entries;
}

} // namespace

struct Cache::Hasher::State {
  XXH3_state_t xx;
};

Cache::Hasher::Hasher() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xx); }
Cache::Hasher::~Hasher() = default;

Cache::Hasher &Cache::Hasher::add(std::string_view part) {
  const std::uint64_t size = part.size();
  XXH3_128bits_update(&state_->xx, &size, sizeof size);
  XXH3_128bits_update(&state_->xx, part.data(), part.size());
  return *this;
}

Cache::Key Cache::Hasher::finish() const { return hexadecimal(XXH3_128bits_digest(&state_->xx)); }

Cache::Key contentHash(std::string_view bytes) {
  return hexadecimal(XXH3_128bits(bytes.data(), bytes.size()));
}

fs::path Cache::defaultFolder() {
  if (std::getenv("PBC_CACHE_DIR"))
    return variable("PBC_CACHE_DIR");
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return fs::path(cache) / "pbc";
  if (const std::string home = variable("HOME"); !home.empty())
    return fs::path(home) / ".cache" / "pbc";
  return {};
}

Cache::Cache(fs::path folder, std::uint64_t limit) : folder_(std::move(folder)), limit_(limit) {
  if (folder_.empty())
    return;
  std::error_code problem;
  fs::create_directories(folder_, problem);
  enabled_ = !problem && access(folder_.c_str(), R_OK | W_OK | X_OK) == 0;
}

fs::path Cache::pathOf(const Key &key) const { return folder_ / key.substr(0, 2) / key.substr(2); }

std::optional<std::string> Cache::get(const Key &key) const {
  if (!enabled_)
    return std::nullopt;
  const fs::path path = pathOf(key);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return std::nullopt;
  auto bytes = readEntry(file);
  if (bytes)
    futimens(file, nullptr); // used now
  else
    unlink(path.c_str());
  close(file);
  return bytes;
}

void Cache::put(const Key &key, std::string_view bytes) {
  if (!enabled_)
    return;
  const fs::path path = pathOf(key);
  std::error_code problem;
  fs::create_directories(path.parent_path(), problem);
  std::string temporary = (folder_ / "tmp-XXXXXX").string();
  const int file = mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0)
    return;
  const EntryHeader header = headerFor(bytes);
  const bool written = writeAll(file, &header, sizeof header) && writeAll(file, bytes.data(), bytes.size());
  close(file);
  if (!written || std::rename(temporary.c_str(), path.c_str()) != 0)
    unlink(temporary.c_str());

  // Listing the whole folder takes milliseconds, so it is done once for every 64th of the limit that a
  // process writes, and for one new entry in 64, chosen by its key, so that many short processes do it, too.
  static std::atomic<std::uint64_t> written64{0};
  const bool much = (written64 += bytes.size()) > limit_ / 64;
  if (much)
    written64 = 0;
  if (much || (key.size() > 1 && key[0] == '0' && key[1] < '4'))
    prune();
}

void Cache::prune() {
  if (!enabled_)
    return;
  const int lock = open((folder_ / "lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (lock < 0)
    return;
  if (flock(lock, LOCK_EX | LOCK_NB) == 0) { // otherwise another process is pruning
    std::vector<Entry> entries = listEntries(folder_);
    std::uint64_t total = 0;
    for (const Entry &entry : entries)
      total += entry.size;
    if (total > limit_) {
      std::sort(entries.begin(), entries.end(),
                [](const Entry &a, const Entry &b) { return a.used < b.used; });
      for (const Entry &entry : entries) {
        if (total <= limit_ / 5 * 4)
          break;
        unlink(entry.path.c_str());
        total -= entry.size;
      }
    }
  }
  close(lock);
}

const std::string &compilerIdentity() {
  static const std::string identity = [] {
    struct stat self{};
    std::string text = PBC_NAME_AND_VERSION " clang " PBC_LLVM_VERSION;
    if (stat("/proc/self/exe", &self) == 0)
      text += " " + std::to_string(self.st_size) + " " + std::to_string(self.st_mtim.tv_sec) + "." +
              std::to_string(self.st_mtim.tv_nsec);
    return text;
  }();
  return identity;
}

} // namespace pbc::build
