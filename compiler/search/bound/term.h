// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The terms of the bound: each is a time below which no program of a partly decided nest can stay, for a reason of its own.
//
//   compute   (8)  T >= operations / rate        the core has no more units
//   traffic   (8)  T >= bytes that must come from beyond a level / its rate
//
// A term is a source of its own in terms/ and one line in terms/list.inc. A larger value is better, and a value that is too large
// for one program is an error: the search would lose it. Source: lower-bound-search.md, sections 5 and 9.
#pragma once
#include "compiler/search/bound/nest_view.h"
#include "compiler/search/bound/rates.h"
#include <string_view>

namespace pbc::search {

struct TermInput {
  const NestWork &work;
  const NestView &view;
  const Rates &rates;
};

/// A value with what it was made of, for explanations: amount / rate, of something.
struct TermValue {
  double seconds = 0;
  double amount = 0, rate = 0;       // of what; a second
  std::string_view of = {};          // "bytes", "additions of doubles"
  int level = -1;                    // of the rates, for data
  std::optional<int> dimension = {}; // whose steps were considered; none: the whole nest
};

struct Term {
  std::string_view name;
  std::string_view equation; // in lower-bound-search.md
  std::string_view doc;      // a sentence: why no program is faster
  std::string_view remedy;   // a sentence: what makes the value smaller
  TermValue (*value)(const TermInput &);
  bool isOfWork = false; // it follows from the work alone, so it holds for every schedule
  bool addsUp = false;   // what several kernels need of the same resource adds up, however they overlap
};

const std::vector<Term> &terms();

} // namespace pbc::search
