// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stores what vector loops compute past the caches (streaming stores), where the matrix would not stay in them anyway.
//
//   label y: band y: label x: vector: band x: S   =>   stream(B)   label y: band y: label x: vector streaming if large:4 staggered: ...
//
// A plain store first reads the line of memory into which it stores, so that a map of one matrix moves three cells for each of two.
// Blocks of a row are computed in an array and stored together; several rows of the loop around take turns, so that what
// they read in common is still in the first cache, and tasks have a multiple of so many rows. Both versions are compiled: with `when = large`, a task compares the bytes of the matrix with
// the last cache of the machine at which it runs. The emitted loops are those of loop/lower/stream.cpp.
//
// Rows of turns are side by side, or staggered: each is a block behind the one before it. Where rows are a multiple of 4096 bytes apart, the same
// columns of them share a set of the first cache, and reads wait for stores to addresses with the same last 12 bits; staggered ones do not, but
// what a row has read is read again only a turn later.
//
// Legal if the vector loops that write the matrix run along its rows, store each cell once and whole, and store nothing else, and if the
// kernel does not read the matrix. Whoever reads it next finds it in memory: a task waits at its end until others see it.
#pragma once
#include "compiler/kernel/loops.h"
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation streamTransformation();

/// Why a vector loop cannot be stored past the caches in this way; "" if it can.
std::string whyNotStreamed(const Scheduled &, const LoopNode &, const as::Vector::Streaming &);

/// Why the rows of the loop around a vector loop cannot take turns; "" if they can.
std::string whyNoTurns(const Scheduled &, const LoopNode &);
/// The vector loops that store cells of the matrix.
std::vector<LoopNode> vectorLoopsThatStore(const Scheduled &, int buffer);

} // namespace pbc::kernel
