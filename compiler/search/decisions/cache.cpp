// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/space.h"

namespace pbc::search {
namespace {

void addCaches(Space &space, int decision) {
  for (int a = 0; a < int(space.structure().accesses.size()); ++a)
    space.setCache(a, space.making().addVariable(
                          {decision, a, -1, space.structure().accesses[std::size_t(a)].caches.bits()}));
}

void rowsPastCachesAreVectors(Space &space, int rule) {
  for (int a = 0; a < int(space.structure().accesses.size()); ++a) {
    const std::vector<int> &rows = space.structure().accesses[std::size_t(a)].rowDimensions;
    if (rows.empty())
      continue;
    std::vector<Literal> literals = {space.isCache(a, ~CacheSet(Cache::None))};
    for (const int d : rows)
      literals.push_back(space.isKind(d, Kind::Vector));
    space.making().addClause(rule, literals);
  }
}

/// A loop that is shared stores what the other instruction makes, too, unless that stays in registers.
void rowsPastCachesStoreNothingElse(Space &space, int rule) {
  const Structure &structure = space.structure();
  for (int a = 0; a < int(structure.accesses.size()); ++a)
    for (const int row : structure.accesses[std::size_t(a)].rowDimensions)
      for (int c = 0; c < int(structure.communications.size()); ++c)
        for (const Communication::Pair &pair : structure.communications[std::size_t(c)].pairs)
          if (pair.source == row || pair.target == row)
            space.clause(rule,
                         {space.isCache(a, ~CacheSet(Cache::None)),
                          space.isOrder(pair.source, pair.target, ~OrderSet(Order::Fused)),
                          space.isKind(row, ~KindSet(Kind::Vector)), space.isPlace(c, Place::Register)});
}

std::string cacheSubject(const Structure &structure, const Variable &variable) {
  return structure.nameOf(structure.accesses[std::size_t(variable.first)].instruction);
}

} // namespace

Decision cacheDecision() {
  return {
      "cache",
      "The nearest cache that an access uses.",
      {{"first", "The cache of a core or multiprocessor, and those behind it."},
       {"second", "The machine's cache."},
       {"read_only", "The cache for what no one writes."},
       {"none", "No cache: the data are used once."}},
      addCaches,
      cacheSubject,
      {{"C1", "What a processor stores past its caches are vectors along rows.", rowsPastCachesAreVectors},
       {"C2", "A vector that stores past the caches stores nothing else.", rowsPastCachesStoreNothingElse}}};
}

} // namespace pbc::search
