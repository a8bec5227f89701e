// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Blocks of memory for matrices: 64-byte aligned, large ones reused.
//
//   unsigned long capacity;
//   void *block = takeBlock(1 << 20, &capacity);   // capacity >= 1 << 20
//   giveBlock(block, capacity);
//
// Invariants: a block is handed out once at a time; blocks at rest never exceed an eighth of the machine's
// memory; a reused block is at most a quarter larger than asked for. With AddressSanitizer nothing rests, so
// that it sees every use after free.
#pragma once

namespace pb::matrix {

/// Null when memory is short (blocks at rest are freed before giving up).
void *takeBlock(unsigned long bytes, unsigned long *capacity);
void giveBlock(void *block, unsigned long capacity);
/// Frees the blocks at rest.
void emptyPool();

} // namespace pb::matrix
