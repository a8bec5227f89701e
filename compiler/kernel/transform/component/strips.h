// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// strips(loops; length, buffers): lets the items of a group read the operands of a sum from memory that they share, in strips of its loop.
//
//   block:1: band y: block:0: band x: band k: S: C[x, y] += A[k, y] * B[x, k]
//   => strips(k; 16)
//   the same as (kt, k) = tile(k; 16); stage(A, at = kt, layout = transposed, pad = 4); stage(B, at = kt)
//
// The steps are found by what the loop reads of each input: cells that move with it, and with the items along one of the axes of their
// blocks, so that all items along the other axis share them. Copies lie so that an item reads those of its points together, and so that what
// is served at once is in different banks. Of an input that is read in several ways, each way has a copy of its own, as both halves
// of a symmetric matrix have.
//
// A loop that has strips already, because a step before has copied one of its matrices, keeps their length; the others get copies in them:
//
//   SM_alloc(A, Symmetry); strips(; 16, buffers = 2)      A with both halves, then B, and both with two buffers
//
//   full_strips(; 8)                  =>   separate(k; at = kt, apart = loops); (ks, k) = tile(k; 8); unroll(k)
//
// (without `apart` where full strips have others between them) writes out the steps of full strips, for all loops that have strips.
// `padding_triangular` stands in front of it. Both are steps of
// a script that knows no name of a loop, so that one script serves many rules. Source: optimisation-scripts 2, of whose script they are
// loop_tiling with SM_alloc and loop_unroll.
#pragma once
#include "compiler/kernel/transform/copies.h"
#include "compiler/script/script.h"

namespace pbc::kernel {

/// The matrices that a kernel only reads, without scalars.
std::vector<std::string> inputsOf(const Scheduled &);
/// The step that makes this copy.
script::Step stageStep(const CopyRequest &);
/// Loops of unknown length in the bodies, which have no other loop inside.
std::vector<std::string> longLoops(const Scheduled &);

/// The loop of strips, and the loop over the steps of one of them.
struct StripLoops {
  std::string strips, inside;
};
/// Of all loops whose strips groups copy, in the order of the tree.
std::vector<StripLoops> stripLoops(const Scheduled &);

/// Those in which a group has a triangle of the matrix: what is inside has other limits for other items.
std::vector<StripLoops> stripsWithTriangles(const Scheduled &, const std::string &matrix);

/// Why there are none.
std::string noTriangleInStrips(const Scheduled &, const std::string &matrix);

/// The kernel in which the loop has strips, and the steps that make it; a sentence if groups share nothing that it reads.
struct StripsOutcome {
  std::optional<Scheduled> kernel;
  script::Script steps;
  std::string strips; // the label of the loop over strips
  std::string why;
};
StripsOutcome withStrips(const Scheduled &, const std::string &loop, long length, long buffers = 1);
/// The same for a symmetric matrix alone, which the loop reads as if all of it were stored: its copies have both halves.
Outcome withStripsOfBothHalves(const Scheduled &, const std::string &loop, const std::string &matrix,
                               Half stored);

Transformation stripsTransformation();
Transformation fullStripsTransformation();

} // namespace pbc::kernel
