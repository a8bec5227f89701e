// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/cache.h"
#include "compiler/build/compile.h"
#include "scratch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pbc::build {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Compile, MakesAnElfObject) {
  const CompileResult made = compile({.text = "int f(int x) { return x + 1; }"});
  ASSERT_TRUE(made.ok) << made.messages;
  EXPECT_EQ(made.output.substr(0, 4), "\x7f"
                                      "ELF");
  EXPECT_THAT(made.messages, IsEmpty());
}

TEST(Compile, MessagesNameTheUsersFileAndLine) {
  const CompileResult made = compile({.text = "#line 42 \"smooth.pbcc\"\nint f() { return unknown; }\n"});
  EXPECT_FALSE(made.ok);
  EXPECT_THAT(made.output, IsEmpty());
  EXPECT_THAT(made.messages, HasSubstr("smooth.pbcc:42:18: error: use of undeclared identifier 'unknown'"));
}

TEST(Compile, AnUnknownOptionIsAMessage) {
  const CompileResult made = compile({.text = "int x;", .extraArguments = {"-fno-such-thing"}});
  EXPECT_FALSE(made.ok);
  EXPECT_THAT(made.messages, HasSubstr("-fno-such-thing"));
}

TEST(Compile, HeadersInMemoryAndStandardHeadersAreFound) {
  const CompileResult made = compile({
      .text = "#include <pb/mine.h>\n#include <cmath>\n#include <math.h>\ndouble f() { return "
              "std::sqrt(kMine); }",
      .files = {{"pb/mine.h", "#include \"other.h\"\n"}, {"pb/other.h", "constexpr double kMine = 2;\n"}},
      .optimisation = 0,
  });
  ASSERT_TRUE(made.ok) << made.messages;
  EXPECT_THAT(made.filesRead, testing::Contains(HasSubstr("cmath")));
  EXPECT_THAT(made.filesRead, Not(testing::Contains(HasSubstr("mine.h"))));
}

TEST(Compile, TheRuntimesHeadersNeedNoOthers) {
  CompileRequest request;
  for (const auto &header : std::filesystem::directory_iterator(PBC_SOURCE_DIR "/runtime/abi")) {
    const std::string file = header.path().filename().string(), name = "pb/" + file;
    request.files.emplace_back(name, readFile(header.path()));
    // Those of the interface of libraries are for other compilers, too, and need <stdint.h> at least.
    if (file != "pbc.h" && file != "pbc_cxx.h" && file != "library.h")
      request.text += "#include \"" + name + "\"\n";
  }
  const CompileResult made = compile(request);
  ASSERT_TRUE(made.ok) << made.messages;
  EXPECT_THAT(made.filesRead, IsEmpty()) << "the runtime's headers are to be freestanding";
}

TEST(Compile, BoundsCheckDefinesTheMacro) {
  const std::string text = "#ifndef PB_BOUNDS_CHECK\n#error unchecked\n#endif\n";
  EXPECT_FALSE(compile({.text = text}).ok);
  EXPECT_TRUE(compile({.text = text, .boundsCheck = true}).ok);
}

TEST(Compile, GivesOptimisedLlvmAndAssembly) {
  CompileRequest request{.text = "extern \"C\" void axpy(int n, double *x, double *y) { for (int i = 0; i < "
                                 "n; ++i) y[i] += 2 * x[i]; }",
                         .cpu = "x86-64-v3",
                         .wanted = CompileRequest::Output::Llvm};
  const CompileResult llvm = compile(request);
  ASSERT_TRUE(llvm.ok) << llvm.messages;
  EXPECT_THAT(llvm.output, HasSubstr("<4 x double>")) << "vectorised for four doubles";
  EXPECT_THAT(llvm.output, HasSubstr("llvm.fmuladd")) << "contraction within an expression is on";
  request.wanted = CompileRequest::Output::Assembly;
  const CompileResult assembly = compile(request);
  ASSERT_TRUE(assembly.ok) << assembly.messages;
  EXPECT_THAT(assembly.output, HasSubstr("vfmadd"));
  EXPECT_THAT(assembly.output, HasSubstr("ymm"));
}

TEST(Compile, FloatingPointKeepsItsOrder) {
  const CompileResult made =
      compile({.text = "double sum(int n, double *x) { double s = 0; for (int i = 0; i < n; "
                       "++i) s += x[i]; return s; }",
               .cpu = "x86-64-v3",
               .wanted = CompileRequest::Output::Llvm});
  ASSERT_TRUE(made.ok);
  EXPECT_THAT(made.output, Not(HasSubstr("fadd <"))) << "a sum may not be reassociated";
}

TEST(Compile, LoopsCallFunctionsOfVectors) {
  CompileRequest request{.text =
                             "extern \"C\" __attribute__((const)) double pb_vector_exp(double) noexcept;\n"
                             "void f(double *__restrict y, const double *x, long n) {\n"
                             "  for (long i = 0; i < n; ++i) y[i] = x[i] > 0 ? pb_vector_exp(x[i]) : x[i];\n"
                             "}\n",
                         .wanted = CompileRequest::Output::Assembly};
  const std::pair<const char *, const char *> forms[] = {
      {"x86-64", "_ZGVbN2v_exp"}, {"x86-64-v3", "_ZGVdN4v_exp"}, {"x86-64-v4", "_ZGVeN8v_exp"}};
  for (const auto &[cpu, form] : forms) {
    request.cpu = cpu;
    const CompileResult made = compile(request);
    ASSERT_TRUE(made.ok) << made.messages;
    EXPECT_THAT(made.output, HasSubstr(form));
    EXPECT_THAT(made.output, Not(HasSubstr("pb_vector_exp_64"))) << "forms that are not used are left out";
  }
  request.vectorMath = false;
  EXPECT_THAT(compile(request).output, Not(HasSubstr("_ZGV")));
}

TEST(Compile, ManyThreadsGiveTheSameBytes) {
  std::vector<CompileRequest> requests;
  for (int i = 0; i < 12; ++i)
    requests.push_back({.text = "int f(int x) { return x * " + std::to_string(i % 3 + 3) + "; }"});
  requests[5].text = "int f( {";
  const auto results = compileAll(requests, nullptr, 4);
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].ok, i != 5) << results[i].messages;
    if (i >= 6 && i % 3 != 2) {
      EXPECT_EQ(results[i].output, results[i - 6].output) << i;
    }
  }
}

/// Results are in the order in which requests came, whichever thread had them and when.
TEST(Compilations, BeginWhileOthersAreMade) {
  const auto returning = [](int number) {
    return CompileRequest{.text = "int f() { return " + std::to_string(number) + "; }",
                          .wanted = CompileRequest::Output::Llvm};
  };
  for (const int threads : {0, 1, 3}) {
    Compilations compiling(nullptr, threads);
    compiling.add({returning(1)});
    compiling.add({returning(2), {.text = "int f( {"}});
    compiling.add({});
    const std::vector<CompileResult> made = compiling.finish();
    ASSERT_EQ(made.size(), 3U);
    EXPECT_THAT(made[0].output, HasSubstr("ret i32 1"));
    EXPECT_THAT(made[1].output, HasSubstr("ret i32 2"));
    EXPECT_FALSE(made[2].ok);
  }
}

/// As after an error in what is made meanwhile.
TEST(Compilations, MayEndWithoutResults) {
  Compilations compiling(nullptr, 1);
  compiling.add({{.text = "int f() { return 1; }"}, {.text = "int g() { return 2; }"}});
}

TEST(CompileCached, TheSecondTimeComesFromTheCache) {
  Scratch scratch;
  Cache cache(scratch.folder() / "cache");
  const CompileRequest request{.text = "int f() { return 1; }"};
  const CompileResult first = compile(request, cache), second = compile(request, cache);
  ASSERT_TRUE(first.ok && second.ok);
  EXPECT_FALSE(first.fromCache);
  EXPECT_TRUE(second.fromCache);
  EXPECT_EQ(first.output, second.output);
}

TEST(CompileCached, OptionsAndProcessorCount) {
  Scratch scratch;
  Cache cache(scratch.folder() / "cache");
  CompileRequest request{.text = "double f(double x) { return x * x + x; }", .cpu = "x86-64"};
  EXPECT_FALSE(compile(request, cache).fromCache);
  request.cpu = "x86-64-v3";
  EXPECT_FALSE(compile(request, cache).fromCache);
  request.optimisation = 1;
  EXPECT_FALSE(compile(request, cache).fromCache);
  request.wanted = CompileRequest::Output::Assembly;
  EXPECT_FALSE(compile(request, cache).fromCache);
  EXPECT_TRUE(compile(request, cache).fromCache);
}

TEST(CompileCached, AChangedHeaderOnDiskCounts) {
  Scratch scratch;
  Cache cache(scratch.folder() / "cache");
  writeFile(scratch.path("mine.h"), "constexpr int kMine = 1;\n");
  const CompileRequest request{.text = "#include \"mine.h\"\nint f() { return kMine; }",
                               .extraArguments = {"-I" + scratch.folder().string()}};
  EXPECT_FALSE(compile(request, cache).fromCache);
  EXPECT_TRUE(compile(request, cache).fromCache);
  writeFile(scratch.path("mine.h"), "constexpr int kMine = 2;\n");
  EXPECT_FALSE(compile(request, cache).fromCache);
}

TEST(CompileCached, ErrorsAreNotKept) {
  Scratch scratch;
  Cache cache(scratch.folder() / "cache");
  const CompileRequest request{.text = "int f( {"};
  EXPECT_FALSE(compile(request, cache).ok);
  const CompileResult again = compile(request, cache);
  EXPECT_FALSE(again.ok || again.fromCache);
  EXPECT_THAT(again.messages, HasSubstr("error"));
}

} // namespace
} // namespace pbc::build
