// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sizes of the machine's caches, as the operating system reports them.
#pragma once

namespace pb {

/// Bytes of a cache, by level from 1 to 3; 0: the machine has no third one.
extern "C" long pb_cache_bytes(int level);

} // namespace pb
