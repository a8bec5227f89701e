// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/cubin/operands.h"
#include <algorithm>
#include <iterator>

namespace pbc::cubin {
namespace {

/// What stands in the fields of an operation: how many registers each operand has, 0 for none.
struct Operation {
  unsigned code;
  Pipe pipe;
  int d, a, b, c;           // the result, operands
  bool readsResult = false; // the field of the result is an operand, too: an address
  bool setsPredicate = false;
  bool isUniform = false;
};

constexpr Operation kFields[] = {
    {0x002, Pipe::Integer, 1, 0, 1, 0},                     // MOV
    {0x005, Pipe::Integer, 2, 0, 0, 0},                     // CS2R
    {0x006, Pipe::Integer, 1, 0, 0, 0, false, true},        // VOTE
    {0x007, Pipe::Integer, 1, 1, 1, 0},                     // SEL
    {0x008, Pipe::F32, 1, 1, 1, 0},                         // FSEL
    {0x00b, Pipe::F32, 0, 1, 1, 0, false, true},            // FSETP
    {0x00c, Pipe::Integer, 0, 1, 1, 0, false, true},        // ISETP
    {0x010, Pipe::Integer, 1, 1, 1, 1, false, true},        // IADD3
    {0x011, Pipe::Integer, 1, 1, 1, 1, false, true},        // LEA
    {0x013, Pipe::Integer, 1, 0, 1, 0},                     // IABS
    {0x01c, Pipe::Integer, 0, 0, 0, 0, false, true},        // PLOP3
    {0x020, Pipe::F32, 1, 1, 1, 0},                         // FMUL
    {0x021, Pipe::F32, 1, 1, 1, 0},                         // FADD
    {0x023, Pipe::F32, 1, 1, 1, 1},                         // FFMA
    {0x025, Pipe::Integer, 2, 1, 1, 2},                     // IMAD.WIDE
    {0x028, Pipe::F64, 2, 2, 2, 0},                         // DMUL
    {0x029, Pipe::F64, 2, 2, 0, 2},                         // DADD
    {0x02a, Pipe::F64, 0, 2, 2, 0, false, true},            // DSETP
    {0x02b, Pipe::F64, 2, 2, 2, 2},                         // DFMA
    {0x035, Pipe::F32, 1, 1, 1, 1},                         // HFMA2.MMA
    {0x036, Pipe::Integer, 1, 1, 1, 0},                     // VIADD
    {0x048, Pipe::Integer, 1, 1, 1, 0},                     // VIMNMX
    {0x105, Pipe::Special, 1, 0, 1, 0},                     // F2I
    {0x106, Pipe::Special, 1, 0, 1, 0},                     // I2F
    {0x108, Pipe::Special, 1, 0, 1, 0},                     // MUFU
    {0x109, Pipe::Special, 1, 0, 1, 0},                     // POPC
    {0x110, Pipe::Special, 2, 0, 2, 0},                     // F2F of doubles
    {0x111, Pipe::Special, 1, 0, 2, 0},                     // F2I of doubles
    {0x112, Pipe::Special, 2, 0, 2, 0},                     // I2F of doubles
    {0x119, Pipe::Integer, 1, 0, 0, 0},                     // S2R
    {0x182, Pipe::Integer, 2, 1, 0, 0},                     // LDC
    {0x189, Pipe::Integer, 1, 1, 1, 1},                     // SHFL
    {0x11a, Pipe::Integer, 0, 0, 0, 0},                     // DEPBAR
    {0x11b, Pipe::Integer, 0, 0, 0, 0},                     // ENDCOLLECTIVE
    {0x11d, Pipe::Integer, 0, 0, 0, 0},                     // BAR
    {0x141, Pipe::Integer, 0, 0, 0, 0},                     // BSYNC
    {0x142, Pipe::Integer, 0, 0, 0, 0},                     // BREAK
    {0x145, Pipe::Integer, 0, 0, 0, 0},                     // BSSY
    {0x147, Pipe::Integer, 0, 0, 0, 0},                     // BRA
    {0x148, Pipe::Integer, 0, 0, 0, 0},                     // WARPSYNC
    {0x14d, Pipe::Integer, 0, 0, 0, 0},                     // EXIT
    {0x1af, Pipe::Integer, 0, 0, 0, 0},                     // LDGDEPBAR
    {0x181, Pipe::Integer, 1, 2, 0, 0},                     // LDG: as wide as it says
    {0x184, Pipe::Integer, 1, 1, 0, 0},                     // LDS
    {0x183, Pipe::Integer, 1, 1, 0, 0},                     // LDL
    {0x186, Pipe::Integer, 0, 2, 1, 0},                     // STG
    {0x188, Pipe::Integer, 0, 1, 1, 0},                     // STS
    {0x187, Pipe::Integer, 0, 1, 1, 0},                     // STL
    {0x1ae, Pipe::Integer, 0, 2, 0, 0, true},               // LDGSTS: from A to the address in D
    {0x082, Pipe::Integer, 1, 0, 1, 0, false, false, true}, // UMOV
    {0x08c, Pipe::Integer, 0, 1, 1, 0, false, false, true}, // UISETP
    {0x090, Pipe::Integer, 1, 1, 1, 1, false, false, true}, // UIADD3
    {0x091, Pipe::Integer, 1, 1, 1, 1, false, false, true}, // ULEA
    {0x099, Pipe::Integer, 1, 1, 1, 1, false, false, true}, // USHF
    {0x0a5, Pipe::Integer, 2, 1, 1, 2, false, false, true}, // UIMAD.WIDE
    {0x0b9, Pipe::Integer, 2, 0, 0, 0, false, false, true}, // ULDC
    {0x1c3, Pipe::Integer, 1, 0, 0, 0, false, false, true}, // S2UR
};
constexpr Operation kOther{0, Pipe::Integer, 1, 1, 1, 1};

const Operation &operationOf(const std::array<std::uint64_t, 2> &word) {
  const auto *at = std::find_if(std::begin(kFields), std::end(kFields),
                                [&](const Operation &o) { return o.code == (word[0] & 0x1ff); });
  return at == std::end(kFields) ? kOther : *at;
}

constexpr int kWidths[] = {1, 1, 1, 1, 1, 2, 4, 1}; // registers of an access to memory

bool accessesMemory(unsigned code) {
  return code == 0x181 || code == 0x184 || code == 0x183 || code == 0x186 || code == 0x188 || code == 0x187;
}

} // namespace

Operands operandsOf(const std::array<std::uint64_t, 2> &word) {
  const Operation &o = operationOf(word);
  const auto field = [&](int k, int bit) {
    return static_cast<int>(word[static_cast<std::size_t>(k)] >> bit & 0xff);
  };
  Operands made;
  const auto put = [&](std::vector<int> &to, int first, int count, bool isUniform) {
    const int none = isUniform ? 63 : 255;
    if (isUniform)
      first &= 63;
    for (int k = 0; k < count && first != none && first + k < none; ++k)
      to.push_back(isUniform ? kUniform + first + k : first + k);
  };
  const int width = accessesMemory(o.code) ? kWidths[word[1] >> 9 & 7] : 1;
  const int form = static_cast<int>(word[0] >> 9 & 7);
  constexpr int kRegistersOnly = 1, kUniformB = 6, kUniformC = 7;
  put(made.reads, field(0, 24), o.a, o.isUniform);
  if (accessesMemory(o.code) || form == kRegistersOnly)
    put(made.reads, field(0, 32), o.b * width, o.isUniform);
  else if (form == kUniformB || form == kUniformC)
    put(made.reads, field(0, 32), std::max(o.b, 1), true);
  if (!accessesMemory(
          o.code)) // where the second operand is a number, the register of another one may stand here
    put(made.reads, field(1, 0),
        form == kRegistersOnly ? o.c : std::max(o.c, form == 2 || form == kUniformC ? o.b : 0), o.isUniform);
  put(o.readsResult ? made.reads : made.writes, field(0, 16), o.readsResult ? 1 : o.d * (o.b ? 1 : width),
      o.isUniform);
  constexpr int kAlways = 7;
  if (const int guard = static_cast<int>(word[0] >> 12 & 7); guard != kAlways)
    made.reads.push_back(kPredicates + guard);
  if (const int set = static_cast<int>(word[1] >> 17 & 7); o.setsPredicate && set != kAlways)
    made.writes.push_back(kPredicates + set);
  return made;
}

Pipe pipeOf(const std::array<std::uint64_t, 2> &word) { return operationOf(word).pipe; }

bool isPredicated(const std::array<std::uint64_t, 2> &word) { return (word[0] >> 12 & 7) != 7; }

} // namespace pbc::cubin
