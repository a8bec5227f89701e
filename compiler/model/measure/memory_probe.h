// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures how fast memory is: with all units reading at once, and with one unit following a chain of
// pointers.
//
//   readBandwidth(2, 512 KiB)   =>  bytes per second of both units together, each over 512 KiB of its own
//   copyBandwidth(256 MiB, ..)  =>  bytes per second of one unit that reads 128 MiB and writes as many
//   chaseLatency(512 KiB)       =>  seconds from a load to the next, which needs its result
//
// The chain visits every line of 64 bytes once in a random order, so that nothing can be prefetched. The
// results are what a program sees: they include the cost of translating addresses.
#pragma once
#include "compiler/model/measure/sampling.h"

namespace pbc::model {

Figure readBandwidth(int units, std::size_t bytesEach, const Sampling &);
enum class Stores { InCaches, PastCaches };
/// Of one unit that copies half of so many bytes into the other half; both halves count.
Figure copyBandwidth(std::size_t bytes, Stores, const Sampling &);
Figure chaseLatency(std::size_t bytes, const Sampling &);

} // namespace pbc::model
