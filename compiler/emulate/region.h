// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The parts of a trace for which elasticities are found separately: what is done of one kind for one line of a rule.
//
//   12:  s += a.cell(k) * b.cell(k);        =>  region 0 { loads, line 12 }, region 1 { computing, line 12 }
//   13:  return s;                              region 2 { stores, line 13 }
//
// What belongs to no line, such as finding an item's points, has a region of its kind without a line.
#pragma once
#include "compiler/source/source.h"
#include <vector>

namespace pbc::emulate {

struct Region {
  enum class Kind {
    Any,       // of a trace that has one region
    Copies,    // into the memory of a group
    Loads,     // all others
    Computing, // with indices and loops
    Stores,
    Starts // of groups
  };
  Kind kind = Kind::Any;
  source::Origin origin = {}; // of a copy, that of what reads what was copied
  bool operator==(const Region &) const = default;
};

/// "loads"
const char *nameOf(Region::Kind);

/// The place of the region among `all`, to which it is added if it is not there.
int placeOf(const Region &, std::vector<Region> &all);

} // namespace pbc::emulate
