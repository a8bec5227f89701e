// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The journal keeps what is added to it, and a file that is not a journal is refused.
#include "tuner/journal/journal.h"

#include "tuner/journal/read_journal.h"
#include "tuner/journal/tuning_lock.h"
#include "tuner/space/program_space.h"
#include "tuner/write_file.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <unistd.h>

namespace pbc::tuner {
namespace {

std::string place(const std::string &name) {
  const std::string path = testing::TempDir() + "pbc-journal-" + std::to_string(getpid()) + name;
  std::filesystem::remove(path);
  return path;
}

TEST(Journal, RemembersByProgramAndMachine) {
  const std::string path = place("a.sqlite");
  {
    Journal journal(path);
    journal.add({"h1", "m1", "n=64", "0;", "toml", {0.5, 0.25}, "ok", "", 1});
    journal.add({"h1", "m1", "n=64", "1;", "toml", {}, "crash", "ends by signal 11", 2});
    journal.add({"h2", "m1", "n=64", "0;", "toml", {1}});
    journal.add({"h1", "m2", "n=64", "0;", "toml", {1}});
  }
  const auto entries = Journal(path).load("h1", "m1");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].seconds, std::vector<double>({0.5, 0.25}));
  EXPECT_EQ(entries[1].outcome, "crash");
  EXPECT_EQ(entries[1].reason, "ends by signal 11");
  EXPECT_EQ(entries[1].limit, 2);
  std::filesystem::remove(path);
}

TEST(Journal, KeepsEnergyAndMemoryWhereTheyWereMeasured) {
  const std::string path = place("c.sqlite");
  Journal journal(path);
  JournalEntry entry{"h1", "m1", "n=64", "0;", "toml", {0.5, 0.25}};
  journal.add(entry);
  entry.joules = {3, 1.5};
  entry.bytes = 4096;
  journal.add(entry);
  const auto entries = journal.load("h1", "m1");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_TRUE(entries[0].joules.empty());
  EXPECT_FALSE(entries[0].bytes);
  EXPECT_EQ(entries[1].joules, std::vector<double>({3, 1.5}));
  EXPECT_EQ(entries[1].bytes, 4096);
  std::filesystem::remove(path);
}

TEST(Journal, NothingIsLeftOfADeletedOne) {
  const std::string path = place("deleted.sqlite");
  {
    Journal journal(path);
    journal.add({"h1", "m1", "n=64", "0;", "toml", {1}});
    EXPECT_TRUE(std::filesystem::exists(path + "-wal"));
    std::filesystem::remove(path);
    journal.add({"h1", "m1", "n=64", "0;", "toml", {1}}); // nothing is said: there is time for it at the end
  }
  for (const char *suffix : {"", "-wal", "-shm"})
    EXPECT_FALSE(std::filesystem::exists(path + suffix)) << suffix;
}

TEST(Journal, KnowsTheProcess) {
  const std::string path = place("session.sqlite");
  for (int i = 0; i < 2; ++i)
    Journal(path).add({"h1", "m1", "n=64", "0;", "toml", {1}});
  const auto entries = readJournal(path);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_NE(entries[0].session, "");
  EXPECT_EQ(entries[0].session, entries[1].session);
  std::filesystem::remove(path);
}

TEST(Journal, TextOfWhatHasNoEndIsRefused) { EXPECT_THROW(textOf("/dev/zero"), TunerError); }

TEST(TuningLock, OneTuningAtATime) {
  const std::string path = place("l.sqlite");
  {
    const TuningLock lock("sort.cfg", path);
    Journal(path).add({"h1", "m1", "n=64", "0;", "toml", {1}}); // made by it, and used all the same
    try {
      const TuningLock second("sort.cfg", path);
      FAIL() << "two tunings of one configuration";
    } catch (const TunerError &problem) {
      EXPECT_THAT(problem.what(), testing::StartsWith("sort.cfg: another pbc tune is at work for it\n"));
    }
  }
  const TuningLock afterwards("sort.cfg", path);
  EXPECT_EQ(Journal(path).load("h1", "m1").size(), 1u);
  std::filesystem::remove(path);
}

// A journal made by a version before energy and memory were recorded.
TEST(Journal, OfAnEarlierVersionIsReadAndContinued) {
  const std::string path = place("d.sqlite");
  sqlite3 *database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(database,
                   "create table trials (id integer primary key, time text not null default '', "
                   "program_hash text not null, machine text not null, size text not null, config_key text "
                   "not null, toml text not null, seconds text not null, outcome text not null, reason text "
                   "not null, time_limit real not null);"
                   "insert into trials (program_hash, machine, size, config_key, toml, seconds, outcome, "
                   "reason, time_limit) values ('h1', 'm1', 'n=64', '0;', 't', '[0.5]', 'ok', '', 1)",
                   nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(database);
  const auto before = readJournal(path);
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(before[0].seconds, std::vector<double>{0.5});
  EXPECT_FALSE(before[0].bytes);
  Journal journal(path);
  JournalEntry entry{"h1", "m1", "n=64", "1;", "toml", {0.25}};
  entry.bytes = 77;
  journal.add(entry);
  const auto after = journal.load("h1", "m1");
  ASSERT_EQ(after.size(), 2u);
  EXPECT_EQ(after[0].seconds, std::vector<double>{0.5});
  EXPECT_EQ(after[1].bytes, 77);
  std::filesystem::remove(path);
}

TEST(Journal, RefusesAnotherFile) {
  const std::string path = place("b.sqlite");
  std::ofstream(path) << "this is a letter to my aunt, and no database at all, however long one reads in it";
  for (const auto &use :
       std::vector<std::function<void()>>{[&] { Journal{path}; }, [&] { readJournal(path); }})
    try {
      use();
      ADD_FAILURE() << "a letter is taken for a journal";
    } catch (const TunerError &problem) {
      EXPECT_THAT(problem.what(), testing::HasSubstr("delete or rename it"));
    }
  EXPECT_THROW(Journal{"/nowhere/at/all.sqlite"}, TunerError);
  std::filesystem::remove(path);
}

} // namespace
} // namespace pbc::tuner
