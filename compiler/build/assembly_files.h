// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds out whether the assembler may read files for a module: by `.incbin` and `.include` in `asm`
// statements.
//
//   asm(".incbin \"table.bin\"");      =>  true
//   asm("cpuid" : ...);                =>  false
//
// The assembler does not report which files it has read, so results of such a module are not kept in the
// cache.
#pragma once

namespace llvm {
class Module;
}

namespace pbc::build {

/// True also where a macro of the assembler could write such a directive.
bool mayReadFiles(const llvm::Module &);

} // namespace pbc::build
