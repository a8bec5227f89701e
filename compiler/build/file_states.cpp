// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/file_states.h"
#include "compiler/build/cache.h"
#include "runtime/base/read_file.h"

#include <algorithm>
#include <ctime>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace pbc::build {
namespace {

/// Within this time after its last change a file may change again without getting another time of change.
constexpr FileStates::Time kGranularity = 2'000'000'000;

FileStates::Time nanoseconds(const timespec &t) { return t.tv_sec * 1'000'000'000L + t.tv_nsec; }

/// The file system's data about a file; the same stamp means the same content.
struct Stamp {
  std::int64_t exists = 0, device = 0, inode = 0, size = 0, modified = 0, changed = 0;
  bool operator==(const Stamp &) const = default;
};

Stamp stampOf(const std::string &path) {
  struct stat s{};
  if (stat(path.c_str(), &s) != 0)
    return {};
  return {1,
          static_cast<std::int64_t>(s.st_dev),
          static_cast<std::int64_t>(s.st_ino),
          s.st_size,
          nanoseconds(s.st_mtim),
          nanoseconds(s.st_ctim)};
}

/// "" if the path is no regular file or cannot be read.
std::string hashOf(const std::string &path) {
  struct stat s{};
  const int file = pb::base::openWithoutWaiting(path);
  bool isGood = file >= 0 && fstat(file, &s) == 0 && S_ISREG(s.st_mode);
  Cache::Hasher hasher;
  std::vector<char> part(1 << 18); // a library is large
  for (ssize_t n = 1; isGood && n > 0;) {
    n = read(file, part.data(), part.size());
    isGood = n >= 0;
    if (n > 0)
      hasher.add({part.data(), static_cast<std::size_t>(n)});
  }
  if (file >= 0)
    close(file);
  return isGood ? hasher.finish() : "";
}

/// The record of one file in the text: this header, then the path, then the content's hash.
struct Head {
  Stamp stamp; // exists == 0: no reliable stamp, or no file
  std::int64_t isThere, pathSize, hashSize;
};

struct State {
  Head head;
  std::string path;
  std::string_view hash;
};

/// Removes the first state from `rest` and returns it; nothing if the text ends too early.
std::optional<State> takeState(std::string_view &rest) {
  State state{};
  if (rest.size() < sizeof state.head)
    return std::nullopt;
  rest.copy(reinterpret_cast<char *>(&state.head), sizeof state.head);
  rest.remove_prefix(sizeof state.head);
  const auto pathSize = static_cast<std::size_t>(state.head.pathSize),
             hashSize = static_cast<std::size_t>(state.head.hashSize);
  if (rest.size() < pathSize || rest.size() - pathSize < hashSize)
    return std::nullopt;
  state.path = rest.substr(0, pathSize);
  state.hash = rest.substr(pathSize, hashSize);
  rest.remove_prefix(pathSize + hashSize);
  return state;
}

} // namespace

FileStates::Time FileStates::now() {
  timespec t{};
  clock_gettime(CLOCK_REALTIME, &t);
  return nanoseconds(t);
}

std::optional<std::string> FileStates::of(const std::vector<std::string> &paths, Time begin) {
  std::vector<std::string> sorted = paths;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::string states;
  for (const std::string &path : sorted) {
    const Stamp stamp = stampOf(path);
    if (stamp.exists && (stamp.changed > begin || stamp.modified > begin))
      return std::nullopt;
    const std::string hash = stamp.exists ? hashOf(path) : "";
    if (stamp.exists && hash.empty())
      return std::nullopt; // it cannot be read, or reading it again may give something else
    const bool isOld = stamp.exists && stamp.changed < begin - kGranularity;
    const Head head{isOld ? stamp : Stamp{}, stamp.exists, static_cast<std::int64_t>(path.size()),
                    static_cast<std::int64_t>(hash.size())};
    states.append(reinterpret_cast<const char *>(&head), sizeof head).append(path).append(hash);
  }
  return states;
}

bool FileStates::areSame(std::string_view states) {
  while (!states.empty()) {
    const auto state = takeState(states);
    if (!state)
      return false;
    const Stamp stamp = stampOf(state->path);
    if (stamp.exists != state->head.isThere)
      return false;
    if (stamp.exists && stamp != state->head.stamp && hashOf(state->path) != state->hash)
      return false;
  }
  return true;
}

std::vector<std::string> FileStates::paths(std::string_view states) {
  std::vector<std::string> all;
  while (const auto state = takeState(states))
    if (state->head.isThere)
      all.push_back(state->path);
  return all;
}

} // namespace pbc::build
