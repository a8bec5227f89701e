// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/abi/slots.h"

namespace pb {
namespace {
constinit ExecutionContext contextOfProgram;
} // namespace

extern "C" {
__thread ExecutionContext *pb_execution = &contextOfProgram;
}

} // namespace pb
