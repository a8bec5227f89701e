// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Links objects and the runtime to a program or a shared library, by lld inside this process.
//
//   LinkResult r = link({.kind = LinkRequest::Kind::Program, .output = "smooth",
//                        .inputs = {{"smooth.o", bytes}}});
//   if (!r.ok) print(r.messages);    // lld's own messages: "undefined symbol: f"
//
// Invariant: the file named by `output` is either what it was before or the complete new file, whatever
// happens: lld writes into memory, from where PendingFiles writes the file. lld keeps its state in globals, so
// concurrent links of one process wait for each other.
#pragma once
#include "runtime/base/pending_files.h"
#include <string>
#include <vector>

namespace pbc::build {

struct LinkInput {
  std::string name;  ///< for messages; the path of a file where `bytes` is empty
  std::string bytes; ///< an object or archive in memory
};

struct LinkRequest {
  enum class Kind { Program, SharedLibrary };

  Kind kind = Kind::Program;
  std::string output;
  std::vector<LinkInput> inputs;
  bool runtime = true;                     ///< add libpbruntime.a and what it needs
  std::vector<std::string> extraArguments; ///< as for ld: "-lmvec", "-Lfolder", a path
  std::string versionScript;               ///< which symbols of a shared library others see; "": all
};

struct LinkResult {
  bool ok = false;
  std::string bytes;   ///< the program
  std::string written; ///< where it is until the files are committed
  /// Files that were linked, and places in front of them where a library was looked for and is not.
  std::vector<std::string> filesRead;
  std::string messages;
  double seconds = 0;
};

LinkResult link(const LinkRequest &);
/// The file gets its name when `files` are committed.
LinkResult link(const LinkRequest &, pb::base::PendingFiles &files);

/// The path of libpbruntime.a: the environment's PBC_RUNTIME, else ../lib/ beside the folder of this program.
std::string runtimeArchive();

} // namespace pbc::build
