// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/kernel_cache.h"
#include "support.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace pb::device::test {
namespace {

struct Folder {
  fs::path path = scratchFolder() / "cache";
  Folder() { fs::remove_all(path); }
};

TEST(KernelCache, GivesBackWhatItWasGiven) {
  const Folder folder;
  const KernelCache cache(folder.path);
  EXPECT_FALSE(cache.get("a"));
  const std::string binary("\0\n\xff binary", 10);
  cache.put("a", binary);
  EXPECT_EQ(cache.get("a"), binary);
  EXPECT_EQ(KernelCache(folder.path).get("a"), binary);
  cache.put("empty", "");
  EXPECT_EQ(cache.get("empty"), "");
}

TEST(KernelCache, ADamagedEntryIsNone) { // requirement 83
  const Folder folder;
  const KernelCache cache(folder.path);
  for (const std::streamoff at : {0, 9, 20, 40}) {
    cache.put("a", "some binary text");
    std::fstream file(folder.path / "a", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file.put('#');
    file.close();
    EXPECT_FALSE(cache.get("a")) << at;
    EXPECT_FALSE(fs::exists(folder.path / "a"));
  }
  for (const int size : {0, 5, 40}) {
    cache.put("a", "some binary text");
    fs::resize_file(folder.path / "a", size);
    EXPECT_FALSE(cache.get("a")) << size;
  }
}

TEST(KernelCache, StaysBelowItsLimit) {
  const Folder folder;
  const KernelCache cache(folder.path, 100'000);
  for (int k = 0; k < 100; ++k)
    cache.put("k" + std::to_string(k), std::string(5000, 'x'));
  std::uintmax_t total = 0;
  for (const auto &entry : fs::directory_iterator(folder.path))
    total += entry.file_size();
  EXPECT_LE(total, 110'000u);
  EXPECT_TRUE(cache.get("k99"));
  EXPECT_FALSE(cache.get("k0"));
}

TEST(KernelCache, AFolderThatCannotBeIsNoCache) {
  const Folder folder;
  std::ofstream(folder.path) << "a file";
  const KernelCache cache(folder.path / "below");
  cache.put("a", "b");
  EXPECT_FALSE(cache.get("a"));
  const KernelCache none("");
  none.put("a", "b");
  EXPECT_FALSE(none.get("a"));
}

TEST(KernelCache, SeveralProcessesAtOnce) {
  const Folder folder;
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    const pid_t pid = fork();
    if (pid == 0) {
      const KernelCache cache(folder.path, 20'000);
      for (int k = 0; k < 300; ++k) {
        const std::string key = std::to_string(k % 10), value(1000 + k % 10, static_cast<char>('a' + k % 10));
        cache.put(key, value);
        const auto found = cache.get(key);
        if (found && *found != value)
          _exit(1);
      }
      _exit(0);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST(KernelCache, KeysDependOnEverything) {
  const Description about{.api = "opencl", .name = "A", .driver = "1"};
  const std::string key = kernelKey(about, "-O2", "text", "entry");
  EXPECT_EQ(key.size(), 32u);
  EXPECT_EQ(kernelKey(about, "-O2", "text", "entry"), key);
  EXPECT_NE(kernelKey(about, "-O3", "text", "entry"), key);
  EXPECT_NE(kernelKey(about, "-O2", "text2", "entry"), key);
  EXPECT_NE(kernelKey(about, "-O2t", "ext", "entry"), key);
  EXPECT_NE(kernelKey(about, "-O2", "text", "other"), key);
  EXPECT_NE(kernelKey({.api = "cuda", .name = "A", .driver = "1"}, "-O2", "text", "entry"), key);
  EXPECT_NE(kernelKey({.api = "opencl", .name = "B", .driver = "1"}, "-O2", "text", "entry"), key);
  EXPECT_NE(kernelKey({.api = "opencl", .name = "A", .driver = "2"}, "-O2", "text", "entry"), key);
}

TEST(KernelCache, WhereItIs) {
  const std::string before = KernelCache::standardFolder();
  setenv("PB_KERNEL_CACHE", "/somewhere", 1);
  EXPECT_EQ(KernelCache::standardFolder(), "/somewhere");
  unsetenv("PB_KERNEL_CACHE");
  setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(KernelCache::standardFolder(), "/x/pbc/kernels");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/h", 1);
  EXPECT_EQ(KernelCache::standardFolder(), "/h/.cache/pbc/kernels");
  setenv("PB_KERNEL_CACHE", before.c_str(), 1);
}

} // namespace
} // namespace pb::device::test
