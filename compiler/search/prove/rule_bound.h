// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The time below which no schedule of a rule's loops stays in a program, from what they have to do.
//
//   RuleBound b = ruleBound(lifted, {.values = {{"n", 1024}}, .cores = 2}, rates);
//   b.seconds    1.1e-3
//   b.term       "compute": 1.7e7 additions of doubles, at 9.4e10 a second
//
// Only terms that follow from the work are asked, with the rates of all cores together and with caches as large as all of them, so that the
// bound holds however the work is shared. Matrices that the program need not keep as a whole (`temporaries`) cross no boundary of the
// memory. Source: lower-bound-search.md, sections 5.6 and 9.5.
#pragma once
#include "compiler/search/bound/rates.h"
#include "compiler/search/nest/nest_space.h"
#include <set>
#include <string>

namespace pbc::search {

struct RuleBoundOptions {
  SizeValues values; // of all sizes of the kernel
  int cores = 1;
  std::set<std::string> temporaries = {}; // names of matrices between rules
};

struct RuleBound {
  double seconds = 0;     // 0: there is none
  std::string why;        // if there is none: a sentence
  std::string term;       // "compute"
  std::string of;         // "additions of doubles"
  std::string derivation; // two sentences: the figures, and why no schedule is faster
  std::string remedy;     // a sentence: what makes it smaller
  bool addsUp = false;    // with bounds of other rules of the same resource (`of`)
};

RuleBound ruleBound(const kernel::Scheduled &lifted, const RuleBoundOptions &, const Rates &);

} // namespace pbc::search
