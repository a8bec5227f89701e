// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/vector_loops.h"

#include "compiler/model/measure/widest_vectors.h"

#include <cstdint>

namespace pbc::model {

#ifdef __x86_64__

namespace {

constexpr int kVectorChains = 12, kVectorTimes = 8;

// The number 1 in 8 bytes.
constexpr std::uint64_t kOneF32 = 0x3f8000003f800000, kOneF64 = 0x3ff0000000000000, kOneI32 = 0x100000001,
                        kOneI64 = 1;

// Instructions for the chain in register number i, of class r ("ymm", "zmm"). Register 15 has ones.
#define PBC_TO_ONE(op, r, i) "vmovaps %%" r "15, %%" r i "\n\t"
#define PBC_WITH_ONE(op, r, i) op " %%" r "15, %%" r i ", %%" r i "\n\t"
#define PBC_ONES_ADDED(op, r, i) op " %%" r "15, %%" r "15, %%" r i "\n\t"
#define PBC_ALONE(op, r, i) op " %%" r i ", %%" r i "\n\t"

#define PBC_12_CHAINS(form, op, r)                                                                           \
  form(op, r, "0") form(op, r, "1") form(op, r, "2") form(op, r, "3") form(op, r, "4") form(op, r, "5")      \
      form(op, r, "6") form(op, r, "7") form(op, r, "8") form(op, r, "9") form(op, r, "10")                  \
          form(op, r, "11")
#define PBC_2_TIMES(text) text text
#define PBC_8_TIMES(text) PBC_2_TIMES(PBC_2_TIMES(PBC_2_TIMES(text)))

/// A function of the number of rounds, which is 1 or more.
#define PBC_VECTOR_LOOP(form, op, r, pattern)                                                                \
  [](long rounds) {                                                                                          \
    const std::uint64_t one = pattern;                                                                       \
    asm volatile("vbroadcastsd %1, %%" r "15\n\t" PBC_12_CHAINS(PBC_TO_ONE, "", r) "1:\n\t" PBC_8_TIMES(     \
                     PBC_12_CHAINS(form, op, r)) "dec %0\n\t"                                                \
                                                 "jnz 1b\n\t"                                                \
                                                 "vzeroupper"                                                \
                 : "+r"(rounds)                                                                              \
                 : "m"(one)                                                                                  \
                 : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",     \
                   "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");                                    \
  }

void addVectorLoop(std::vector<ResourceLoop> &loops, ResourceKind kind, int bytes, void (*run)(long)) {
  if (vectorLanes() * 4 >= bytes)
    loops.push_back({kind, bytes / bytesOfNumber(kind), run, kVectorChains * kVectorTimes});
}

/// Four numbers from lines of their own. AVX-512 has both instructions, and chooses numbers by a register of bits.
#define PBC_APART_LOOP(text)                                                                                 \
  [](long rounds) {                                                                                          \
    alignas(64) static double cells[64];                                                                     \
    static const std::int64_t apart[4] = {0, 8, 16, 24};                                                     \
    asm volatile("vmovdqu (%2), %%ymm1\n\t"                                                                  \
                 "vpxor %%xmm2, %%xmm2, %%xmm2\n\t"                                                          \
                 "1:\n\t" PBC_8_TIMES(text) "dec %0\n\t"                                                     \
                                            "jnz 1b\n\t"                                                     \
                                            "vzeroupper"                                                     \
                 : "+r"(rounds)                                                                              \
                 : "r"(cells), "r"(apart)                                                                    \
                 : "cc", "memory", "xmm1", "xmm2");                                                          \
  }
#define PBC_ALL_BITS "kxnorw %%k1, %%k1, %%k1\n\t"

void addApartLoops(std::vector<ResourceLoop> &loops) {
  if (vectorLanes() < 16)
    return;
  constexpr int kNumbers = 4, kPerRound = 8;
  loops.push_back({ResourceKind::Gather, kNumbers,
                   PBC_APART_LOOP(PBC_ALL_BITS "vpxor %%xmm2, %%xmm2, %%xmm2\n\t"
                                               "vgatherqpd (%1,%%ymm1,8), %%ymm2%{%%k1%}\n\t"),
                   kPerRound});
  loops.push_back({ResourceKind::Scatter, kNumbers,
                   PBC_APART_LOOP(PBC_ALL_BITS "vscatterqpd %%ymm2, (%1,%%ymm1,8)%{%%k1%}\n\t"), kPerRound});
}

} // namespace

// A processor may have more instructions of half of its widest vectors, or a higher clock with them.
#define PBC_ADD_64(kind, form, op, pattern)                                                                  \
  addVectorLoop(loops, kind, 64, PBC_VECTOR_LOOP(form, op, "zmm", pattern))
#define PBC_ADD_BOTH(kind, form, op, pattern)                                                                \
  PBC_ADD_64(kind, form, op, pattern);                                                                       \
  addVectorLoop(loops, kind, 32, PBC_VECTOR_LOOP(form, op, "ymm", pattern))

std::vector<ResourceLoop> vectorLoops() {
  std::vector<ResourceLoop> loops;
  using enum ResourceKind;
  PBC_ADD_BOTH(AddF32, PBC_WITH_ONE, "vaddps", kOneF32);
  PBC_ADD_BOTH(AddF64, PBC_WITH_ONE, "vaddpd", kOneF64);
  PBC_ADD_BOTH(MultiplyF32, PBC_WITH_ONE, "vmulps", kOneF32);
  PBC_ADD_BOTH(MultiplyF64, PBC_WITH_ONE, "vmulpd", kOneF64);
  PBC_ADD_BOTH(FmaF32, PBC_ONES_ADDED, "vfmadd231ps", kOneF32);
  PBC_ADD_BOTH(FmaF64, PBC_ONES_ADDED, "vfmadd231pd", kOneF64);
  PBC_ADD_BOTH(DivideF32, PBC_WITH_ONE, "vdivps", kOneF32);
  PBC_ADD_BOTH(DivideF64, PBC_WITH_ONE, "vdivpd", kOneF64);
  PBC_ADD_BOTH(SqrtF32, PBC_ALONE, "vsqrtps", kOneF32);
  PBC_ADD_BOTH(SqrtF64, PBC_ALONE, "vsqrtpd", kOneF64);
  PBC_ADD_BOTH(AddI32, PBC_WITH_ONE, "vpaddd", kOneI32);
  PBC_ADD_BOTH(MultiplyI32, PBC_WITH_ONE, "vpmulld", kOneI32);
  PBC_ADD_BOTH(AddI64, PBC_WITH_ONE, "vpaddq", kOneI64);
  // AVX2 has no product of 8 bytes: there the rate of numbers follows from that of instructions.
  PBC_ADD_64(MultiplyI64, PBC_WITH_ONE, "vpmullq", kOneI64);
  addApartLoops(loops);
  return loops;
}

#else

std::vector<ResourceLoop> vectorLoops() { return {}; }

#endif

} // namespace pbc::model
