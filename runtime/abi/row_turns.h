// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops over the same matrix that take its rows in turn: each block of rows comes from memory once, and the other loops find it in a cache.
//
//   Q[i] = sum over j of A[j, i] P[j];  S[j] = sum over i of A[j, i] R[i]
//
//   static const pb::RowTurns::Loop pb_turns_0_loops[] = {
//     {pb_kernel_0, pb_box_0, 0, 0, false},     // over i
//     {pb_kernel_2, pb_box_1, 1, 0, true},      // over j and i
//   };
//   static const pb::RowTurns pb_turns_0 = {pb_turns_0_bytes, pb_turns_0_loops, 2, 8};
//   =>  for each block [r, r + 8) of rows:
//         pb_kernel_0(f, {r}, {r + 8});
//         pb_kernel_2(f, {0, r}, {n, r + 8});
//
// The turns belong to the first of as many steps that follow each other in a table, which are the same loops one after the other. In tasks,
// each worker has its part of the rows of a block, or of the other dimensions where a loop needs its rows in order.
#pragma once
#include "loops.h"

namespace pb {

struct RowTurns {
  struct Loop {
    BoxFunction kernel;
    void (*box)(const Frame *, Box *);
    int along;   // the dimension of the box whose values are rows
    long offset; // a row is this value plus so much
    bool isCut;  // blocks of rows follow each other; otherwise they are independent
  };
  long (*bytesOfRow)(const Frame *);
  const Loop *loops;
  int count;
  long grain; // blocks are multiples of so many rows, unless the configuration says otherwise
};

/// The rows of a block for each worker; 0: the loops run one after the other. That is better where the matrix fits into the caches, and
/// where not even the shortest block does.
long rowsInTurn(const RowTurns &, const Frame *, int workers);

/// Runs all loops in blocks of `rows` rows, on the calling thread.
void takeTurns(const RowTurns &, const Frame *, long rows);
/// The same in tasks, for that many workers. Turns and frame must live until the job is done.
Job turnsInTasks(const RowTurns &, const Frame *, long rows, int workers);

} // namespace pb
