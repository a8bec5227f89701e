// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How much memory the cells of a kernel use.
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

unsigned bytesOf(Scalar);

/// The same number of cells for all sizes.
isl::pw_aff constantExtent(isl::ctx, long cells);
/// Nothing if it depends on the parameters.
std::optional<long> constantOf(const isl::pw_aff &extent);
/// The bytes of scratch memory; nothing if they depend on the parameters.
std::optional<long> scratchBytes(const Buffer &);
/// What fits into a cache of the second level several times, and what registers and a stack hold.
inline constexpr long kMostScratchBytes = 1L << 19, kMostBytesInRegisters = 1L << 13;

/// The bytes of one place in all matrices together that have at least `places` dimensions: the first
/// dimensions are the place, the others count versions.
long bytesPerPlace(const Kernel &, int places);

/// About how many bytes of registers the variables of the bodies at one point need on a device: twice as many for whole numbers of 64
/// bits, whose products are made of several, 4 more for each variable but the first, 8 for addresses where loops of bodies read
/// matrices themselves, and 8 where they call functions of doubles.
unsigned registerBytes(const Kernel &);

} // namespace pbc::kernel
