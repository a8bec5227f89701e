// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Refuses what would make a program's objects large without end: tables with a large initial value, and files that the
// assembler cannot read to their end.
//
//   static double t[200000000] = {1, 2};    =>  error "the initialised data of the program is larger than 64 MiB: `t` has 1525 MiB"
//   asm(".incbin \"/dev/zero\"");           =>  error "the assembler cannot read `/dev/zero`: it is not a regular file"
//
// A table whose elements are all zero adds nothing to the program's size. Only for clang_reader.cpp.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
} // namespace clang

namespace pbc::body {

/// The most bytes of initial values in one program. LLVM takes several times as much memory for them.
inline constexpr std::int64_t kMostData = 64 << 20;

/// Reports through Clang's diagnostics. `assemblyFolders`: where the assembler searches files.
void refuseEndlessData(clang::ASTContext &, const std::vector<std::string> &assemblyFolders);

} // namespace pbc::body
