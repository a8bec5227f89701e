// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the files that the text of an `asm` statement makes the assembler read, by `.incbin` and `.include`.
//
//   mayNameFiles("cpuid")                             =>  false
//   unreadableFile(".incbin \"/dev/zero\"", {})       =>  "the assembler cannot read `/dev/zero`: it is not a regular file"
//   unreadableFile(".macro m f\n.incbin \\f\n.endm")  =>  "the assembler cannot read the file of `.incbin`: its name is not one plain string"
//
// LLVM's assembler reads such a file to its end, without the file system that the front end is given
// (regular_files.h), and does not report which files it has read.
#pragma once
#include <llvm/ADT/StringRef.h>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class HeaderSearchOptions;
} // namespace clang

namespace pbc::preamble {

/// True also where a macro of the assembler could write such a directive.
bool mayNameFiles(llvm::StringRef assembly);

/// Why a file that this text names cannot be read to its end; nothing if all can, or do not exist. Files are searched
/// in the current folder and then in `folders`. The files of `.include` are examined in turn.
std::optional<std::string> unreadableFile(llvm::StringRef assembly, const std::vector<std::string> &folders);

/// The folders in which Clang lets the assembler search files.
std::vector<std::string> assemblyFolders(const clang::HeaderSearchOptions &);

} // namespace pbc::preamble
