// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the spaces of a kernel of several nests need to know: which of their loops may become one, and how far behind the first nest
// the second one has to run then.
//
//   for y, x:   T[x, y] = A[x, y] + A[x + 1, y]
//   for y2, x2: C[x, y] = T[x, y] + T[x, y + 1]
//   => y and y2 are alike, 1 apart: iteration y of the second nest uses what iteration y + 1 of the first one makes
//      x and x2 are alike, 0 apart and aligned: an iteration uses what the same one makes
//      T is a temporary, which the nests 0 and 1 use
//
// Loops are alike if they move along the same coordinate of a matrix that one nest writes and a later one uses, and if the distance of
// all that depends on each other is bounded whatever the sizes are. Nests that nothing connects have no loops that are alike.
#pragma once
#include "compiler/search/nest/nest_facts.h"
#include <map>

namespace pbc::search {

struct ChainFacts {
  std::vector<NestFacts> nests; // in their order
  /// By nest and by loop: its class. Loops of one class are alike; a nest has one at most.
  std::vector<std::vector<int>> classes;
  int numberOfClasses = 0; // some have no loop

  struct Distance {
    long most = 0;         // iterations by which the second nest has to run behind the first one, at least
    bool isAligned = true; // whatever depends on each other is in the same iteration
  };
  /// Two nests of which the second one depends on the first one, with the classes that both have loops of.
  struct Link {
    std::size_t first, second;
    std::map<int, Distance> byClass;
  };
  std::vector<Link> links;

  /// A matrix that one nest writes and another one uses.
  struct Shared {
    std::string matrix;
    std::vector<std::size_t> nests; // that use it, in their order
    bool isTemporary = false;       // nobody else uses it
    long bytesOfCell = 8;
  };
  std::vector<Shared> shared;
};

struct ChainFactsOutcome {
  std::optional<ChainFacts> facts;
  std::string why; // a sentence, if there are none
};

/// Whether the kernel has several nests, and nothing outside of them.
bool isChain(const kernel::Scheduled &);

/// The kernel has labels. `values`: of all its sizes.
ChainFactsOutcome chainFacts(const kernel::Scheduled &, const std::map<std::string, long> &values);

} // namespace pbc::search
