// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/compile.h"
#include "compiler/build/preambles.h"
#include "scratch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pbc::build {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// A unit with one header in memory and one on the disk.
class Headers : public testing::Test {
protected:
  void SetUp() override {
    writeFile(scratch_.path("mine.h"), "#pragma once\n#define MINE 1\ninline int mine() { return MINE; }\n");
  }

  CompileRequest unit(Preambles *preambles) const {
    CompileRequest r{
        .text = "#include \"pb/held.h\"\n#ifndef PB_PREAMBLE\n#include \"mine.h\"\n#endif\n"
                "extern \"C\" int answer() { return mine() + held(MINE); }\n",
        .files = {{"pb/held.h", "#pragma once\ntemplate <class T> T held(T x) { return x + 1; }\n"}},
        .cpu = "x86-64",
        .extraArguments = {"-iquote" + scratch_.folder().string()}};
    std::string messages;
    r.headers = preamble::Request{"#include \"pb/held.h\"\n#include \"mine.h\"\n", r.files,
                                  frontArguments(r, messages)};
    if (preambles)
      r.preambles = preambles->source();
    return r;
  }
  /// Beside them, the lock of the last pruning may lie in the folder: one new key in 64 lets the cache prune.
  std::vector<std::filesystem::path> entries() const {
    std::vector<std::filesystem::path> all;
    for (const auto &e : std::filesystem::recursive_directory_iterator(cacheFolder()))
      if (e.is_regular_file() && e.path().filename() != "lock")
        all.push_back(e.path());
    return all;
  }
  std::string cacheFolder() const { return scratch_.path("cache"); }

  Scratch scratch_;
};

TEST_F(Headers, AUnitIsTheSameWithAndWithoutAPreamble) {
  Preambles preambles(nullptr);
  const CompileResult with = compile(unit(&preambles)), without = compile(unit(nullptr));
  ASSERT_TRUE(with.ok) << with.messages;
  EXPECT_TRUE(with.withPreamble);
  EXPECT_FALSE(without.withPreamble);
  EXPECT_EQ(with.output, without.output);
  EXPECT_EQ(with.filesRead, without.filesRead);
  EXPECT_THAT(with.filesRead, Contains(HasSubstr("mine.h")));
}

TEST_F(Headers, AreParsedOnceForManyUnitsAndProcesses) {
  Cache cache(cacheFolder());
  Preambles first(&cache), second(&cache);
  EXPECT_TRUE(compile(unit(&first)).withPreamble);
  EXPECT_TRUE(compile(unit(&first)).withPreamble);
  EXPECT_EQ(first.parsed(), 1);
  EXPECT_TRUE(compile(unit(&second)).withPreamble);
  EXPECT_EQ(second.parsed(), 0) << "it is in the cache";
}

TEST_F(Headers, ThatHaveChangedAreParsedAgain) {
  Cache cache(cacheFolder());
  Preambles first(&cache), second(&cache);
  const std::string before = compile(unit(&first)).output;
  writeFile(scratch_.path("mine.h"),
            "#pragma once\n#define MINE 7\ninline int mine() { return MINE; }\n"); // same size
  const CompileResult after = compile(unit(&second)), without = compile(unit(nullptr));
  EXPECT_EQ(second.parsed(), 1);
  EXPECT_TRUE(after.withPreamble);
  EXPECT_NE(after.output, before);
  EXPECT_EQ(after.output, without.output);
}

TEST_F(Headers, OfADamagedEntryAreParsedAgain) {
  Cache cache(cacheFolder());
  Preambles first(&cache);
  ASSERT_TRUE(compile(unit(&first)).withPreamble);
  ASSERT_EQ(entries().size(), 1u);
  const std::string whole = readFile(entries()[0]);
  for (const std::string &damaged : {whole.substr(0, whole.size() / 2), std::string(), "x" + whole.substr(1),
                                     whole.substr(0, whole.size() - 9) + "123456789"}) {
    writeFile(entries()[0], damaged);
    Preambles again(&cache);
    EXPECT_TRUE(compile(unit(&again)).withPreamble);
    EXPECT_EQ(again.parsed(), 1);
    EXPECT_EQ(readFile(entries()[0]), whole) << "made again, byte for byte";
  }
}

TEST_F(Headers, ThatClangCannotReadAreLeftOut) {
  Cache cache(cacheFolder());
  Preambles preambles(&cache);
  auto request = unit(nullptr);
  auto nonsense = std::make_shared<preamble::Preamble>(preamble::Preamble{"no precompiled header", {}});
  request.preambles = [&](const preamble::Request &) { return nonsense; };
  const CompileResult made = compile(request);
  EXPECT_TRUE(made.ok) << made.messages;
  EXPECT_FALSE(made.withPreamble);
  EXPECT_EQ(made.output, compile(unit(nullptr)).output);
}

TEST_F(Headers, WithAnErrorGiveNoneAndTheUnitReportsIt) {
  writeFile(scratch_.path("mine.h"), "#pragma once\nint mine( {\n");
  Cache cache(cacheFolder());
  Preambles preambles(&cache);
  const CompileResult made = compile(unit(&preambles));
  EXPECT_FALSE(made.ok);
  EXPECT_EQ(made.messages, compile(unit(nullptr)).messages);
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(Headers, ServeSeveralProcessesAtOnce) {
  Cache cache(cacheFolder());
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      Preambles preambles(&cache);
      const preamble::Shared headers = preambles.get(*unit(nullptr).headers);
      _exit(headers && !headers->bytes.empty() ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(entries().size(), 1u) << "one entry, and no leftover";
  Preambles preambles(&cache);
  EXPECT_TRUE(compile(unit(&preambles)).withPreamble);
  EXPECT_EQ(preambles.parsed(), 0);
}

TEST_F(Headers, AreNotWrittenWithoutACache) {
  Cache none{std::filesystem::path()};
  Preambles preambles(&none);
  EXPECT_TRUE(compile(unit(&preambles)).withPreamble);
  EXPECT_FALSE(std::filesystem::exists(cacheFolder()));
}

TEST_F(Headers, AreKeptApartByWhatDecides) {
  std::string messages;
  const auto base = *unit(nullptr).headers;
  auto text = base, file = base, argument = base;
  text.text += "\n";
  file.files[0].second += "\n";
  argument.arguments.push_back("-DX");
  for (const auto &other : {text, file, argument})
    EXPECT_NE(Preambles::key(base), Preambles::key(other));
}

TEST(Startup, ThousandsOfInitialisersAreNotPutIntoOne) {
  std::string text = "extern \"C\" double drand48();\n";
  for (int i = 0; i < 1000; ++i)
    text += "double v" + std::to_string(i) + " = drand48();\n";
  const CompileResult made = compile({.text = text, .wanted = CompileRequest::Output::Llvm});
  ASSERT_TRUE(made.ok) << made.messages;
  EXPECT_THAT(made.output, HasSubstr("@__cxx_global_var_init.999")) << "each stays a function of its own";
  const CompileResult few =
      compile({.text = "extern \"C\" double drand48();\ndouble a = drand48(), b = drand48();\n",
               .wanted = CompileRequest::Output::Llvm});
  EXPECT_THAT(few.output, testing::Not(HasSubstr("@__cxx_global_var_init.1")));
}

} // namespace
} // namespace pbc::build
