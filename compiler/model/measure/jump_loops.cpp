// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/jump_loops.h"

namespace pbc::model {
namespace {

#if defined(__x86_64__) || defined(__aarch64__)

#ifdef __x86_64__
#define PBC_JUMP "jmp 1f\n"
#define PBC_LOOP(rounds) "mov $" #rounds ", %%ecx\n1: dec %%ecx\njnz 1b\n"
#define PBC_COUNTER "ecx", "cc"
#else
#define PBC_JUMP "b 1f\n"
#define PBC_LOOP(rounds) "mov w9, #" #rounds "\n1: subs w9, w9, #1\nb.ne 1b\n"
#define PBC_COUNTER "w9", "cc"
#endif
#define PBC_JUMPS(times, log2Bytes) ".rept " #times "\n" PBC_JUMP "nop\n.p2align " #log2Bytes "\n1:\n.endr\n"

void jump16(long rounds) {
  for (long r = 0; r < rounds; ++r)
    asm volatile(PBC_JUMPS(64, 4));
}
void jump32(long rounds) {
  for (long r = 0; r < rounds; ++r)
    asm volatile(PBC_JUMPS(64, 5));
}
void jump64(long rounds) {
  for (long r = 0; r < rounds; ++r)
    asm volatile(PBC_JUMPS(64, 6));
}

/// Eight loops of five rounds, of which four end with a jump.
void shortLoops(long rounds) {
  for (long r = 0; r < rounds; ++r)
    asm volatile(".rept 8\n" PBC_LOOP(5) ".endr\n" ::: PBC_COUNTER);
}
void longLoop(long rounds) {
  for (long r = 0; r < rounds; ++r)
    asm volatile(PBC_LOOP(1001)::: PBC_COUNTER);
}

#endif

} // namespace

std::vector<ResourceLoop> jumpLoops() {
#if defined(__x86_64__) || defined(__aarch64__)
  return {{ResourceKind::Jump, 0, jump16, 64},
          {ResourceKind::Jump, 0, jump32, 64},
          {ResourceKind::Jump, 0, jump64, 64},
          {ResourceKind::Jump, 0, shortLoops, 32},
          {ResourceKind::Jump, 0, longLoop, 1000}};
#else
  return {};
#endif
}

} // namespace pbc::model
