// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether the assembler may read files for a module: `.incbin` and `.include` of `asm` statements.
//
//   asm(".incbin \"table.bin\"");      =>  true
//   asm("cpuid" : ...);                =>  false
//
// The assembler does not say which files it has read, so results of such a module are not kept in the cache.
#pragma once

namespace llvm {
class Module;
}

namespace pbc::build {

/// True also where a macro of the assembler could write such a directive.
bool mayReadFiles(const llvm::Module &);

} // namespace pbc::build
