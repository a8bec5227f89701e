// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stores preambles (compiler/preamble/preamble.h) in memory and in the cache, which other processes share.
//
//   Preambles preambles(&cache);
//   preamble::Shared headers = preambles.get(request);      // from memory, from the cache, or parsed now
//   unit.preambles = [&](const preamble::Request &r) { return preambles.get(r); };
//
// The key consists of the text, the headers in memory, the arguments and the version of this compiler. An entry also
// lists the included files and is ignored if one of them has changed. Several threads and processes may call get() at
// once: threads wait for the one that parses; two processes may both parse, and the cache keeps one result.
//
// Invariant: get() returns a preamble of exactly these headers as they are now, or null. An entry that is missing,
// damaged or out of date is made again. If a preamble cannot be made, get() returns null for as long as the object
// lives.
#pragma once
#include "compiler/build/cache.h"
#include "compiler/preamble/preamble.h"
#include <map>
#include <mutex>

namespace pbc::build {

class Preambles {
public:
  /// Larger preambles are not kept in the cache, because they would displace many other entries.
  static constexpr std::size_t kMostBytesKept = std::size_t{64} << 20;

  /// If `cache` is null or disabled, nothing is written.
  explicit Preambles(Cache *cache) : cache_(cache) {}

  preamble::Shared get(const preamble::Request &);
  /// get() as a function object, for components that do not know this class.
  preamble::Source source();

  /// The number of preambles that this object has parsed, for tests and `--time-passes`.
  int parsed() const { return parsed_; }

  static Cache::Key key(const preamble::Request &);

private:
  preamble::Shared find(const Cache::Key &) const;

  Cache *cache_;
  std::mutex mutex_;
  std::map<Cache::Key, preamble::Shared> known_;
  int parsed_ = 0;
};

} // namespace pbc::build
