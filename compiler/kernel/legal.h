// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides whether a schedule respects every dependence, and which loops carry none.
//
//   dependences { S[i] -> S[i+1] }   band i: sequential   band -i: illegal
//
// All such questions are answered here; transformations never decide them themselves.
#pragma once
#include "compiler/kernel/kernel.h"
#include <isl/schedule_node.h>
#include <optional>
#include <vector>

namespace pbc::kernel {

/// The dependences between instances for which `value` is the same.
isl::union_map equalAt(const isl::union_map &dependences, const isl::union_pw_aff &value);

/// Whether no dependence leads to an instance with a smaller value.
bool neverDecreases(const isl::union_map &dependences, const isl::union_pw_aff &value);

/// Whether all dependences lead to instances with the same value.
bool neverChanges(const isl::union_map &dependences, const isl::union_pw_aff &value);

/// The schedule with the coincident and permutable flags of all bands set according to the dependences; nothing, if it is not legal:
/// some dependence does not end later than it begins.
std::optional<isl::schedule> withFlags(const isl::schedule &, const isl::union_map &dependences);

/// Whether member `k` of the band carries no dependence between instances that agree on the bands around it: its iterations may run in
/// parallel.
bool isParallel(const isl::schedule_node &band, int k, const isl::union_map &dependences);

/// What a walk down a tree with flags (withFlags) finds at a node to which it came with `open`: the dependences that no loop above gives an order.
struct AtNode {
  std::vector<bool>
      isParallel; // of a band's members: whether it carries none of them, for fixed members in front of it
  isl::union_map open; // those to which the node gives no order, either
};
AtNode atNode(const isl::schedule_node &, const isl::union_map &open);

/// The same of a band with one member whose tree has flags (withFlags): reads the flag.
bool isParallel(const isl::schedule_node &band);

/// Whether no dependence goes backwards in any of these functions, for fixed outer bands: as loops at the node they may be
/// reordered and tiled.
bool isPermutable(const isl::schedule_node &at, const std::vector<isl::union_pw_aff> &functions,
                  const isl::union_map &dependences);

/// Two instances that the schedule runs in the wrong order: "S[y=3, x=0] must run before S[y=2, x=1]"; "" if the schedule is legal.
std::string firstClash(const Kernel &, const isl::schedule &);

} // namespace pbc::kernel
