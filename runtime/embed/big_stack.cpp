// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/embed/big_stack.h"
#include <sys/mman.h>

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PB_BIG_STACK 1
#endif

#ifdef PB_BIG_STACK
// void pb_with_stack(void *top, void (*run)(void *), void *argument). Debuggers and exceptions find the caller's frame
// by the frame pointer.
asm(R"(
  .text
  .p2align 4
  .globl pb_with_stack
  .hidden pb_with_stack
  .type pb_with_stack, @function
pb_with_stack:
  .cfi_startproc
  endbr64
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  movq %rdi, %rsp
  movq %rdx, %rdi
  callq *%rsi
  movq %rbp, %rsp
  popq %rbp
  .cfi_def_cfa %rsp, 8
  retq
  .cfi_endproc
  .size pb_with_stack, .-pb_with_stack
)");
extern "C" void pb_with_stack(void *top, void (*run)(void *), void *argument);
#endif

namespace pb::embed {
namespace {

constexpr unsigned long kBytes = 256ul << 20, kGuard = 64ul << 10;

struct Stack {
  Stack() {
    memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
      memory = nullptr;
    else
      mprotect(memory, kGuard, PROT_NONE);
  }
  ~Stack() {
    if (memory)
      munmap(memory, kBytes);
  }
  Stack(const Stack &) = delete;
  Stack &operator=(const Stack &) = delete;

  void *memory;
  bool isUsed = false;
};

Stack &stack() {
  thread_local Stack ofThread;
  return ofThread;
}

} // namespace

#ifdef PB_BIG_STACK
bool hasBigStack() noexcept { return stack().memory; }

void callOnBigStack(void (*run)(void *), void *argument) {
  Stack &s = stack();
  if (s.isUsed) // a rule calls the library: this is the same stack already
    return run(argument);
  s.isUsed = true;
  pb_with_stack(static_cast<char *>(s.memory) + kBytes, run, argument);
  s.isUsed = false;
}
#else
bool hasBigStack() noexcept { return false; }
void callOnBigStack(void (*run)(void *), void *argument) { run(argument); }
#endif

} // namespace pb::embed
