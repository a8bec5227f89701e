// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels of several nests as spaces of implementations: chains of rules that hand on temporaries, and nests that share nothing.
//
//   kernel Separable: y, x: T = rows of A;  y2, x2: C = columns of T
//   => one space for each way to cut the loops into levels; loops that are alike are cut alike:
//        dimensions y, x, y2, x2;  order(y, y2) before or fused;  order(x, x2) before or fused
//        place(T): `global`, the whole matrix;  `shared`, a few rows of it in the loop that both nests have become;  `register`
//   a leaf => y = fuse(y, y2; shift = 2); contract(T, at = y); unroll(i, i2); vector(x, x2)      (chain_script.h)
//
// It is the structure of all spaces (structure.h): each nest's body is an instruction, and each matrix that one nest writes and another
// one uses a communication, whose pairs are the loops that are alike. That loops which become one are the outermost ones of their nests
// follows from the order of loops. A nest that becomes one loop with an earlier one runs behind it by the least number of iterations that
// the dependences allow, in whole tiles where the loops are cut.
//
// Invariant: as of nest_space.h. Source: lower-bound-search.md, sections 2.2 and 9.1.
#pragma once
#include "compiler/search/chain/chain_facts.h"
#include "compiler/search/nest/nest_space.h"
#include <span>

namespace pbc::search {

/// One way to cut the loops of all nests.
struct ChainSpace {
  script::Script begin;
  kernel::Scheduled kernel;             // after these
  std::vector<NestSpace> nests;         // each with its own work; they have one space together
  std::shared_ptr<const Space> space;   // of all of them
  std::shared_ptr<const ChainFacts> of; // communications are in the order of its `shared`
  std::size_t storing = 0;              // the nest whose matrix may be stored past the caches, if one's may

  /// "unroll(i, i2); y in 2 levels, x in 1 level; y2 in 2 levels, x2 in 1 level"
  std::string text() const;
};

struct ChainSpaces {
  std::vector<ChainSpace> spaces;
  std::string why; // if there are none: a sentence
};

/// Why there are none for several cores.
inline constexpr const char *kChainsAreOfOneCore = "kernels of several nests are searched for one core";

/// What all of these nests have to do.
NestWork together(std::span<const NestSpace> nests);

/// The kernel has several nests (isChain).
ChainSpaces chainSpaces(const kernel::Scheduled &lifted, const NestOptions &);

} // namespace pbc::search
