// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A warp's trace from the text that a compiler made of a kernel: PTX or machine code. Both say what is done in which order, and on which
// registers; neither says how often loops run, which way branches go, and which cells lie next to each other.
//
//   load; L: multiply-add; branch to L if p; store   with the work { 4096 multiply-adds, loops of 4096 turns, .. }
//     =>  load; 4096 times { multiply-add }; store
//
// That follows from the kernel's loops (Work): the ways of branches and the turns of loops are those with which a warp does as much of each
// kind as the kernel's loops do. Sectors and turns of banks are those of the loops' accesses, in proportion to their bytes. So code for
// edges is left out, and all else is the compiler's. Invariant: verify(trace) is empty. Source: bottleneck-analysis.md 8.
#pragma once
#include "compiler/cubin/cubin.h"
#include "compiler/cubin/operands.h"
#include "compiler/emulate/device/warp_trace.h"

namespace pbc::emulate {

struct CodeInstruction {
  enum class Kind {
    Arithmetic,
    Load,
    Store,
    Copy,
    GroupLoad,
    GroupStore,
    Shuffle,
    Barrier,
    CopyWait,
    Branch,
    Exit,
    Nothing
  };
  Kind kind = Kind::Arithmetic;
  GpuUnit unit = GpuUnit::Integer; // of arithmetic
  int count = 1;                   // that it becomes, each on the result of the one before
  int bytes = 0;                   // of an access, by one lane
  std::vector<int> reads, writes;  // registers
  int target = -1;                 // of a branch: an instruction
  bool isConditional = false;      // a branch or an exit
  long line = 0;                   // of the kernel's text; 0: it is not known
  source::Origin origin = {};      // what it is done for
};

struct Code {
  std::vector<CodeInstruction> instructions;
  int registers = 0;
};

/// How far the code does what the kernel's loops do: 0 for the same amount of each kind.
struct CodeTrace {
  Trace trace;
  double difference = 0; // the greatest one, as a logarithm: 0.69 for twice as much
};

CodeTrace traceOf(const Code &, const Work &);

/// The instructions of a kernel in PTX, as NVRTC writes it. Throws std::invalid_argument for what it cannot read: the line. Of what was inlined,
/// the line is that of the call.
Code codeOfPtx(const std::string &text, const std::string &kernel);
Code codeOf(const cubin::Function &);

} // namespace pbc::emulate
