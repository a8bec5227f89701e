// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What refutes a claimed gain. The check itself is tested by programs that cheat (tests/tune/hostile).
#include "tuner/evaluate/outside_run.h"

#include <gtest/gtest.h>

namespace pbc::tuner {
namespace {

TEST(OutsideRun, AGainThatIsNotThereIsContradicted) {
  EXPECT_TRUE(areContradicted({.byDefault = 0.2, .claimed = 0.01}, 0.2, 0.2));
  EXPECT_TRUE(areContradicted({.byDefault = 0.2, .claimed = 0.01}, 0.2, 0.19));
  EXPECT_FALSE(areContradicted({.byDefault = 0.2, .claimed = 0.01}, 0.2, 0.012));
  EXPECT_FALSE(areContradicted({.byDefault = 0.2, .claimed = 0.01}, 0.2, 0.1));
}

TEST(OutsideRun, ACandidateAsFastAsReportedIsBelievedWhateverTheDefaultTakes) {
  // On a busy machine the default took 113 ms among the workers, and 40 ms by itself.
  EXPECT_FALSE(areContradicted({.byDefault = 0.113, .claimed = 0.0138}, 0.0404, 0.0169));
  EXPECT_TRUE(areContradicted({.byDefault = 0.113, .claimed = 0.0138}, 0.0404, 0.0404));
}

} // namespace
} // namespace pbc::tuner
