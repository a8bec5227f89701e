// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles the code of scheduled kernels, runs it, and compares what it computes with the interpreter of the kernels before
// they were scheduled.
//
//   Comparison c(context);
//   c.add("tile(x; 4)", before, after);     several of them, as a run of Clang takes long
//   EXPECT_EQ(c.differences(), "");
//
// Each kernel runs for several sizes, 0 and 1 among them, on contiguous and on strided matrices, as a whole and cut into the parts
// of its tasks, in another order than from the first to the last where tasks may run in any. A realisation that the
// schedule has and the code has not is a difference, too.
#pragma once
#include "tests/unit/transform/interpret.h"

namespace pbc::kernel {

class Comparison {
public:
  explicit Comparison(poly::Context &ctx) : ctx_(ctx) {}

  /// The kernels' parameters are n and m, their elements doubles.
  void add(const std::string &what, const Scheduled &before, const Scheduled &after);
  int count() const { return count_; }
  /// One line for each difference; "" if there is none.
  std::string differences();

private:
  poly::Context &ctx_;
  std::string code_, calls_;
  std::string dropped_; // realisations of which the code has nothing
  std::vector<std::string> whats_;
  int count_ = 0;
  std::string text_; // of the last kernel before it was scheduled, with its
  std::vector<unsigned long> sums_;
};

} // namespace pbc::kernel
