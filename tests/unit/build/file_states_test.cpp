// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests of the files that a result was made from: headers, tables of the assembler, libraries.
#include "compiler/build/cache.h"
#include "compiler/build/compile.h"
#include "compiler/build/file_states.h"
#include "compiler/build/link.h"
#include "scratch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pbc::build {
namespace {

using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;

/// Waits longer than the resolution of files' times.
void letTimePass() { usleep(20'000); }

TEST(FileStates, ContentsCountNotTimes) {
  Scratch scratch;
  writeFile(scratch.path("a"), "one");
  letTimePass();
  const std::vector<std::string> paths{scratch.path("a"), scratch.path("none"), scratch.path("a")};
  const std::string states = FileStates::of(paths, FileStates::now()).value();
  EXPECT_THAT(FileStates::paths(states), testing::ElementsAre(scratch.path("a")));
  EXPECT_TRUE(FileStates::areSame(states));
  letTimePass();
  writeFile(scratch.path("a"), "one"); // the same content at another time
  EXPECT_TRUE(FileStates::areSame(states));
  writeFile(scratch.path("a"), "two"); // other content of the same size
  EXPECT_FALSE(FileStates::areSame(states));
  writeFile(scratch.path("a"), "one");
  writeFile(scratch.path("none"), "");
  EXPECT_FALSE(FileStates::areSame(states)) << "there was none before";
  std::filesystem::remove(scratch.path("none"));
  std::filesystem::remove(scratch.path("a"));
  EXPECT_FALSE(FileStates::areSame(states)) << "there is none any more";
  EXPECT_FALSE(FileStates::areSame(states.substr(0, states.size() - 1)));
}

TEST(FileStates, AFakedTimeDoesNotDeceive) {
  Scratch scratch;
  const std::string path = scratch.path("a");
  writeFile(path, "one");
  struct stat before{};
  ASSERT_EQ(stat(path.c_str(), &before), 0);
  // As if the entry had been made long after the file.
  const std::string states = FileStates::of({path}, FileStates::now() + 3'000'000'000).value();
  EXPECT_TRUE(FileStates::areSame(states));
  letTimePass();
  writeFile(path, "two");
  const timespec times[2] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  EXPECT_FALSE(FileStates::areSame(states));
}

TEST(FileStates, AFileThatChangesMeanwhileIsNotKept) {
  Scratch scratch;
  const FileStates::Time begin = FileStates::now();
  letTimePass();
  writeFile(scratch.path("a"), "one");
  EXPECT_FALSE(FileStates::of({scratch.path("a")}, begin));
}

TEST(CompileCached, AFileThatTheAssemblerReadsCounts) {
  Scratch scratch;
  Cache cache(scratch.folder() / "cache");
  const std::string table = scratch.path("table.bin");
  for (const std::string &text :
       {"asm(\".data\\ntable: .incbin \\\"" + table + "\\\"\\n.text\");",
        "void f() { asm(\".data\\n.INCBIN \\\"" + table + "\\\"\\n.text\"); }",
        "asm(\".macro m a b\\n.data\\n.\\\\a\\\\b \\\"" + table + "\\\"\\n.text\\n.endm\\nm inc bin\");"}) {
    const CompileRequest request{.text = text, .optimisation = 0};
    writeFile(table, "first");
    const CompileResult first = compile(request, cache);
    ASSERT_TRUE(first.ok) << text << first.messages;
    EXPECT_THAT(first.output, HasSubstr("first"));
    writeFile(table, "other");
    EXPECT_THAT(compile(request, cache).output, HasSubstr("other")) << text;
  }
  const CompileRequest harmless{.text = "int f() { int a; asm(\"mov $1, %0\" : \"=r\"(a)); return a; }"};
  EXPECT_TRUE(compile(harmless, cache).ok);
  EXPECT_TRUE(compile(harmless, cache).fromCache);
}

TEST(Compile, SaysWhatKindOfFailureItWas) {
  const auto failure = [](const std::string &text, const std::string &cpu = "native") {
    return compile({.text = text, .optimisation = 0, .cpu = cpu}).failure;
  };
  EXPECT_EQ(failure("int f();"), CompileFailure::None);
  EXPECT_EQ(failure("int f(;"), CompileFailure::Text);
  EXPECT_EQ(failure("int f();", "z80"), CompileFailure::UnknownProcessor);
  EXPECT_EQ(failure("void f() { asm(\"nonsense\"); }"), CompileFailure::Assembly);
  EXPECT_EQ(failure("asm(\"nonsense\");"), CompileFailure::Assembly);
  EXPECT_EQ(failure("const char *f() { return \"<inline asm> unknown target CPU\" }"), CompileFailure::Text);
}

TEST(Compile, ReadsRegularFilesOnly) {
  Scratch scratch;
  ASSERT_EQ(mkfifo(scratch.path("pipe").c_str(), 0600), 0);
  writeFile(scratch.path("huge.h"), "");
  ASSERT_EQ(truncate(scratch.path("huge.h").c_str(), 1L << 40), 0);
  for (const std::string &name : {scratch.path("pipe"), std::string("/dev/zero"), scratch.path("huge.h")}) {
    const CompileResult made = compile({.text = "#include \"" + name + "\"\n"});
    EXPECT_FALSE(made.ok);
    EXPECT_THAT(made.messages, HasSubstr("cannot open file '" + name + "'"));
  }
}

TEST(Link, NamesTheFilesThatTookPart) {
  Scratch scratch;
  const auto object = [](const std::string &text) {
    return compile({.text = text, .optimisation = 0}).output;
  };
  const std::string folder = scratch.path("with space");
  std::filesystem::create_directory(folder);
  ASSERT_TRUE(link({.kind = LinkRequest::Kind::SharedLibrary,
                    .output = folder + "/libone.so",
                    .inputs = {{"one.o", object("int one() { return 1; }")}},
                    .runtime = false})
                  .ok);
  const LinkResult made = link({.output = scratch.path("program"),
                                .inputs = {{"main.o", object("int one(); int main() { return one(); }")}},
                                .runtime = false,
                                .extraArguments = {"-L" + scratch.path("none"), "-L" + folder, "-lone"}});
  ASSERT_TRUE(made.ok) << made.messages;
  EXPECT_THAT(made.filesRead, Contains(folder + "/libone.so"));
  EXPECT_THAT(made.filesRead, Contains(EndsWith("crt1.o")));
  EXPECT_THAT(made.filesRead, Contains(scratch.path("none") + "/libone.so"));
  EXPECT_THAT(made.filesRead, testing::Not(Contains(HasSubstr("/proc/"))));
  EXPECT_EQ(made.bytes, readFile(scratch.path("program")));
}

TEST(Link, AnInputThatIsNoFileIsAMessage) {
  Scratch scratch;
  ASSERT_EQ(mkfifo(scratch.path("pipe").c_str(), 0600), 0);
  const LinkResult made =
      link({.output = scratch.path("program"), .runtime = false, .extraArguments = {scratch.path("pipe")}});
  EXPECT_FALSE(made.ok);
  EXPECT_THAT(made.messages, HasSubstr("is no file that could be linked"));
}

} // namespace
} // namespace pbc::build
