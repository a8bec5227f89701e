// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/search/examples.h"
#include <string>
#include <utility>

namespace pbc::search {

ScaledVector scaledVector() {
  ScaledVector made;
  Structure &s = made.structure;
  s.name = "scaled vector";
  const int outer = s.addSize({"N/(T1 T2)", {1024}, false});
  const int middle = s.addSize({"T1", {64}});
  const int inner = s.addSize({"T2", {4}});
  const KindSet tile = Kind::Block | Kind::Thread | (Kind::For | Kind::Unroll);
  made.d0 = s.addDimension({"d0", outer, Kind::Block | Kind::For});
  made.d1 = s.addDimension({"d1", middle, tile});
  made.d2 = s.addDimension({"d2", inner, tile | Kind::Vector});
  made.d3 = s.addDimension({"d3", inner, tile});
  made.d4 = s.addDimension({"d4", inner, tile | Kind::Vector});
  made.i0 = s.addInstruction({"i0", {made.d0}});
  made.i1 = s.addInstruction({"i1", {made.d0, made.d1}});
  made.i2 = s.addInstruction({"i2", {made.d0, made.d1, made.d2}, false, true});
  made.i3 = s.addInstruction({"i3", {made.d0, made.d1, made.d3}});
  made.i4 = s.addInstruction({"i4", {made.d0, made.d1, made.d4}, false, true});
  s.edges = {
      {made.i0, made.i1}, {made.i1, made.i2}, {made.i1, made.i4}, {made.i2, made.i3}, {made.i3, made.i4}};
  s.communications = {{"a", {{made.d2, made.d3}}}, {"b", {{made.d3, made.d4}}}};
  s.accesses = {{made.i2, Cache::Second | Cache::None}, {made.i4, Cache::Second | Cache::None}};
  return made;
}

namespace {

/// The dimensions of a nest; -1: one that is not there.
using Nest = std::vector<int>;

struct Sgemm {
  Structure s;
  int outer = -1, outerSum = -1, inner = -1, innermost = -1; // sizes; -1: one iteration only

  int dimension(const std::string &name, int size, bool isParallel = true) {
    if (size < 0)
      return -1;
    const bool isOuter = size == outer || size == outerSum;
    return s.addDimension({name, size, isOuter ? Kind::For | Kind::Block : KindSet::all(), isParallel});
  }
  Nest nest(const std::string &suffix) {
    Nest made;
    for (const char *d : {"m", "n"})
      for (const auto &[level, size] : {std::pair("", outer), {"'", inner}, {"''", innermost}})
        made.push_back(dimension(d + suffix + level, size));
    return made;
  }
  static Nest present(const Nest &nest) {
    Nest made;
    for (const int d : nest)
      if (d >= 0)
        made.push_back(d);
    return made;
  }
  void communicate(const std::string &name, const Nest &from, const Nest &to) {
    Communication made{name, {}};
    for (std::size_t i = 0; i < from.size(); ++i)
      if (from[i] >= 0)
        made.pairs.push_back({from[i], to[i]});
    if (!made.pairs.empty())
      s.communications.push_back(made);
  }
  int instruction(const std::string &name, const Nest &nest, bool isMemory) {
    return s.addInstruction({name, present(nest), name == "store C", isMemory, name == "begin"});
  }
};

} // namespace

Structure sgemm(long n, long inner, long innermost) {
  Sgemm made;
  Structure &s = made.s;
  s.name = "sgemm";
  const long tile = inner * innermost;
  made.outer = s.addSize({"N/(T1 T2)", {n / tile}, false});
  made.outerSum = s.addSize({"N/T1", {n / inner}, false});
  if (inner > 1)
    made.inner = s.addSize({"T1", {inner}});
  if (innermost > 1)
    made.innermost = s.addSize({"T2", {innermost}});
  const Nest first = made.nest("1");
  const int begin = made.instruction("begin", first, false);
  const int m = made.dimension("m2", made.outer), nn = made.dimension("n2", made.outer),
            k = made.dimension("k", made.outerSum, false);
  const Nest chunkA = {made.dimension("mA'", made.inner), made.dimension("kA'", made.inner),
                       made.dimension("mA''", made.innermost)};
  const int loadA = made.instruction("load A", {m, nn, k, chunkA[0], chunkA[1], chunkA[2]}, true);
  const Nest chunkB = {made.dimension("kB'", made.inner), made.dimension("nB'", made.inner),
                       made.dimension("nB''", made.innermost)};
  const int loadB = made.instruction("load B", {m, nn, k, chunkB[0], chunkB[1], chunkB[2]}, true);
  const Nest tiles = {made.dimension("m2'", made.inner), made.dimension("m2''", made.innermost),
                      made.dimension("n2'", made.inner), made.dimension("n2''", made.innermost),
                      made.dimension("k'", made.inner, false)};
  const int multiply =
      made.instruction("multiply", {m, nn, k, tiles[0], tiles[1], tiles[2], tiles[3], tiles[4]}, false);
  const Nest last = made.nest("3");
  const int loadC = made.instruction("load C", last, true), scale = made.instruction("scale", last, false),
            storeC = made.instruction("store C", last, true);
  const Nest second = {m, tiles[0], tiles[1], nn, tiles[2], tiles[3]};
  made.communicate("sum", first, second);
  made.communicate("total", second, last);
  made.communicate("Atmp", chunkA, {tiles[0], tiles[4], tiles[1]});
  made.communicate("Btmp", chunkB, {tiles[4], tiles[2], tiles[3]});
  s.edges = {{begin, multiply}, {loadA, multiply}, {loadB, multiply},
             {multiply, scale}, {loadC, scale},    {scale, storeC}};
  for (const int access : {loadA, loadB, loadC, storeC})
    s.accesses.push_back(
        {access, Cache::First | Cache::Second | (access == storeC ? Cache::None : Cache::ReadOnly)});
  s.limits.threadsInBlock = 1024;
  s.limits.blockDimensions = s.limits.threadDimensions = 3;
  s.limits.sharedBytes = 48 * 1024;
  s.limits.unrolled = 512;
  return s;
}

} // namespace pbc::search
