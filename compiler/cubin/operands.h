// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which registers an instruction of machine code reads and writes, and which unit carries it out.
//
//   operandsOf(0x0000001a101a7223, 0x010fc80000000011)     FFMA R26, R16, R26, R17: reads { 16, 26, 17 }, writes { 26 }
//
// Source: bottleneck-analysis.md 8 (fields of the words); the operations were compared with NVIDIA's disassembler 13.5 on the machine code of
// this project's kernels for sm_90. An operation that is not known here is one on whole numbers with three operands.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace pbc::cubin {

/// Numbers of what is no general register: predicates, registers of a whole warp.
inline constexpr int kPredicates = 256, kUniform = 264, kRegisters = 328;

struct Operands {
  std::vector<int> reads, writes;
};

enum class Pipe { Integer, F32, F64, Special };

Operands operandsOf(const std::array<std::uint64_t, 2> &word);
Pipe pipeOf(const std::array<std::uint64_t, 2> &word);
/// Whether it is carried out only where a predicate holds.
bool isPredicated(const std::array<std::uint64_t, 2> &word);

} // namespace pbc::cubin
