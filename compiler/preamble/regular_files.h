// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A file system for Clang that opens only folders and regular files up to a size.
//
//   #include "/dev/zero"     in a raw block  =>  "cannot open file '/dev/zero': Operation not supported"
//   #include "huge.h"        of 1 TiB        =>  "cannot open file 'huge.h': File too large"
//
// Clang reads a file to its end. A device may have no end, and opening a pipe would wait for a writer.
#pragma once
#include <llvm/ADT/IntrusiveRefCntPtr.h>

namespace llvm::vfs {
class FileSystem;
}

namespace pbc::preamble {

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> regularFiles();

} // namespace pbc::preamble
