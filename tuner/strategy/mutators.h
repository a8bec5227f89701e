// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The ways to change a configuration, one function each; the program's space decides which of them exist.
//
//   Selector {n<100: Insertion, else Merge} at n = 4096:
//     add level     -> {n<100: Insertion, n<2730: Merge, else Quick}       cut-off 2n/3, or
//                      {n<100: Insertion, n<682: Merge, n<1365: Quick, else Merge}   a band around m <= n
//     remove level  -> {Merge}
//     change level  -> {n<100: Quick, else Merge}
//     scale cut-off -> {n<171: Insertion, else Merge}                      factor lognormal, sigma 1
//   Tunable: logarithmic ones by a lognormal factor, others uniform in their range.
//
// Invariant: the result fits the space (requirements 74, 75, 77) and differs from the argument; a mutator
// that has nothing to change gives nothing. Only levels and cut-offs that sizes up to n can reach are
// changed, because others could not be judged at n. Source: petabricks-hetero 7.2 and requirement 76.
#pragma once
#include "tuner/space/configuration.h"
#include "tuner/strategy/random.h"

#include <optional>

namespace pbc::tuner {

class Bans; // bans.h

/// The lower end of the sizes that count as "around n": 2n/3 up to 4n/3, always above n/2, so that the bands
/// of n and n/2 do not overlap.
long bandStart(long n);
long bandEnd(long n);

std::optional<Selector> addLevel(const Selector &, const std::vector<int> &alternatives, long n, Random &);
std::optional<Selector> removeLevel(const Selector &, long n, Random &);
std::optional<Selector> changeLevel(const Selector &, const std::vector<int> &alternatives, long n, Random &);
std::optional<Selector> scaleCutoff(const Selector &, long n, Random &);
std::optional<double> changeTunable(const Tunable &, double value, Random &);

/// A child of one parent: one to three mutations of randomly chosen decisions. Nothing if the space has no
/// open decision or no change was found by chance.
std::optional<Configuration> mutate(const ProgramSpace &, const Bans &, const Configuration &, long n,
                                    Random &);

} // namespace pbc::tuner
