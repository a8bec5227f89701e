// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One instruction of NVIDIA's machine code, as far as it is known here.
//
//   decode({0x0000001a101a7223, 0x010fc80000000011}, 0x570, 90)     Kind::MultiplyAdd
//   decode({0x0000000e09107984, 0x000f220008000a00}, 0x540, 90)     Kind::SharedLoad, 8 bytes
//   decode({0xfffffff8003c1947, 0x000fea000383ffff}, 0x930, 90)     Kind::Branch, target 0x180
//
// Source: measured. Chains of single PTX operations were compiled with ptxas 13.0 for sm_80 and sm_90, and the words
// compared: instructions have 16 bytes since Volta, the operation in bits 0 to 8, a branch's distance in words of four bytes
// from bit 34 on (from sm_90 on its lowest eight bits are bits 16 to 23), the width of an access to memory in bits 73 to 75.
#pragma once
#include <array>
#include <cstdint>

namespace pbc::cubin {

enum class Kind {
  Other,       // also what this does not know
  MultiplyAdd, // of floating-point numbers, fused
  GlobalLoad,
  GlobalStore,
  GlobalCopy, // into a group's memory, in the background
  SharedLoad,
  SharedStore,
  LocalLoad, // of the item's own memory: arrays that are indexed, and registers that were spilled
  LocalStore,
  Shuffle, // between the registers of a warp's items
  Barrier,
  CopyWait, // for copies into the group's memory
  Exit,
  Branch,
  Padding, // behind the last instruction
};

inline constexpr long kInstructionBytes = 16;

struct Instruction {
  Kind kind = Kind::Other;
  int bytes = 0;   // of an access to memory, for one item; else 0
  long place = 0;  // bytes from the beginning of the function
  long target = 0; // of a branch
  long line = 0;   // of the kernel's text (line_table.h); 0: it is not known
  std::array<std::uint64_t, 2> word = {};
};

/// `architecture`: 80 for sm_80.
Instruction decode(const std::array<std::uint64_t, 2> &word, long place, int architecture);

} // namespace pbc::cubin
