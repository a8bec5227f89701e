// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/runtime/sample_program.h"

int main(int argc, char **argv) { return pb::pb_main(&sample::program(), 1, argc, argv); }
