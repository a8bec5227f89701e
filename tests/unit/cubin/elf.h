// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes files like those of NVIDIA's assembler, for machines without its compiler.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace pbc::cubin {

using Word = std::array<std::uint64_t, 2>;

struct Written {
  std::string kernel = "k";
  std::vector<Word> words;
  std::uint32_t registers = 0, frame = 0;
  std::uint64_t groupBytes = 0;
  std::uint32_t architecture = 90;
  std::string lines = {};      // .debug_line
  std::uint64_t addressAt = 0; // where it has the kernel's address
};
std::string elf(const Written &);

} // namespace pbc::cubin
