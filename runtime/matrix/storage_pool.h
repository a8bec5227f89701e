// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Blocks of memory for matrices: 64-byte aligned, large ones reused.
//
//   unsigned long capacity;
//   void *block = takeBlock(1 << 20, &capacity);   // capacity >= 1 << 20
//   giveBlock(block, capacity);
//
// Invariants: a block has at most one user at a time; unused blocks never exceed an eighth of the machine's
// memory; a reused block is at most a quarter larger than asked for. With AddressSanitizer no blocks are
// kept, so that it sees every use after free.
#pragma once

namespace pb::matrix {

/// Null when memory is short (unused blocks are freed before giving up).
void *takeBlock(unsigned long bytes, unsigned long *capacity);
void giveBlock(void *block, unsigned long capacity);
/// Frees the unused blocks.
void emptyPool();

} // namespace pb::matrix
