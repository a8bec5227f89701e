// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The configurations that are kept while the search goes from size to size.
//
//   population.join(child);  population.prune(size, 10);   // the 10 fastest at this size stay, fastest first
//
// Invariant: no configuration is in it twice. Of two that are equally fast (2 %) the simpler one is first.
// Source: petabricks-hetero 7.2 (prune by performance at n).
#pragma once
#include "tuner/strategy/tester.h"

namespace pbc::tuner {

class Population {
public:
  /// False if it is a member already.
  bool join(Candidate);
  /// Keeps the `most` fastest of those measured at this size, in order; if none was measured, all stay.
  void prune(int size, int most);
  /// Removes the members that a test at this size rejected.
  void keepMeasured(int size);
  /// Removes the members that use an alternative which has been banned. The fastest of them are replaced by
  /// what is left of them without it, if that runs at this size, because they may be all that was found.
  void removeBanned(Tester &, int size);
  /// If the time of the best member has changed, no earlier times are comparable any more: the fastest
  /// members are measured again, and the others are removed.
  void checkTimes(Tester &, int size, int most);
  Candidate &best(int size);
  /// Nothing if there is no member, or none was measured at this size.
  Candidate *bestMeasured(int size);
  /// Nothing if it is not a member.
  Candidate *find(const Configuration &);

  std::vector<Candidate> &members() { return members_; }
  const std::vector<Candidate> &members() const { return members_; }

private:
  std::vector<Candidate> members_;
};

} // namespace pbc::tuner
