// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What instructions use up in the units that compute: places for instructions, ports to the nearest memory,
// arithmetic. Each has a latency and rates.
//
//   fma_f64: 4 cycles from operands to result; one core has 2 instructions a cycle, or 16 numbers; two cores
//   have twice as many
//
// A rate is counted twice, because no single count is a limit for vectors of all widths: a processor may have
// three loads of 4 bytes in a cycle, and two of 64 bytes. Both limits hold for each mixture of widths:
//
//   instructions   per second, at the width at which there are most of them
//   numbers        per second, at the width at which there are most of them
//
// A number of `load` and `store` has 4 bytes. On GPUs an instruction is that of one lane, and has one number.
// `issue` counts instructions of any kind; where a processor reads an operand from memory in the instruction
// that uses it, or compares and branches in one, these two are one. Source: lower-bound-search.md 5.1, 9.4;
// bottleneck-analysis.md 9.
#pragma once
#include "compiler/model/machine/figure.h"

#include <optional>
#include <string>
#include <vector>

namespace pbc::model {

/// What has a memory, or a rate, of its own.
enum class Scope { Lane, Unit, Machine };

enum class ResourceKind {
  Issue,
  Load,
  Store,
  AddF32,
  MultiplyF32,
  FmaF32,
  DivideF32,
  SqrtF32,
  AddF64,
  MultiplyF64,
  FmaF64,
  DivideF64,
  SqrtF64,
  AddI32,
  MultiplyI32,
  AddI64,
  MultiplyI64,
  Gather,  // numbers that one instruction loads from places apart, all in the nearest memory
  Scatter, // that one stores
  Jump,    // that is taken, as at the end of an iteration
};
inline constexpr int kResourceKinds = static_cast<int>(ResourceKind::Jump) + 1;

/// As in a machine's file: "fma_f64".
const char *nameOf(ResourceKind);
/// The names of all kinds, in their order.
const std::vector<std::string> &resourceNames();

/// The bytes of one number: 4 or 8; 0 for `issue` and `jump`, which have none.
int bytesOfNumber(ResourceKind);

/// Operations per second.
struct Throughput {
  std::optional<Figure> lane;    // one thread of a GPU, alone; a processor's thread is a unit
  std::optional<Figure> unit;    // one unit, alone
  std::optional<Figure> machine; // all units at once

  const std::optional<Figure> &of(Scope scope) const {
    return scope == Scope::Lane ? lane : scope == Scope::Unit ? unit : machine;
  }
};

struct Resource {
  ResourceKind kind = ResourceKind::Issue;
  std::optional<Figure> latency; // seconds from the operands to the result; of a load, from its address
  Throughput instructions;
  Throughput numbers;
};

} // namespace pbc::model
