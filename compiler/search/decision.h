// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The table of decisions: what can be decided, which values there are, and which constraints hold between them, each with
// its documentation.
//
//   for (const Decision &decision : decisions())        kind, place, order, cache, size
//     for (const Value &value : decision.values) ...    for, unroll, vector, thread, block
//     for (const Rule &rule : decision.rules) ...       K1: "Fused dimensions have the same kind."
//
// A decision is a source of its own in decisions/ and one line in decisions/list.inc, whose order is that in which a search
// decides: what changes the time most comes first (lower-bound-search.md, section 4.2).
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pbc::search {

class Space;
struct Structure;
struct Variable;

struct Value {
  std::string_view name;
  std::string_view doc; // a sentence
};

/// A constraint on decisions, as a function that adds its instances for all objects of a space.
struct Rule {
  std::string_view id;  // as in lower-bound-search.md, section 2.5, where it has one
  std::string_view doc; // a sentence
  void (*instances)(Space &, int rule);
};

struct Decision {
  std::string_view name;
  std::string_view doc;      // a sentence
  std::vector<Value> values; // empty: they are those of the structure, such as the sizes of a tile
  void (*variables)(Space &, int decision); // adds a variable for each thing to decide, with its first domain
  std::string (*subject)(const Structure &, const Variable &); // "d0": what a variable decides about
  std::vector<Rule> rules;
};

const std::vector<Decision> &decisions();

} // namespace pbc::search
