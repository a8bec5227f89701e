// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A schedule tree as a value that transformations take apart and put together again. isl inserts nodes into a tree and
// deletes those with one child, but it cannot drop a child of a sequence, or make one loop of two.
//
//   label x: band x: sequence { S0[x] ; S1[x, k]: label k: band k }
//   => Subtree{ loop x } above Subtree{ InTurn } above { Subtree{ Leaf }, Subtree{ loop k } above Subtree{ Leaf } }
//
//   Subtree all = *subtreeOf(schedule);
//   Subtree *x = find(all, "x");                          // where the loop over x stands
//   *x = inTurn({{first, *x}, {rest, suffixed(*x, "_rest", schedule)}});
//   schedule = scheduleOf(schedule, all);
//
// Invariant: each loop has a label; a sequence has at least two parts, no part of it is itself a sequence, and each part
// has instances.
#pragma once
#include "compiler/kernel/loops.h"

namespace pbc::kernel {

struct Subtree {
  struct Leaf {};
  enum class Parts { InTurn, InAnyOrder };
  std::variant<Leaf, NewLoop, Declare, Parts> node;
  std::vector<Subtree> children;         // one below a loop or a declaration
  std::vector<isl::union_set> instances; // of each child, if the node is Parts

  const NewLoop *loop() const { return std::get_if<NewLoop>(&node); }
  NewLoop *loop() { return std::get_if<NewLoop>(&node); }
  bool isSequence() const;
};

/// One part of a sequence.
struct Part {
  isl::union_set instances;
  Subtree tree;
};

/// All nodes below the domain; nothing if there are nodes of other kinds, such as copies.
std::optional<Subtree> subtreeOf(const isl::schedule &);
/// The tree over the domain of `before`.
isl::schedule scheduleOf(const isl::schedule &before, const Subtree &);

/// The node of the loop with this label; null if there is none.
Subtree *find(Subtree &, const std::string &label);
/// The node whose child this one is; null for the root.
Subtree *parentOf(Subtree &root, const Subtree &child);

/// The parts one after the other. Parts without instances are left out, and a part of a part is one of the whole; each
/// part's own tree is limited to its instances.
Subtree inTurn(const std::vector<Part> &parts);
/// The tree without the instances outside of these.
Subtree limitedTo(const Subtree &, const isl::union_set &instances);
/// Lets loops and sequences run the points of another statement, too, where they run those with the same coordinates. False, and the tree
/// is of no use, if a loop does not run all of them.
bool runBeside(Subtree &, const isl::set &points, const isl::set &others);
/// A loop above a tree.
Subtree loopAbove(const NewLoop &, const Subtree &);

/// The labels of its loops, outer ones first.
std::vector<std::string> labelsOf(const Subtree &);
/// Removes the declarations of a variable or a scratch buffer.
void undeclare(Subtree &, const std::string &local);
/// Declares it for one step of the loop with this label; "": for the whole tree.
void declareBelow(Subtree &, const std::string &loop, const std::string &local);
/// Calls the loop `from` by another name.
void rename(Subtree &, const std::string &from, const std::string &to);

} // namespace pbc::kernel
