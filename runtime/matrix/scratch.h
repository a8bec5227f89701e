// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Memory of the calling thread that is used again and again.
#pragma once

namespace pb {

/// Who uses it: memory of one use stays while that of another is in use.
enum class Scratch { Panels, Tile };

/// At least so many bytes, on a cache line; what was there before may be gone. Throws std::bad_alloc.
void *scratch(Scratch use, long bytes);

} // namespace pb
