// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Variants compiled by a script: it hangs if the settings say so, else it copies a program.
#include "tuner/kernels/compiled_variants.h"

#include "tuner/space/program_space.h"
#include "tuner/write_file.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <unistd.h>

namespace pbc::tuner {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char *kCompiler = R"(#!/bin/sh
out=$2
if [ $1 = explain ]; then
  script='{"in_use":"plain","without_vectors":null,"edits":[{"of":"tasks","others":["scalar"]}]}'
  echo '{"transforms":[{"name":"T","kernels":[{"name":"a","options":[],"script":'$script'}]}]}'
  exit
fi
for word; do
  case $word in --config=*) grep -q hang ${word#*=} && exec sleep 1000;; esac
done
cp ")" FAKE_PROGRAM R"(" $out
)";

KernelSettings settings(const std::string &value) { return {{{"T", "a", "jam"}, value}}; }

class OfCompiler : public testing::Test {
protected:
  OfCompiler() {
    fs::create_directories(folder_);
    writeAtomically(folder_ / "compiler", kCompiler, true);
  }
  ~OfCompiler() override { fs::remove_all(folder_); }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("pbc-variants-" + std::to_string(getpid()));
  CompiledVariants variants_{{folder_ / "compiler", {"T.pbcc"}, folder_, 4, 2, {}}};
};

/// All but the first ended long before their time was over.
TEST_F(OfCompiler, WhoHangsTakesNobodyAlong) {
  variants_.build({settings("hang"), settings("1"), settings("2"), settings("3")});
  EXPECT_THAT(variants_.why(settings("hang")), HasSubstr("is not compiled within 2 s"));
  for (const char *value : {"1", "2", "3"})
    EXPECT_NE(variants_.program(settings(value)), "") << variants_.why(settings(value));
}

TEST_F(OfCompiler, AJournalThatCannotBeWrittenStopsNothing) {
  const std::string path = folder_ / "T.tune.sqlite";
  Journal journal(path);
  sqlite3 *other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "drop table trials", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  variants_.setRuns({{}, {{"n", 64}}, "", 0.001, "m", "h"}, &journal);
  EXPECT_EQ(variants_.measure({}, 2).seconds.size(), 2u);
  EXPECT_THAT(variants_.notes().problem(), HasSubstr("from some moment on nothing was noted: "));
  EXPECT_EQ(variants_.measure(settings("1"), 2).seconds.size(), 2u);
}

/// The disk of the variants may be full, too.
TEST_F(OfCompiler, SettingsThatCannotBeWrittenAreARejectedVariant) {
  ASSERT_NE(variants_.program({}), "");
  fs::create_directory(folder_ / "variant1.toml");
  variants_.build({settings("1")});
  EXPECT_THAT(variants_.why(settings("1")), HasSubstr("variant1.toml: cannot be written"));
  EXPECT_NE(variants_.program(settings("2")), "");
}

TEST_F(OfCompiler, OptionsThatCannotBeAskedForAreThoseOfBefore) {
  const fs::path file = folder_ / "options.toml";
  fs::create_directory(file);
  EXPECT_THROW(variants_.options({}), TunerError);
  fs::remove(file);
  ASSERT_EQ(variants_.options({}).size(), 1u);
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_EQ(variants_.options(settings("2")).size(), 1u);
}

} // namespace
} // namespace pbc::tuner
