// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled kernels on disk, found again by a key of everything that decides them (petabricks-hetero 7.3,
// requirement 83).
//
//   KernelCache cache(KernelCache::standardFolder());
//   const std::string key = kernelKey(device.about(), options, wholeText, source.entry);
//   if (auto binary = cache.get(key)) ...
//   cache.put(key, binary);
//
// Invariants: get() returns exactly what put() was given, or nothing (each entry carries a checksum; a
// damaged one is removed); several processes and threads may use one folder; a folder that cannot be written
// makes a cache that is always empty, without a message. When the folder grows past its limit, the entries
// that were not used for longest are removed first. compiler/build/cache.h is the compiler's own cache, which
// programs do not contain.
#pragma once
#include "runtime/device/device.h"
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace pb::device {

class KernelCache {
public:
  static constexpr std::uint64_t kStandardLimit = std::uint64_t{256} << 20;

  /// $PB_KERNEL_CACHE, else $XDG_CACHE_HOME/pbc/kernels, else ~/.cache/pbc/kernels. Empty, which means no
  /// cache, when PB_KERNEL_CACHE is set and empty or when none of these is known.
  static std::filesystem::path standardFolder();

  /// `limit`: bytes of all entries together. An empty folder name makes a cache that is always empty.
  explicit KernelCache(std::filesystem::path folder, std::uint64_t limit = kStandardLimit);

  std::optional<std::string> get(const std::string &key) const;
  void put(const std::string &key, std::string_view binary) const;

  /// If the limit is passed, removes the least recently used entries until four fifths of the limit are left.
  /// put() does so now and then.
  void prune() const;

private:
  std::filesystem::path folder_;
  std::uint64_t limit_;
};

/// A key of 32 hexadecimal digits. `text` includes the prelude and the sizes of groups.
std::string kernelKey(const Description &, std::string_view options, std::string_view text,
                      std::string_view entry);

} // namespace pb::device
