// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/system_packages.h"
#include "scratch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pbc::build {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SystemPackages, EachOnceInOrder) {
  const Scratch empty;
  EXPECT_THAT(missingPackages({"ld.lld", "Scrt1.o", "crti.o", "crtbeginS.o", "-L" + empty.path(""), "unit.o",
                               "-lpng", "-lz", "-lm", "-lstdc++", "-lc"}),
              ElementsAre("libc6-dev", "libgcc-12-dev", "libpng-dev", "zlib1g-dev", "libstdc++-12-dev"));
}

TEST(SystemPackages, WhatIsThereIsNotNamed) {
  const Scratch first, second;
  writeFile(first.path("libpng.so"), "");
  writeFile(second.path("libz.a"), "");
  writeFile(second.path("crt1.o"), "");
  EXPECT_THAT(
      missingPackages({second.path("crt1.o"), "-L" + first.path(""), "-L" + second.path(""), "-lpng", "-lz"}),
      IsEmpty());
  // A library for programs that run is none to link with.
  writeFile(first.path("libm.so.6"), "");
  EXPECT_THAT(missingPackages({"-L" + first.path(""), "-lm"}), ElementsAre("libc6-dev"));
}

TEST(SystemPackages, LibrariesOfAProgramAreNotKnown) {
  EXPECT_THAT(missingPackages({"-lmine", "unit.o", "other.o", "-L"}), IsEmpty());
}

} // namespace
} // namespace pbc::build
