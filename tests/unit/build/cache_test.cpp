// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/cache.h"
#include "scratch.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace pbc::build {
namespace {

namespace fs = std::filesystem;

Cache::Key keyOf(const std::string &text) { return Cache::Hasher().add(text).finish(); }

/// All files that are entries.
std::vector<fs::path> entriesOf(const Cache &cache) {
  std::vector<fs::path> found;
  for (const auto &at : fs::recursive_directory_iterator(cache.folder()))
    if (at.is_regular_file() && at.path().filename() != "lock")
      found.push_back(at.path());
  return found;
}

TEST(Cache, GivesBackWhatItGot) {
  Scratch scratch;
  Cache cache(scratch.folder() / "a" / "b");
  const std::string bytes("with\0zero", 9);
  EXPECT_FALSE(cache.get(keyOf("x")));
  cache.put(keyOf("x"), bytes);
  cache.put(keyOf("empty"), "");
  EXPECT_EQ(cache.get(keyOf("x")), bytes);
  EXPECT_EQ(cache.get(keyOf("empty")), "");
  EXPECT_EQ(Cache(scratch.folder() / "a" / "b").get(keyOf("x")), bytes) << "another process finds it too";
}

TEST(Cache, PartsOfAKeyHaveBorders) {
  EXPECT_NE(Cache::Hasher().add("ab").add("c").finish(), Cache::Hasher().add("a").add("bc").finish());
  EXPECT_NE(Cache::Hasher().add("").finish(), Cache::Hasher().finish());
  EXPECT_EQ(keyOf("x"), keyOf("x"));
  EXPECT_EQ(keyOf("x").size(), 32u);
}

TEST(Cache, EveryDamagedEntryIsRefusedAndRemoved) {
  Scratch scratch;
  Cache cache(scratch.folder());
  const Cache::Key key = keyOf("x");
  cache.put(key, "payload of an entry");
  const fs::path file = entriesOf(cache).at(0);
  const std::string good = readFile(file);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 0x10;
    writeFile(file, bad);
    EXPECT_FALSE(cache.get(key)) << "byte " << i;
    EXPECT_FALSE(fs::exists(file));
  }
  for (const std::string &bad :
       {std::string(), good.substr(0, 7), good.substr(0, good.size() - 1), good + "x"}) {
    writeFile(file, bad);
    EXPECT_FALSE(cache.get(key));
  }
  cache.put(key, "payload of an entry");
  EXPECT_EQ(cache.get(key), "payload of an entry");
}

TEST(Cache, ProcessesAndThreadsShareAFolder) {
  Scratch scratch;
  const auto work = [&](int salt) {
    Cache cache(scratch.folder(), 40000);
    bool right = true;
    for (int i = 0; i < 300; ++i) {
      const std::string name = std::to_string((i * 7 + salt) % 40);
      const std::string bytes(2000 + std::stoul(name), name[0]);
      cache.put(keyOf(name), bytes);
      const auto found = cache.get(keyOf(name));
      right &= !found || *found == bytes; // it may have been pruned, it may not be wrong
    }
    return right;
  };
  std::vector<pid_t> children;
  for (int p = 0; p < 3; ++p) {
    const pid_t child = fork();
    if (child == 0)
      _exit(work(p) ? 0 : 1);
    children.push_back(child);
  }
  bool right[2] = {};
  {
    std::jthread one([&] { right[0] = work(11); }), two([&] { right[1] = work(12); });
  }
  EXPECT_TRUE(right[0] && right[1]);
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (const fs::path &file : entriesOf(Cache(scratch.folder())))
    EXPECT_FALSE(file.filename().string().starts_with("tmp-")) << "a leftover";
}

TEST(Cache, PruningKeepsWhatWasUsedLast) {
  Scratch scratch;
  Cache cache(scratch.folder(), 10000);
  const std::string bytes(1000, 'x');
  for (int i = 0; i < 9; ++i)
    cache.put(keyOf(std::to_string(i)), bytes);
  const auto entries = entriesOf(cache);
  ASSERT_EQ(entries.size(), 9u);
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(5);
  for (std::size_t i = 0; i < entries.size(); ++i)
    fs::last_write_time(entries[i], old + std::chrono::minutes(i));
  EXPECT_TRUE(cache.get(keyOf("0")));
  Cache smaller(scratch.folder(), 5000);
  smaller.prune();
  EXPECT_TRUE(cache.get(keyOf("0"))) << "used a moment ago";
  EXPECT_EQ(entriesOf(cache).size(), 3u);
}

TEST(Cache, AFolderThatCannotBeMadeGivesAnEmptyCache) {
  Scratch scratch;
  writeFile(scratch.path("file"), "");
  Cache cache(scratch.folder() / "file" / "cache");
  EXPECT_FALSE(cache.enabled());
  cache.put(keyOf("x"), "bytes");
  EXPECT_FALSE(cache.get(keyOf("x")));
  cache.prune();
}

TEST(Cache, TheFolderComesFromTheEnvironment) {
  setenv("PBC_CACHE_DIR", "/somewhere", 1);
  EXPECT_EQ(Cache::defaultFolder(), "/somewhere");
  setenv("PBC_CACHE_DIR", "", 1);
  EXPECT_FALSE(Cache(Cache::defaultFolder()).enabled()) << "empty turns it off";
  unsetenv("PBC_CACHE_DIR");
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(Cache::defaultFolder(), "/xdg/pbc");
  unsetenv("XDG_CACHE_HOME");
}

} // namespace
} // namespace pbc::build
