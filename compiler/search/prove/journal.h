// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The times of scripts that searches have measured, in memory and in a file: one line of JSON each.
//
//   {"pbc_search": 2}
//   {"of": "MM.rule0 at h = 256, ... on ... (3f0a...)", "script": "tile(y; 4); ...", "fate": "measured", "seconds": 0.0019, "runs": 10}
//
// A file may have the times of many kernels, sizes and processors; a search takes those of its own, and a kernel whose text has changed is
// another one. A file that is no journal is refused and stays as it is. Invariant: a line is complete or is left out, so that a search that was
// killed can go on; a time that is only known to be too long for a comparison is kept as such.
#pragma once
#include "compiler/search/measure/worker.h"
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

namespace pbc::search {

/// What a time is a time of. `kernel` is the kernel's text.
std::string journalKey(const std::string &name, const std::string &sizes, const std::string &processor,
                       const std::string &kernel);

class Journal {
public:
  /// In memory only.
  Journal() = default;
  /// Reads what the file has of the key, and adds to it. Throws std::runtime_error with a sentence.
  Journal(const std::string &path, std::string key);
  ~Journal();
  Journal(const Journal &) = delete;
  Journal &operator=(const Journal &) = delete;

  /// What is known of a script; null: nothing.
  const Measurement *find(const std::string &script) const;
  /// What is known of a program, whichever script it came from. `program`: a hash of its text.
  const Measurement *findProgram(std::uint64_t program) const;
  /// `program`: 0 if it is not known.
  void add(const std::string &script, const Measurement &, std::uint64_t program = 0);

private:
  std::string key_;
  std::map<std::string, Measurement> known_;
  std::map<std::uint64_t, Measurement> programs_;
  std::FILE *file_ = nullptr;
};

} // namespace pbc::search
