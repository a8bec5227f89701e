// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/run_state.h"
#include "runtime/abi/body.h"

namespace pb {
namespace base {
namespace {
bool training = false, untrained = true;
} // namespace

void setTraining(bool is) { training = is; }
void setUntrained(bool is) { untrained = is; }

} // namespace base

extern "C" {
bool pb_is_training() { return base::training; }
bool pb_is_untrained() { return base::untrained; }
}

} // namespace pb
