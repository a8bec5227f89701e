// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/runtime/sample_program.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
/// A command runs on a thread of its own, and some of them, as --check, go on in child processes.
extern "C" const char *__tsan_default_options() { return "die_after_fork=0"; }
#endif
#endif

int main(int argc, char **argv) { return pb::pb_main(&sample::program(), 1, argc, argv); }
