// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads the machine code that NVIDIA's compilers make: no GPU and no disassembler is needed.
//
//   readCubin(compileCuda(text, "sm_90"))   { { "pb_Product_rule0", 40 registers, 0 local bytes, .., instructions } }
//
// A cubin is an ELF file of 64 bits: `.text.NAME` has the instructions of a kernel, `.nv.info` the registers and the stack of
// each, `.nv.shared.NAME` is as large as its arrays in the memory of a group.
//
// Invariant: whatever the bytes are, nothing outside of them is read.
#pragma once
#include "compiler/cubin/instruction.h"
#include <stdexcept>
#include <string>
#include <vector>

namespace pbc::cubin {

struct Function {
  std::string name;
  int registers = 0;    // of an item, 32 bits each
  long localBytes = 0;  // of an item's stack: arrays that are indexed, and registers that were spilled
  long groupBytes = 0;  // of the arrays of a group
  int architecture = 0; // 90 for sm_90
  std::vector<Instruction> instructions; // without the padding at the end
};

/// The bytes are no cubin, or one that is cut off.
struct Unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The kernels in the order of their sections. Throws Unreadable.
std::vector<Function> readCubin(const std::string &bytes);

} // namespace pbc::cubin
