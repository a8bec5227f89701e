// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes a Clang instance use a preamble for the text that it parses next.
//
//   auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
//   preamble::use(*preamble, instance.getInvocation(), *memory);     // then instance.ExecuteAction(...)
//
// Invariant: the preamble outlives the parsing, and `memory` is part of the instance's file system.
#pragma once
#include "compiler/preamble/preamble.h"

namespace clang {
class CompilerInvocation;
}
namespace llvm::vfs {
class InMemoryFileSystem;
}

namespace pbc::preamble {

void use(const Preamble &, clang::CompilerInvocation &, llvm::vfs::InMemoryFileSystem &memory);

} // namespace pbc::preamble
