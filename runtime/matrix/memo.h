// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The runtime's side of `memoized` transforms (runtime/abi/memo.h).
#pragma once
#include "runtime/abi/slots.h"

namespace pb::matrix {

/// Begins a new run: the calls of earlier runs, perhaps under another configuration, are forgotten.
void forgetCalls();

/// Frees what the transforms of a context remember. Nothing runs in it any more.
void dropCalls(ExecutionContext &);

} // namespace pb::matrix
