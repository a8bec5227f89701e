// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The times of scripts that a search has measured, in memory and in a file: one line of JSON each.
//
//   {"pbc_search": 1, "kernel": "MM.rule0", "sizes": "h=256 k=256 w=256", "processor": "..."}
//   {"script": "tile(y; 4); ...", "fate": "measured", "seconds": 0.0019, "runs": 10}
//
// A journal of another kernel, of other sizes or of another processor is refused. Invariant: a line is complete or is left out, so that a
// search that was killed can go on; a time that is only known to be too long for a comparison is kept as such.
#pragma once
#include "compiler/search/measure/worker.h"
#include <cstdio>
#include <map>
#include <string>

namespace pbc::search {

struct JournalKey {
  std::string kernel, sizes, processor;
  bool operator==(const JournalKey &) const = default;
};

class Journal {
public:
  /// In memory only.
  Journal() = default;
  /// Reads what the file has, and adds to it. Throws std::runtime_error with a sentence.
  Journal(const std::string &path, const JournalKey &);
  ~Journal();
  Journal(const Journal &) = delete;
  Journal &operator=(const Journal &) = delete;

  /// What is known of a script; null: nothing.
  const Measurement *find(const std::string &script) const;
  void add(const std::string &script, const Measurement &);
  std::size_t size() const { return known_.size(); }
  const std::map<std::string, Measurement> &all() const { return known_; }

private:
  std::map<std::string, Measurement> known_;
  std::FILE *file_ = nullptr;
};

/// "measured", "not compiled", ...
const char *nameOf(Fate);

} // namespace pbc::search
