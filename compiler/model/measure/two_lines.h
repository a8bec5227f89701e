// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Latency and gap of a resource from the times of few and of many independent chains of operations.
//
//   1 chain: 4 cycles an operation; 8: 4; 16: 4; 32: 8; 64: 16     =>   latency 4, gap 0.25, knee 16
//
// While C chains have less to do than the resource takes, an operation of all of them takes the latency; then C times the gap. The two
// lines meet at latency / gap chains. Where times are far from both, something else limits them, too. Source: bottleneck-analysis.md 2, 9
// ("knee check").
#pragma once
#include <vector>

namespace pbc::model {

struct ChainTime {
  int chains = 1;
  double time = 0; // of one operation of each chain
};

struct TwoLines {
  double latency = 0, gap = 0;
  double knee =
      0; // so many chains keep the resource busy, as measured: where times begin to grow; 0: they never do
  double deviation = 0; // the largest distance of a time from the two lines, as a share
  bool isSaturated =
      true; // else the gap is only an upper limit: even the most chains do not keep the resource busy

  /// Both lines meet where times begin to grow (within one chain or a quarter), and describe all times.
  bool holds() const;
};

/// Of at least one time; all are positive. In any order.
TwoLines twoLines(std::vector<ChainTime>);

inline constexpr double kMostDeviation = 0.05; // of times with one limit only

} // namespace pbc::model
