// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Weaves adaptors into a script: from one recipe for a kernel, all that may serve a relative of it.
//
//   compose(trmm, "TG; LT; LU; SM_alloc(B, Transpose)", {Triangular(A)})
//   => rule 1 (empty):                 TG LT LU                  LU left out: the limits of its loops move
//      rule 2, peel_triangular(A):     peel TG LT LU             the same as the one above: the triangle is in no tile yet
//                                      TG peel LT LU             kept
//                                      ...
//
// Each combination of rules, one of each adaptor, is split into steps whose order matters and steps about memory; the former are mixed in
// all ways (mixer.h), the latter joined (placements.h). The filter runs each sequence on the kernel, leaves out steps that do not apply,
// with the reason, and finds sequences that make the same kernel. A step that applies is legal (transform/transformation.h), so nothing
// illegal is left. Pure: nothing is written or printed. Source: optimisation-scripts 5.
#pragma once
#include "compiler/kernel/transform/run.h"
#include "compiler/script/adaptor.h"

namespace pbc::compose {

/// An adaptor of this use, found and with its arguments put in.
struct Adapted {
  script::Adaptation use;
  std::vector<script::AdaptorRule> rules;
};

/// One way to mix, and what became of it.
struct Sequence {
  script::Script mixed;
  std::vector<kernel::FailedStep> omitted; // of `mixed`, and behind it of the steps about memory
  script::Script kept;                     // with the steps about memory, where they apply
  std::optional<kernel::Scheduled> kernel; // that `kept` makes
  int sameAs = -1; // an earlier sequence, counted through all variants, that makes this kernel
};

/// A combination of rules.
struct Variant {
  std::vector<std::size_t> rules; // of each adaptor, from 0
  std::vector<script::Condition> conditions;
  script::Script memory; // what is to be placed
  std::string why;       // the places clash, and there are no sequences
  std::vector<Sequence> sequences;
};

struct Composition {
  std::vector<Variant> variants;
};

/// A text that no two kernels with different loops share: the tree and the statements. (Printing a kernel for people takes long: it finds out
/// which loops are parallel.)
std::string keyOf(const kernel::Scheduled &);

/// The same of kernels that differ in anything: in buffers, in what is computed, in tasks, in blocks in registers, in the simpler schedule.
std::string wholeKeyOf(const kernel::Scheduled &);

/// All steps are of transformations that exist. At most kMostSequences sequences; a sentence if there would be more.
struct CompositionOutcome {
  std::optional<Composition> composition;
  std::string why;
};
inline constexpr std::size_t kMostSequences = 2000;
CompositionOutcome compose(const kernel::Scheduled &, const script::Script &base,
                           const std::vector<Adapted> &);

/// "gemm + Triangular(A) rule 2": where a script comes from.
std::string provenance(const std::string &script, const Variant &, const std::vector<Adapted> &);

/// The sequences that make a kernel of their own.
std::vector<std::pair<const Variant *, const Sequence *>> distinct(const Composition &);

/// A rule of an adaptor of which no step applies in any sequence, and why.
struct Unused {
  std::size_t rule = 0;
  std::string why;
};
/// All rules of the adaptor that have steps, if no step of any of them applies anywhere; nothing otherwise.
std::vector<Unused> unusedRules(const Composition &, const std::vector<Adapted> &, std::size_t adaptor);

} // namespace pbc::compose
