// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/beside.h"

#include <algorithm>

namespace pb::device {
namespace {

/// Kernels in use twice would share the prelude's variables; partial results of teams lie in memory that is used again at once.
bool isAlone(const Launch &l) {
  return l.teams.bytes > 0 || std::any_of(l.matrices.begin(), l.matrices.end(),
                                          [](const LaunchMatrix &m) { return !m.place.matrix.owner; });
}

/// Whether both write all cells of boxes that may have cells in common, as a later version of the same cells does.
bool writeTheSame(const LaunchMatrix &x, const LaunchMatrix &y) {
  if (!x.covers || !y.covers)
    return false;
  if (x.place.matrix.base != y.place.matrix.base || x.place.rank != y.place.rank)
    return true;
  for (int d = 0; d < x.place.rank; ++d)
    if (x.written.high[d] <= y.written.low[d] || y.written.high[d] <= x.written.low[d])
      return false;
  return true;
}

bool areIndependent(const Launch &a, const Launch &b) {
  if (isAlone(a) || isAlone(b) || a.kernel == b.kernel)
    return false;
  for (const LaunchMatrix &x : a.matrices)
    for (const LaunchMatrix &y : b.matrices)
      if (x.place.matrix.owner == y.place.matrix.owner &&
          ((x.writes && y.reads) || (x.reads && y.writes) || writeTheSame(x, y)))
        return false;
  return true;
}

} // namespace

std::vector<std::size_t> forksOf(const std::vector<Launch> &launches) {
  std::vector<std::size_t> forks;
  std::size_t fork = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    for (std::size_t k = fork; k < i; ++k)
      if (!areIndependent(launches[k], launches[i]))
        fork = i;
    forks.push_back(fork);
  }
  return forks;
}

} // namespace pb::device
