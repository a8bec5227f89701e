// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/compile.h"
#include "compiler/build/link.h"
#include "scratch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dlfcn.h>
#include <thread>

namespace pbc::build {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string compiled(const std::string &text) {
  CompileResult made = compile({.text = text, .optimisation = 1});
  EXPECT_TRUE(made.ok) << made.messages;
  return made.output;
}

int exitStatus(const std::string &command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Link, AProgramRuns) {
  Scratch scratch;
  const std::string program = scratch.path("answer");
  const LinkResult linked = link(
      {.output = program,
       .inputs = {{"main.o", compiled("int answer(); int main() { return answer(); }")},
                  {"answer.o", compiled("#include <string>\nint answer() { return std::stoi(\"42\"); }")}},
       .runtime = false});
  ASSERT_TRUE(linked.ok) << linked.messages;
  EXPECT_EQ(linked.messages, "");
  EXPECT_EQ(exitStatus(program), 42);
}

TEST(Link, ASharedLibraryLoads) {
  Scratch scratch;
  const std::string library = scratch.path("libtwice.so");
  const LinkResult linked =
      link({.kind = LinkRequest::Kind::SharedLibrary,
            .output = library,
            .inputs = {{"twice.o", compiled("extern \"C\" int twice(int x) { return 2 * x; }")}},
            .runtime = false});
  ASSERT_TRUE(linked.ok) << linked.messages;
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  const auto twice = reinterpret_cast<int (*)(int)>(dlsym(handle, "twice"));
  ASSERT_NE(twice, nullptr);
  EXPECT_EQ(twice(21), 42);
  dlclose(handle);
}

TEST(Link, ObjectsFromFiles) {
  Scratch scratch;
  writeFile(scratch.path("main.o"), compiled("int main() { return 7; }"));
  const LinkResult linked =
      link({.output = scratch.path("seven"), .inputs = {{scratch.path("main.o"), ""}}, .runtime = false});
  ASSERT_TRUE(linked.ok) << linked.messages;
  EXPECT_EQ(exitStatus(scratch.path("seven")), 7);
}

TEST(Link, AMissingSymbolIsNamedWithItsObject) {
  Scratch scratch;
  const LinkResult linked =
      link({.output = scratch.path("program"),
            .inputs = {{"main.o", compiled("int missing(); int main() { return missing(); }")}},
            .runtime = false});
  EXPECT_FALSE(linked.ok);
  EXPECT_THAT(linked.messages, HasSubstr("undefined symbol: missing()"));
  EXPECT_THAT(linked.messages, HasSubstr("main.o"));
  EXPECT_THAT(linked.messages, Not(HasSubstr("/proc/self")));
  EXPECT_TRUE(std::filesystem::is_empty(scratch.folder())) << "nothing half written stays";
}

TEST(Link, AfterAFailureTheOldFileIsStillThereAndLinkingGoesOn) {
  Scratch scratch;
  const std::string program = scratch.path("program");
  writeFile(program, "old");
  EXPECT_FALSE(link({.output = program, .inputs = {{"bad.o", "not an object"}}, .runtime = false}).ok);
  EXPECT_EQ(readFile(program), "old");
  EXPECT_TRUE(
      link(
          {.output = program, .inputs = {{"main.o", compiled("int main() { return 3; }")}}, .runtime = false})
          .ok);
  EXPECT_EQ(exitStatus(program), 3);
}

TEST(Link, AnOutputThatCannotBeWrittenIsAMessage) {
  Scratch scratch;
  const LinkResult linked = link({.output = scratch.path("no/such/folder/program"),
                                  .inputs = {{"main.o", compiled("int main() {}")}},
                                  .runtime = false});
  EXPECT_FALSE(linked.ok);
  EXPECT_THAT(linked.messages, HasSubstr("cannot write"));
  EXPECT_THAT(linked.messages, HasSubstr("No such file or directory"));
}

TEST(Link, AMissingRuntimeIsAMessage) {
  Scratch scratch;
  setenv("PBC_RUNTIME", scratch.path("libpbruntime.a").c_str(), 1);
  const LinkResult linked =
      link({.output = scratch.path("program"), .inputs = {{"main.o", compiled("int main() {}")}}});
  unsetenv("PBC_RUNTIME");
  EXPECT_FALSE(linked.ok);
  EXPECT_THAT(linked.messages, HasSubstr("set PBC_RUNTIME"));
}

TEST(Link, ThreadsTakeTurns) {
  Scratch scratch;
  const std::string bytes = compiled("int main() { return 5; }");
  std::vector<std::jthread> threads;
  std::vector<LinkResult> results(8);
  for (std::size_t i = 0; i < results.size(); ++i)
    threads.emplace_back([&, i] {
      results[i] = link({.output = scratch.path("program" + std::to_string(i)),
                         .inputs = {{"main.o", bytes}},
                         .runtime = false});
    });
  threads.clear();
  for (std::size_t i = 0; i < results.size(); ++i) {
    ASSERT_TRUE(results[i].ok) << results[i].messages;
    EXPECT_EQ(exitStatus(scratch.path("program" + std::to_string(i))), 5);
  }
}

} // namespace
} // namespace pbc::build
