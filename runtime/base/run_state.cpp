// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/run_state.h"
#include "runtime/abi/body.h"
#include "runtime/abi/slots.h"

namespace pb {
namespace base {
namespace {
bool training = false;
} // namespace

void setTraining(bool is) { training = is; }
void setUntrained(bool is) { pb_execution->isUntrained = is; }

} // namespace base

extern "C" {
bool pb_is_training() { return base::training; }
bool pb_is_untrained() { return pb_execution->isUntrained; }
}

} // namespace pb
