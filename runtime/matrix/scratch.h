// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Memory of the calling thread that is reused.
#pragma once

namespace pb {

/// The purpose: memory for one purpose is kept while memory for another is in use.
enum class Scratch { Panels, Tile };

/// At least so many bytes, aligned to a cache line; earlier contents may be lost. Throws std::bad_alloc.
void *scratch(Scratch use, long bytes);

} // namespace pb
