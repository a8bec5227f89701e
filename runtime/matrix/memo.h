// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The runtime's side of `memoized` transforms (runtime/abi/memo.h).
#pragma once

namespace pb::matrix {

/// A new run: calls of earlier ones, perhaps under another configuration, are not known any more.
void forgetCalls();

} // namespace pb::matrix
