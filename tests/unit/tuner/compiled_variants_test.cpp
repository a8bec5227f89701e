// Variants by a compiler that is a script: it hangs where the settings say so, else it copies a program.
#include "tuner/kernels/compiled_variants.h"

#include "tuner/write_file.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <unistd.h>

namespace pbc::tuner {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

KernelSettings settings(const std::string &value) { return {{{"T", "a", "jam"}, value}}; }

class OfCompiler : public testing::Test {
protected:
  OfCompiler() {
    fs::create_directories(folder_);
    writeAtomically(
        folder_ / "compiler",
        "#!/bin/sh\n"
        "out=$2\n"
        "for word; do case $word in --config=*) grep -q hang ${word#*=} && exec sleep 1000;; esac; done\n"
        "cp " FAKE_PROGRAM " $out\n",
        true);
  }
  ~OfCompiler() override { fs::remove_all(folder_); }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("pbc-variants-" + std::to_string(getpid()));
  CompiledVariants variants_{{folder_ / "compiler", {"T.pbcc"}, folder_, 4, 2, {}}};
};

/// All but the first ended long before its time was over.
TEST_F(OfCompiler, WhoHangsTakesNobodyAlong) {
  variants_.build({settings("hang"), settings("1"), settings("2"), settings("3")});
  EXPECT_THAT(variants_.why(settings("hang")), HasSubstr("is not compiled within 2 s"));
  for (const char *value : {"1", "2", "3"})
    EXPECT_NE(variants_.program(settings(value)), "") << variants_.why(settings(value));
}

} // namespace
} // namespace pbc::tuner
