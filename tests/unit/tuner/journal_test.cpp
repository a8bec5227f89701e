// The journal keeps what it was told and is refused when it is something else.
#include "tuner/journal/journal.h"

#include "tuner/space/program_space.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
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

TEST(Journal, RefusesAnotherFile) {
  const std::string path = place("b.sqlite");
  std::ofstream(path) << "this is a letter to my aunt, and no database at all, however long one reads in it";
  EXPECT_THROW(Journal{path}, TunerError);
  EXPECT_THROW(Journal{"/nowhere/at/all.sqlite"}, TunerError);
  std::filesystem::remove(path);
}

} // namespace
} // namespace pbc::tuner
