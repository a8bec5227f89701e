// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/journal/journal.h"

#include "tuner/journal/read_journal.h"
#include "tuner/space/program_space.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <unistd.h>

namespace pbc::tuner {
namespace {

using Statement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt *)>;

Statement prepare(sqlite3 *database, const char *text) {
  sqlite3_stmt *statement = nullptr;
  sqlite3_prepare_v2(database, text, -1, &statement, nullptr);
  return {statement, sqlite3_finalize};
}

void bindText(const Statement &statement, int index, const std::string &text) {
  sqlite3_bind_text(statement.get(), index, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

/// Differs from that of every other process: its number and when it was first asked for this.
const std::string &sessionOfThisProcess() {
  static const std::string session =
      fmt::format("{}-{}", getpid(), std::chrono::system_clock::now().time_since_epoch().count());
  return session;
}

} // namespace

std::string journalHelp(int code) {
  switch (code & 0xff) { // without its details
  case SQLITE_NOTADB:
  case SQLITE_CORRUPT:
  case SQLITE_ERROR: // the tables are not those of a journal
    return "it is broken, or no journal of pbc tune; delete or rename it: the next tuning makes a new one";
  case SQLITE_READONLY:
  case SQLITE_CANTOPEN:
  case SQLITE_PERM:
    return "write the result where you may write, with --output=FILE";
  case SQLITE_FULL:
    return "make room there, or write the result elsewhere, with --output=FILE";
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return "another tuning may be using it; --output=FILE writes elsewhere";
  default:
    return "--output=FILE writes elsewhere";
  }
}

std::string journalPath(const std::string &configuration) {
  return std::filesystem::path(configuration).replace_extension(".tune.sqlite").string();
}

Journal::Journal(const std::string &path) : path_(path) {
  if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK) {
    const std::string why = sqlite3_errmsg(database_);
    sqlite3_close(database_);
    database_ = nullptr;
    throw TunerError(fmt::format("{}: the journal cannot be opened: {}\n"
                                 "  help: write the result where you may write, with --output=FILE",
                                 path, why));
  }
  sqlite3_busy_timeout(database_, 5000); // another tuning of the same program
  try {
    run("pragma journal_mode = wal");
    run("pragma synchronous = normal");
    run("create table if not exists trials (id integer primary key, "
        "time text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), program_hash text not null, "
        "machine text not null, size text not null, config_key text not null, toml text not null, "
        "seconds text not null, outcome text not null, reason text not null, time_limit real not null, "
        "joules text, bytes real, session text)");
    addMissingColumns();
  } catch (...) {
    sqlite3_close(database_);
    throw;
  }
}

Journal::~Journal() {
  sqlite3_close(database_);
  // SQLite leaves its own files in place if somebody has deleted the journal meanwhile; nothing can use them.
  std::error_code problem;
  if (!std::filesystem::exists(path_, problem) && !problem)
    for (const char *suffix : {"-wal", "-shm"})
      std::filesystem::remove(path_ + suffix, problem);
}

void Journal::fail(const std::string &doing) const {
  throw TunerError(fmt::format("{}: the journal cannot be {}: {}\n"
                               "  help: {}",
                               path_, doing, sqlite3_errmsg(database_),
                               journalHelp(sqlite3_errcode(database_))));
}

void Journal::run(const char *statement) {
  if (sqlite3_exec(database_, statement, nullptr, nullptr, nullptr) != SQLITE_OK)
    fail("used");
}

void Journal::addMissingColumns() {
  for (const auto &[name, type] : {std::pair{"joules", "text"}, {"bytes", "real"}, {"session", "text"}})
    if (!prepare(database_, fmt::format("select {} from trials", name).c_str()))
      run(fmt::format("alter table trials add column {} {}", name, type).c_str());
}

void Journal::add(const JournalEntry &entry) {
  const Statement statement = prepare(
      database_, "insert into trials (program_hash, machine, size, config_key, toml, seconds, outcome, "
                 "reason, time_limit, joules, bytes, session) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (!statement)
    fail("written");
  bindText(statement, 1, entry.programHash);
  bindText(statement, 2, entry.machine);
  bindText(statement, 3, entry.size);
  bindText(statement, 4, entry.configurationKey);
  bindText(statement, 5, entry.toml);
  bindText(statement, 6, nlohmann::json(entry.seconds).dump());
  bindText(statement, 7, entry.outcome);
  bindText(statement, 8, entry.reason);
  sqlite3_bind_double(statement.get(), 9, entry.limit);
  if (!entry.joules.empty())
    bindText(statement, 10, nlohmann::json(entry.joules).dump());
  if (entry.bytes)
    sqlite3_bind_double(statement.get(), 11, *entry.bytes);
  bindText(statement, 12, sessionOfThisProcess());
  if (sqlite3_step(statement.get()) != SQLITE_DONE)
    fail("written");
}

void Journal::add(const JournalBounds &bounds) {
  run("create table if not exists bounds (id integer primary key, "
      "time text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), program_hash text not null, "
      "machine text not null, size text not null, text text not null)");
  const Statement statement =
      prepare(database_, "insert into bounds (program_hash, machine, size, text) values (?, ?, ?, ?)");
  if (!statement)
    fail("written");
  bindText(statement, 1, bounds.programHash);
  bindText(statement, 2, bounds.machine);
  bindText(statement, 3, bounds.size);
  bindText(statement, 4, bounds.text);
  if (sqlite3_step(statement.get()) != SQLITE_DONE)
    fail("written");
}

std::vector<JournalEntry> Journal::load(const std::string &programHash, const std::string &machine) const {
  std::vector<JournalEntry> entries = readJournal(path_);
  std::erase_if(entries, [&](const JournalEntry &entry) {
    return entry.programHash != programHash || entry.machine != machine;
  });
  return entries;
}

} // namespace pbc::tuner
