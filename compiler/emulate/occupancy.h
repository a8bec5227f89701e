// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many blocks of threads a multiprocessor has at once, and how often it takes new ones.
//
//   Kepler, blocks of 128 threads with 65 registers each     =>   7 blocks, 28 warps, occupancy 7/16
//   1000 blocks, 4 at once on each of 13 multiprocessors     =>   phases 19.23, or 20 whole ones
//
// Source: bottleneck-analysis.md 5.
#pragma once

namespace pbc::emulate {

/// What one multiprocessor has.
struct Limits {
  long threads = 2048, blocks = 16, registers = 65536, groupBytes = 49152;
  long warp = 32;
  long registerUnit = 256, byteUnit = 256; // registers are given to warps, bytes to blocks, in such units
};

/// What a block needs.
struct Block {
  long threads = 1, registers = 0, groupBytes = 0; // registers of one thread; 0: not known, no limit
};

struct Occupancy {
  long blocks = 0; // at once; 0: not even one fits
  long warps = 0;
  double share = 0; // of the threads that there could be
};

Occupancy occupancyOf(const Block &, const Limits & = {});

/// The most registers of a thread with which so many threads are resident.
long mostRegisters(long threads, const Limits & = {});

struct Phases {
  double exact = 0; // without the tail of the last phase
  long whole = 0;
};

/// Of `blocks` blocks, so many at once on each of so many multiprocessors; none fit: zero.
Phases phasesOf(long blocks, long atOnce, long multiprocessors);

} // namespace pbc::emulate
