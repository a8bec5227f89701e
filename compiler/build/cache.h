// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results on disk, found again by the content of everything that decides them.
//
//   Cache cache(Cache::defaultFolder());
//   Cache::Key key = Cache::Hasher().add("object 1").add(text).add(options).finish();
//   if (auto bytes = cache.get(key)) return *bytes;
//   cache.put(key, make());
//
// Invariants: get() returns exactly what put() was given or nothing (each entry carries a checksum; a damaged
// one is removed); several processes may use one folder; a folder that cannot be written makes a cache that
// is always empty, without a message. When the folder grows past its limit, the least recently used entries
// are removed first.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pbc::build {

class Cache {
public:
  /// 128 bits of xxHash3 as 32 hexadecimal digits.
  using Key = std::string;

  /// Each part is hashed with its length, so ("ab", "c") and ("a", "bc") are different.
  class Hasher {
  public:
    Hasher();
    ~Hasher();
    Hasher &add(std::string_view part);
    Key finish() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
  };

  static constexpr std::uint64_t kDefaultLimit = std::uint64_t{1} << 30;

  /// $PBC_CACHE_DIR, else $XDG_CACHE_HOME/pbc, else ~/.cache/pbc. Empty, for no cache, when PBC_CACHE_DIR is
  /// set and empty or when none of these is known.
  static std::filesystem::path defaultFolder();

  /// `limit`: bytes of all entries together. An empty folder name makes a cache that is always empty.
  explicit Cache(std::filesystem::path folder, std::uint64_t limit = kDefaultLimit);

  bool enabled() const { return enabled_; }
  const std::filesystem::path &folder() const { return folder_; }

  std::optional<std::string> get(const Key &) const;
  void put(const Key &, std::string_view bytes);

  /// If the limit is passed, removes the least recently used entries until four fifths of the limit are left.
  /// put() does so now and then.
  void prune();

private:
  std::filesystem::path pathOf(const Key &) const;

  std::filesystem::path folder_;
  std::uint64_t limit_;
  bool enabled_ = false;
};

/// The content's checksum as a Key; a cached result uses it to record the files from which it was made.
Cache::Key contentHash(std::string_view bytes);

/// A text that changes whenever this compiler changes: its version and the size and time of its executable.
/// It is part of keys of results that depend on more than a text and its options.
const std::string &compilerIdentity();

} // namespace pbc::build
