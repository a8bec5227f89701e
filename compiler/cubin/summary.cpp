// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/cubin/summary.h"
#include <algorithm>

namespace pbc::cubin {
namespace {

struct Range {
  long first, last; // places of its first instruction and of the branch
};

int multiplyAddsIn(const Function &f, const Range &range) {
  return static_cast<int>(
      std::count_if(f.instructions.begin(), f.instructions.end(), [&](const Instruction &i) {
        return i.kind == Kind::MultiplyAdd && i.place >= range.first && i.place <= range.last;
      }));
}

/// The loops that have no other one inside; of those with multiply-adds, no other one with some of them.
std::vector<Range> innermostLoops(const Function &f) {
  std::vector<Range> all;
  for (const Instruction &i : f.instructions)
    if (i.kind == Kind::Branch && i.target >= 0 && i.target < i.place)
      all.push_back({i.target, i.place});
  std::vector<Range> innermost;
  for (const Range &r : all)
    if (std::none_of(all.begin(), all.end(), [&](const Range &other) {
          return other.first >= r.first && other.last <= r.last &&
                 other.last - other.first < r.last - r.first &&
                 (multiplyAddsIn(f, other) > 0 || multiplyAddsIn(f, r) == 0);
        }))
      innermost.push_back(r);
  return innermost;
}

Loop contentsOf(const Function &f, const Range &range) {
  Loop loop;
  for (const Instruction &i : f.instructions)
    if (i.place >= range.first && i.place <= range.last) {
      ++loop.instructions;
      loop.multiplyAdds += i.kind == Kind::MultiplyAdd;
      loop.groupReads += i.kind == Kind::SharedLoad;
    }
  return loop;
}

} // namespace

Summary summarise(const Function &f) {
  Summary all;
  all.instructions = static_cast<int>(f.instructions.size());
  for (const Instruction &i : f.instructions) {
    switch (i.kind) {
    case Kind::GlobalLoad:
      ++all.globalLoads[i.bytes];
      break;
    case Kind::GlobalStore:
      ++all.globalStores[i.bytes];
      break;
    case Kind::GlobalCopy:
      ++all.globalCopies[i.bytes];
      break;
    case Kind::SharedLoad:
      ++all.groupLoads[i.bytes];
      break;
    case Kind::SharedStore:
      ++all.groupStores[i.bytes];
      break;
    case Kind::LocalLoad:
    case Kind::LocalStore:
      ++all.localAccesses;
      break;
    default:
      break;
    }
  }
  for (const Range &range : innermostLoops(f)) {
    const Loop loop = contentsOf(f, range);
    if (!all.innermost || loop.multiplyAdds > all.innermost->multiplyAdds)
      all.innermost = loop;
  }
  return all;
}

} // namespace pbc::cubin
