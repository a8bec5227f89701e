// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loops of a schedule by name. Scripts, policies and searches speak of loops; the tree has nodes.
//
//   band (y, x): alloc s: { S0 ; band k: S1 ; S2 }
//   => label y: band y: label x: band x: alloc s: { S0 ; label k: band k: S1 ; S2 }
//   findLoop(schedule, "k")    the nodes of the loop over k
//   realised(schedule, "x", as::Vector{})   label x: mark vector: band x: ...
//
// A loop is a label, at most one realisation below it, and a band of one member below that. Labels are the names of the
// variables over which the loops run; where several loops run over variables of one name, the later ones in the tree have
// a number behind it (x, x2). A transformation that makes loops gives them labels, too.
//
// Invariant: labels are unique in a tree, and each band of a labelled tree is below a label.
#pragma once
#include "compiler/kernel/tree.h"

namespace pbc::kernel {

struct LoopNode {
  std::string label;
  isl::schedule_node top; // the label's node
  std::optional<Realisation> how;
  isl::schedule_node band;
};

/// The same schedule, in which every band has one member and a label; labels that exist are kept.
isl::schedule labelled(const Kernel &, const isl::schedule &);
/// The same schedule without labels.
isl::schedule withoutLabels(const isl::schedule &);

/// All loops, outer ones before inner ones and earlier ones before later ones.
std::vector<LoopNode> loopsOf(const isl::schedule &);
/// The loop with this label.
std::optional<LoopNode> findLoop(const isl::schedule &, const std::string &label);
/// The loop whose label is this node; nothing for other nodes.
std::optional<LoopNode> loopAt(const isl::schedule_node &);
/// This loop and those below it that have nothing between them and the one above.
std::vector<LoopNode> nestFrom(const LoopNode &outermost);
/// The labels of all loops.
std::vector<std::string> labelsOf(const isl::schedule &);
/// `wanted` if no loop has this label, else with a number behind it.
std::string freshLabel(const isl::schedule &, const std::string &wanted);

/// The loop with another realisation, or without one.
isl::schedule realised(const isl::schedule &, const std::string &label, const std::optional<Realisation> &);
struct NewLoop {
  std::string label;
  isl::union_pw_aff function;
  std::optional<Realisation> how = {};
  bool isParallel = false; // its flag; legal.h finds out
};
/// Puts a loop above `node`; gives the new loop's label node.
isl::schedule_node insertLoop(const isl::schedule_node &node, const NewLoop &);
/// The schedule with these loops in place of a nest (nestFrom()).
isl::schedule replaceLoops(const std::vector<LoopNode> &nest, const std::vector<NewLoop> &loops);
/// Removes the loop's nodes; gives what was below it.
isl::schedule_node removeLoop(const LoopNode &);

} // namespace pbc::kernel
