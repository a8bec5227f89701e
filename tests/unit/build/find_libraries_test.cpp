// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/compile.h"
#include "compiler/build/find_libraries.h"
#include "scratch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pbc::build {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

LinkInput object(const std::string &text) {
  CompileResult made = compile({.text = text, .optimisation = 1});
  EXPECT_TRUE(made.ok) << made.messages;
  return {"unit.o", made.output};
}

TEST(FindLibraries, SymbolsByTheirForm) {
  const LinkInput uses =
      object(R"(extern "C" { void dgetrf_(); void cblas_dgemm(); void mine_(); int puts(const char *); }
extern "C" void f() { dgetrf_(); cblas_dgemm(); mine_(); puts(""); })");
  EXPECT_THAT(foreignSymbols({uses}), ElementsAre("cblas_dgemm", "dgetrf_", "mine_"));
  EXPECT_THAT(foreignSymbols({uses, object(R"(extern "C" void mine_() {})")}),
              ElementsAre("cblas_dgemm", "dgetrf_"));
}

TEST(FindLibraries, TheFirstThatDefinesThem) {
  Scratch scratch;
  const auto library = [&](const std::string &name, const std::string &text) {
    const LinkResult made = link({.kind = LinkRequest::Kind::SharedLibrary,
                                  .output = scratch.path("lib" + name + ".so"),
                                  .inputs = {object(text)},
                                  .runtime = false});
    EXPECT_TRUE(made.ok) << made.messages;
  };
  library("blas", R"(extern "C" void dgemm_() {} extern "C" void cblas_dgemm() {})");
  library("lapack", R"(extern "C" void dgetrf_() {} extern "C" void dgemm_() {})");
  const std::vector<std::string> here{scratch.path("")};
  const auto only = [&](std::vector<std::string> symbols) {
    std::vector<std::string> found = findLibraries(std::move(symbols), here);
    for (std::string &f : found)
      f = f.substr(f.rfind('/') + 1);
    return found;
  };
  EXPECT_THAT(only({"dgemm_"}), ElementsAre("libblas.so"));
  EXPECT_THAT(only({"dgetrf_", "cblas_dgemm"}), ElementsAre("libblas.so", "liblapack.so"));
  EXPECT_THAT(only({"dgetrf_"}), ElementsAre("liblapack.so"));
  EXPECT_THAT(only({"zheev_"}), IsEmpty());
}

TEST(FindLibraries, WhoProvides) {
  EXPECT_STREQ(provider("fftw_execute")->package, "libfftw3-dev");
  EXPECT_STREQ(provider("cblas_dgemm")->flag, "-lopenblas");
  EXPECT_EQ(provider("printf"), nullptr);
  EXPECT_EQ(provider("__stack_"), nullptr);
}

} // namespace
} // namespace pbc::build
