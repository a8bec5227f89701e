// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes the values of loops dimensions of the statements inside.
//
//   label kt: band 16*floor(k/16): label k: band k: S[y, x, k]
//   => label kt: band kt: label k: band k: S[y, x, k, kt]        with kt = 16*floor(k/16) in the domain of S
//
// Then functions of the loop, such as the place in a scratch buffer that is filled once per step of kt, are affine in the
// statement's dimensions, and isl prints them with the loop's iterator. A loop over a plain dimension of a statement needs no
// other one.
//
// Invariant: instances, their order, their accesses and their dependences are the same ones.
#pragma once
#include "compiler/kernel/loops.h"
#include <map>

namespace pbc::kernel {

struct Exposed {
  Scheduled kernel;
  /// By statement: the dimension that each of the loops is in it.
  std::map<int, std::vector<int>> dimensions;
};

/// For the loops with these labels, each around the next one, and the statements below the last; nothing if one of these
/// statements is opaque. With no label for all statements, which do not change.
std::optional<Exposed> expose(const Scheduled &, const std::vector<std::string> &labels);

/// `wanted`, with `_` behind it as long as one of these dimensions or a parameter has the name.
std::string freshDimension(const Kernel &, const std::vector<std::string> &dimensions,
                           const std::string &wanted);

} // namespace pbc::kernel
