// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A kernel as `pbc emulate` looks at it: a warp's trace from one of three sources, and the registers of its machine code.
//
//   emulatedKernel(kernel, { .source = TraceSource::MachineCode, .device = "sm_90", .. })     { trace, 224 registers }
//
// The kernel's loops say how much there is to do for all sources; PTX and machine code need NVIDIA's compiler.
#pragma once
#include "compiler/emit/device_texts.h"
#include "compiler/emulate/device/warp_trace.h"

namespace pbc::driver {

enum class TraceSource { Loops, Ptx, MachineCode };

struct TraceRequest {
  TraceSource source = TraceSource::Loops;
  std::string device = "sm_90";
  std::map<std::string, long> sizes; // as the loops call them
  std::optional<long> n;             // of other sizes
  std::optional<double> hits = {};   // none: what neighbours load, too, comes from caches
  std::optional<long> registers;     // of an item; none: those of the machine code, if there is a compiler
};

struct EmulatedKernel {
  std::string why; // it is left out; empty if it is not
  emulate::Trace trace;
  std::optional<long> registers;
  double difference = 1; // how many times as much, or as little, the code does as the loops
};

/// Throws Refusal where the source needs a compiler that is not installed.
EmulatedKernel emulatedKernel(const emit::DeviceSource &, const TraceRequest &);

} // namespace pbc::driver
