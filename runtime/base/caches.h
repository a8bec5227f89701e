// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sizes of the machine's caches, as the operating system reports them.
#pragma once

namespace pb {

/// Bytes of a core's cache of this level, 1 or 2.
extern "C" long pb_cache_bytes(int level);

} // namespace pb
