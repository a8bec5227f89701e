// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The components of the OA framework, under the names of its scripts: each is one or several of our steps, which it finds by itself.
//
//   (Lii, Ljj) = thread_grouping(Li, Lj)              tile(i, j; 32, 32), of which the scripts name the loops inside
//   (Liii, Ljjj, Lkkk) = loop_tiling(Lii, Ljj, Lkk)   tile(ii, jj, k; 8, 8, 8), likewise
//   loop_unroll(Ljjj, Lkkk)                           separate(jjj, kkk; at = kt); unroll(jjj, kkk)
//   peel_triangular(A)                                peel(k; along = ii); fission(ii, jj)
//   padding_triangular(A)                             pad(k; along = ii)
//   binding_triangular(A)                             likewise, and order(jj2, ii2): each column of the triangle by itself
//   binding_triangular(A, 0)                          likewise, and scalar(ii2, jj2, k_last): all of it by one thread
//   GM_map(A, Transpose)                              layout(A; order = transposed)
//   GM_map(A, Symmetry)                               likewise, with both halves of a matrix of which one is stored
//   format_iteration(A, Symmetry)                     join(k, k2): loops over its halves, which then read the same copy
//   SM_alloc(B, Transpose)                            stage(B; at = kt, layout = transposed)
//   SM_alloc(A, Symmetry)                             likewise, with both halves; on a device join(k, k2); (kt, k) = tile(k; 16), too, so
//                                                     that groups copy strips of both halves, which one loop reads
//   reg_alloc(C)                                      keep(C; at = kt)
//
// Our own, for adaptors that the framework does not have:
//
//   peel_halo(A)                                      peel(y; first = 1, last = 1); peel(x; first = 1, last = 1), and the part in the
//                                                     middle reads A without conditions
//   band_blocks(A, 2, 1)                              tile(y; 2); peel(k; along = y); fission(y)
//   batch(A, Outermost)                               order(b, y, x)
//   split_sum(A, 8)                                   partial_sums(k; 8)
//   compute_in_place(C)                               in_place(s); fission(y, x)
//
// Adaptors (script/adaptor.h) are written with them, because an adaptor knows its matrix and not the loops of the kernel. A loop `k` is
// also called `Lk`, and by the scripts' rule `Lkk` while no loop has that name. A component applies as a whole or not at all. Source:
// optimisation-scripts 3.
#pragma once
#include "compiler/kernel/transform/run.h"
#include "compiler/kernel/transform/support.h"

namespace pbc::kernel {

/// Several steps as one.
class Combined {
public:
  explicit Combined(const Scheduled &kernel) : kernel_(kernel) {}
  /// False, and nothing has changed, if the step does not apply.
  bool add(const script::Step &);
  const Scheduled &kernel() const { return kernel_; }
  const script::Script &steps() const { return steps_; } // that were added
  const std::string &why() const { return why_; }        // the last step that was refused was
  Outcome done() const { return {kernel_, ""}; }
  Outcome refused() const { return {std::nullopt, why_}; }

private:
  Scheduled kernel_;
  script::Script steps_;
  std::string why_;
};

/// Tiles of the loops, whose inner loops get the names of the step's results.
Outcome tileInto(const Scheduled &, const std::vector<std::string> &loops, const std::vector<long> &sizes,
                 const std::vector<std::string> &results);

/// The loops around this one that lie directly in each other, the outermost first.
std::vector<std::string> nestAround(const LoopNode &);
/// These loops are distributed, so that this one lies directly in those of its own; the kernel as it is if they cannot be.
Scheduled distributedAround(const Scheduled &, const std::string &inner,
                            const std::vector<std::string> &loops);

/// Makes one loop of each two over halves of a symmetric matrix, which read the matrix or a copy of it in the same way; a sentence if
/// there are none.
std::string joinHalves(Combined &, const std::string &matrix);

/// Whether the loop goes through the points of a tile: one by one, and no more often than a constant.
bool isInTile(const Scheduled &, const LoopNode &);

/// The innermost loop around all statements that use the buffer whose steps take several iterations of loops inside: where what a tile
/// uses is copied. "" if there is none.
std::string tileAround(const Scheduled &, int buffer);

} // namespace pbc::kernel
