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
      {{"C1", "What a processor stores past its caches are vectors along rows.", rowsPastCachesAreVectors}}};
}

} // namespace pbc::search
