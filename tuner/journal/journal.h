// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every measurement of every tuning, written to disk at once: an interrupted tuning loses nothing, and the
// next one of the same program on the same machine starts with what is known.
//
//   Journal journal("prog.tune.sqlite");
//   journal.add({program hash, machine, sizes, configuration, TOML, {0.03, 0.031}, "ok", ""});
//   journal.load(program hash, machine)   ->  the entries, oldest first
//
// Table trials: id, time (UTC), program_hash, machine, size, config_key, toml, seconds (JSON list), outcome
// ("ok", "left out" or the name of the failure), reason, time_limit, joules (JSON list or null), bytes (or null).
// Table bounds, if bounds were asked for: id, time, program_hash, machine, size, text (JSON).
// Journals of earlier versions get the columns that they lack. To read it:
//
//   sqlite3 prog.tune.sqlite "select * from trials"
//
// Invariant: rows are only added. Source: tuning-practice.md 1.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct sqlite3;

namespace pbc::tuner {

struct JournalEntry {
  std::string programHash;
  std::string machine;
  /// All that decides what is run: sizes, inputs (the seed is that of the first process), threads.
  std::string size;
  std::string configurationKey;
  std::string toml;
  std::vector<double> seconds;
  std::string outcome = "ok";
  std::string reason;
  /// The limit that it exceeded: seconds of a run, bytes if it was out of memory, seconds of a kernel's
  /// compilation. With a larger limit it may be tried again.
  double limit = 0;
  std::vector<double> joules = {};  // of each run, if energy was measured
  std::optional<double> bytes = {}; // the most at once, if memory was measured
  std::string time = "";            // UTC, "2026-11-21T12:34:56.789Z"; set by the journal
  /// The process that measured it, set by the journal; "" in journals of earlier versions.
  std::string session = "";
};

/// The outcome of a configuration that was not run, because its bound is above a known time; `limit` is the bound.
inline constexpr const char *kLeftOut = "left out";

/// Bounds of the main transform's alternatives at one size, as text.
struct JournalBounds {
  std::string programHash, machine, size, text;
};

/// How to mend an error of SQLite with this code: the file is in use, or is not a journal.
std::string journalHelp(int code);

/// The path of the journal, beside the configuration.
std::string journalPath(const std::string &configuration);

class Journal {
public:
  /// Throws TunerError if the file exists but is no journal, or cannot be written.
  explicit Journal(const std::string &path);
  ~Journal();
  Journal(const Journal &) = delete;
  Journal &operator=(const Journal &) = delete;

  void add(const JournalEntry &);
  void add(const JournalBounds &);
  std::vector<JournalEntry> load(const std::string &programHash, const std::string &machine) const;
  const std::string &path() const { return path_; }

private:
  void run(const char *statement);
  void addMissingColumns();
  [[noreturn]] void fail(const std::string &doing) const;

  std::string path_;
  sqlite3 *database_ = nullptr;
};

} // namespace pbc::tuner
