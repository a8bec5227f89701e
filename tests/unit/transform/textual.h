// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels and steps as text, for tests of transformations.
//
//   Texts t;
//   const Scheduled k = t.kernel(R"(
//   kernel Add [n]
//     buffer A double 1-d input
//     buffer B double 1-d output
//     S[x]: B[x] = A[x] + 1.0
//       { S[x] : 0 <= x < n }
//     schedule
//       band x
//   )");
//   t.after(k, "tile(x; 4)")       the text of the schedule's tree, or "refused: " and why
//
// docs/kernel-text.md describes the form of kernels.
#pragma once
#include "compiler/kernel/parse.h"
#include "compiler/script/script.h"

namespace pbc::kernel {

class Texts {
public:
  /// The kernel; the test fails with the message if there is an error.
  Scheduled kernel(const std::string &text);
  /// The messages about a text.
  std::string messages(const std::string &text);
  script::Script steps(const std::string &text);
  /// The kernel after the steps; nothing if one does not apply, which `why` then has.
  std::optional<Scheduled> run(const Scheduled &, const std::string &steps, std::string *why = nullptr);
  /// The tree after the steps as text, or "refused: " and the reason.
  std::string after(const Scheduled &, const std::string &steps);

  poly::Context &context() { return context_; }

private:
  poly::Context context_; // must outlive all kernels
};

/// The lines below `schedule`, without what they have in front in common.
std::string treeOf(const Scheduled &);
/// The loops of the schedule before lowering, as `--emit=loops` prints them.
std::string scheduledLoops(const Scheduled &);
/// How often the word is in the text.
std::size_t countOf(const std::string &text, const std::string &word);

} // namespace pbc::kernel
