// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Preambles (compiler/preamble/preamble.h) of this process, and of others through the cache.
//
//   Preambles preambles(&cache);
//   preamble::Shared headers = preambles.get(request);      // parsed now, before in this process, or read
//   unit.preambles = [&](const preamble::Request &r) { return preambles.get(r); };
//
// The key holds the text, the headers in memory, the arguments and this compiler; an entry also lists the files
// that were included, and does not count when one of them has changed. Several threads and several processes may
// ask at once: threads wait for the one that parses, processes may parse both, and the cache keeps one.
//
// Invariant: null, or a preamble of exactly these headers as they are now. Whatever is wrong with an entry, it is
// made again; what cannot be made is null, for as long as this object lives.
#pragma once
#include "compiler/build/cache.h"
#include "compiler/preamble/preamble.h"
#include <map>
#include <mutex>

namespace pbc::build {

class Preambles {
public:
  /// Larger ones are not kept in the cache, where they would drive much else out.
  static constexpr std::size_t kMostBytesKept = std::size_t{64} << 20;

  /// `cache` may be null, or one that is always empty: then nothing is written.
  explicit Preambles(Cache *cache) : cache_(cache) {}

  preamble::Shared get(const preamble::Request &);
  /// get() as a function that others can have.
  preamble::Source source();

  /// How many were parsed here, not found: for tests and `--time-passes`.
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
