// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a performance engineer first asks of a kernel's machine code.
//
//   summarise(function)   multiplyAddShare 0.87 of the innermost loop, global loads { 16 bytes: 4 }, ..
//
// A loop is what lies between a branch and an earlier place to which it leads; an innermost loop has no other one inside, or none with
// multiply-adds where it has some: loops over the cells of an edge do not count. Of several, the one with the most multiply-adds counts: the
// compiler's unrolled form, not the rest behind it.
#pragma once
#include "compiler/cubin/cubin.h"
#include <map>
#include <optional>

namespace pbc::cubin {

struct Loop {
  int instructions = 0, multiplyAdds = 0, groupReads = 0;
  double multiplyAddShare() const { return static_cast<double>(multiplyAdds) / instructions; }
};

struct Summary {
  int instructions = 0;
  std::optional<Loop> innermost;
  /// How many instructions access so many bytes for one item, in the whole kernel.
  std::map<int, int> globalLoads, globalStores, globalCopies, groupLoads, groupStores;
  int localAccesses = 0; // instructions that access an item's stack
};

Summary summarise(const Function &);

} // namespace pbc::cubin
