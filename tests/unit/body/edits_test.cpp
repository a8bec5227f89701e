// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The positions that the emitter will rewrite: exact byte ranges of calls, spawns, syncs and returns.
#include "support.h"
#include <gtest/gtest.h>

namespace pbc::body {
namespace {

std::string edits(const std::string &body) {
  Understood u(viewProgram(body));
  EXPECT_EQ(u.messages, "");
  return u.edits();
}

TEST(Edits, CallsAndSpawns) {
  EXPECT_EQ(edits("Main(b, a);"), "Call Main{b, a} @ Main(b, a)");
  EXPECT_EQ(edits("spawn Main(b, a); sync;"), "Spawn Main{b, a} @ spawn Main(b, a); Sync @ sync");
  EXPECT_EQ(edits("double s; if (n > 1) Two(b, s, a, 2); else { Main(b, a); }"),
            "Call Two{b, s, a, 2} @ Two(b, s, a, 2); Call Main{b, a} @ Main(b, a)");
}

TEST(Edits, OldSpellings) {
  EXPECT_EQ(edits("SPAWN(Main, b, a); SYNC(); CALL(Main, b.region(0, n), a); Main(b, a);"),
            "Spawn Main{ b, a} @ SPAWN(Main, b, a); Sync @ SYNC(); "
            "Call Main{ b.region(0, n), a} @ CALL(Main, b.region(0, n), a); Call Main{b, a} @ Main(b, a)");
}

TEST(Edits, EveryStatementPosition) {
  EXPECT_EQ(
      edits(
          "do Main(b, a); while (n > 9); while (n > 9) Main(b, a); for (int i = 0; i < n; ++i) Main(b, a);\n"
          "switch (n) { case 1: Main(b, a); break; default: Main(b, a); } l: Main(b, a); goto l;"),
      "Call Main{b, a} @ Main(b, a); Call Main{b, a} @ Main(b, a); Call Main{b, a} @ Main(b, a); "
      "Call Main{b, a} @ Main(b, a); Call Main{b, a} @ Main(b, a); Call Main{b, a} @ Main(b, a)");
}

TEST(Edits, CommentsAndLinesInsideACall) {
  EXPECT_EQ(edits("Main /* ( */ (b, // x (\n  a) ;"),
            "Call Main{b, // x (\n  a} @ Main /* ( */ (b, // x (\n  a)");
}

TEST(Edits, MacrosOfTheProgramAreExpandedBefore) {
  Understood u("#define BOTH(x) Main(b, x)\n" + viewProgram("BOTH(a);"));
  EXPECT_EQ(u.messages, "");
  EXPECT_EQ(u.edits(), "Call Main{b, a} @ Main(b, a)");
}

TEST(Edits, ReturnsButNotThoseOfLambdas) {
  EXPECT_EQ(edits("auto f = [](int x) { return x; }; if (f(n) == 0) return; Main(b, a);"),
            "Return @ return; Call Main{b, a} @ Main(b, a)");
  Understood u(cellProgram("if (c > 0) return\n  c + 1; return (2);"));
  EXPECT_EQ(u.edits(), "Return @ return\n  c + 1; Return @ return (2)");
}

TEST(Edits, CalleesOnce) {
  Understood u(viewProgram("Main(b, a); Main(b, a); double s; Two(b, s, a, 1);"));
  EXPECT_EQ(u.facts().callees, (std::vector<std::string>{"Main", "Two"}));
}

} // namespace
} // namespace pbc::body
