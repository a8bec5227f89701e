// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/journal/read_journal.h"

#include "tuner/journal/journal.h"
#include "tuner/space/program_space.h"

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

namespace pbc::tuner {
namespace {

struct Closer {
  void operator()(sqlite3 *database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt *statement) const { sqlite3_finalize(statement); }
};

using Database = std::unique_ptr<sqlite3, Closer>;
using Query = std::unique_ptr<sqlite3_stmt, Closer>;

constexpr const char *kColumns =
    "program_hash, machine, size, config_key, toml, seconds, outcome, reason, time_limit, time";

/// Writes a path as SQLite's URI, in which `?`, `#` and `%` have a meaning.
std::string uriOf(const std::string &path) {
  std::string uri = "file:";
  for (const char c : path)
    uri += c == '?' || c == '#' || c == '%' ? fmt::format("%{:02x}", static_cast<unsigned char>(c))
                                            : std::string(1, c);
  return uri;
}

Database open(const std::string &uri) {
  sqlite3 *database = nullptr;
  sqlite3_open_v2(uri.c_str(), &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  if (database)
    sqlite3_busy_timeout(database, 5000);
  return Database(database);
}

/// Journals of earlier versions have no columns for energy and memory, or none for the session.
Query ask(const Database &database) {
  sqlite3_stmt *statement = nullptr;
  for (const char *others : {"joules, bytes, session", "joules, bytes, null", "null, null, null"}) {
    const std::string query = fmt::format("select {}, {} from trials order by id", kColumns, others);
    if (sqlite3_prepare_v2(database.get(), query.c_str(), -1, &statement, nullptr) == SQLITE_OK)
      break;
  }
  return Query(statement);
}

std::string text(const Query &row, int index) {
  const auto *data = reinterpret_cast<const char *>(sqlite3_column_text(row.get(), index));
  return data ? std::string(data, static_cast<std::size_t>(sqlite3_column_bytes(row.get(), index))) : "";
}

std::vector<double> numbers(const std::string &json) {
  std::vector<double> all;
  if (const auto list = nlohmann::json::parse(json, nullptr, false); list.is_array())
    for (const auto &value : list)
      if (value.is_number())
        all.push_back(value.get<double>());
  return all;
}

JournalEntry entryOf(const Query &row) {
  JournalEntry entry{text(row, 0), text(row, 1), text(row, 2), text(row, 3), text(row, 4)};
  entry.seconds = numbers(text(row, 5));
  entry.outcome = text(row, 6);
  entry.reason = text(row, 7);
  entry.limit = sqlite3_column_double(row.get(), 8);
  entry.time = text(row, 9);
  entry.joules = numbers(text(row, 10));
  if (sqlite3_column_type(row.get(), 11) != SQLITE_NULL)
    entry.bytes = sqlite3_column_double(row.get(), 11);
  entry.session = text(row, 12);
  return entry;
}

/// What `ask` wants to know of the file; null if it cannot be read.
template <class Ask>
std::pair<Database, Query> openFor(const std::string &path, const Ask &ask) {
  // A journal that no process writes is read without creating files beside it, which would otherwise be left
  // there.
  const std::string uri = uriOf(path);
  std::error_code ignored;
  const bool isWritten = std::filesystem::exists(path + "-wal", ignored);
  Database database = open(isWritten ? uri : uri + "?immutable=1");
  Query query = ask(database);
  if (!query) {
    // If nothing may be written beside it, the index of new rows cannot be made; and another process may just
    // have begun to write.
    database = open(isWritten ? uri + "?immutable=1" : uri);
    query = ask(database);
  }
  return {std::move(database), std::move(query)};
}

} // namespace

std::vector<JournalEntry> readJournal(const std::string &path) {
  const auto [database, query] = openFor(path, ask);
  const auto refuse = [&] {
    throw TunerError(fmt::format("{}: the journal cannot be read: {}\n"
                                 "  help: {}",
                                 path, sqlite3_errmsg(database.get()),
                                 journalHelp(sqlite3_errcode(database.get()))));
  };
  if (!query)
    refuse();
  std::vector<JournalEntry> entries;
  int status = sqlite3_step(query.get());
  for (; status == SQLITE_ROW; status = sqlite3_step(query.get()))
    entries.push_back(entryOf(query));
  if (status != SQLITE_DONE)
    refuse();
  return entries;
}

std::vector<JournalBounds> readBounds(const std::string &path) {
  const auto [database, query] = openFor(path, [](const Database &opened) {
    sqlite3_stmt *statement = nullptr;
    sqlite3_prepare_v2(opened.get(), "select program_hash, machine, size, text from bounds order by id", -1,
                       &statement, nullptr);
    return Query(statement);
  });
  std::vector<JournalBounds> all;
  while (query && sqlite3_step(query.get()) == SQLITE_ROW)
    all.push_back({text(query, 0), text(query, 1), text(query, 2), text(query, 3)});
  return all;
}

} // namespace pbc::tuner
