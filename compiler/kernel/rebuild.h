// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes a schedule tree anew, node by node, for statements that have changed.
//
//   S[y, x] becomes S[y, x, yt]: each band and each filter of the old tree is asked for its function and its instances in
//   terms of the new statements; additional statements are inserted where at() says so
//
// isl can change what is below a node, but not the domain of a tree or the functions of its bands.
//
// Invariant: the new tree has the nodes of the old one in the same order, and those that at() adds.
#pragma once
#include "compiler/kernel/tree.h"

namespace pbc::kernel {

class Rebuild {
public:
  virtual ~Rebuild() = default;
  /// The schedule over `domain` with the nodes of `old`.
  isl::schedule run(const isl::schedule &old, const isl::union_set &domain);

protected:
  using Rest = std::function<isl::schedule_node(const isl::schedule_node &leaf)>;

  /// The function of a band (of one member) on the new instances.
  virtual isl::union_pw_aff function(const isl::schedule_node &band) = 0;
  /// Whether the new band is flagged as parallel: steps that make dependences must look again (legal.h).
  virtual bool staysParallel(const isl::schedule_node &band);
  /// The new instances of a filter.
  virtual isl::union_set instances(const isl::schedule_node &filter) = 0;
  /// Puts `old` and what is below it at a leaf of the new tree, by `rest`, and additional nodes around it; gives the node
  /// at the leaf's position.
  virtual isl::schedule_node at(const isl::schedule_node &old, const isl::schedule_node &leaf,
                                const Rest &rest) {
    (void)old;
    return rest(leaf);
  }

private:
  isl::schedule_node put(const isl::schedule_node &old, const isl::schedule_node &leaf);
  isl::schedule_node putNode(const isl::schedule_node &old, const isl::schedule_node &leaf);
};

} // namespace pbc::kernel
