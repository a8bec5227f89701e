// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Links objects and the runtime to a program or a shared library, by lld inside this process.
//
//   LinkResult r = link({.kind = LinkRequest::Kind::Program, .output = "smooth",
//                        .inputs = {{"smooth.o", bytes}}});
//   if (!r.ok) print(r.messages);    // lld's own messages: "undefined symbol: f"
//
// Invariant: the file named by `output` is either what it was before or the complete new file, whatever
// happens: the linker writes a temporary file in the same folder, which is then renamed. lld keeps its state
// in globals, so concurrent links of one process wait for each other.
#pragma once
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
};

struct LinkResult {
  bool ok = false;
  std::string messages;
  double seconds = 0;
};

LinkResult link(const LinkRequest &);

/// The path of libpbruntime.a: the environment's PBC_RUNTIME, else ../lib/ beside the folder of this program.
std::string runtimeArchive();

} // namespace pbc::build
