// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles C++ text to object code inside this process, without temporary files or a compiler process.
//
//   CompileRequest unit{.name = "smooth.cpp", .text = "extern \"C\" int answer() { return 42; }"};
//   CompileResult made = compile(unit);
//   if (made.ok)
//     link({.output = "libsmooth.so", .inputs = {{"smooth.o", made.output}}, ...});   // link.h
//
// The front end, the optimiser and the code generator are those of Clang 19 with the options that its own
// driver would choose on this machine; the driver is asked once for each set of options. All functions may be
// called from several threads at once. No header of LLVM or Clang is needed to include this one.
#pragma once
#include "compiler/preamble/preamble.h"
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pbc::build {

class Cache;

struct CompileRequest {
  /// The form of the result: an object file, optimised LLVM assembly, or machine assembly.
  enum class Output { Object, Llvm, Assembly };

  std::string name = "unit.cpp"; ///< how messages call the text where no #line says otherwise
  std::string text;
  /// Headers that exist only in memory: name as included ("pb/region.h") and text. They are found before all
  /// others.
  std::vector<std::pair<std::string, std::string>> files;
  int optimisation = 3;       ///< 0 to 3
  std::string cpu = "native"; ///< as in -march: "native", "x86-64-v3", ...
  /// If not empty, all functions outside this namespace are local to the unit (isolate.h).
  std::string onlyShared = {};
  bool vectorMath = true;   ///< what `pb_vector_exp` and its like are: vector_math.h
  bool boundsCheck = false; ///< defines PB_BOUNDS_CHECK (runtime/abi/region.h)
  /// Further options of clang++, for example "-Ifolder", "-g", "-mprefer-vector-width=512", "-fno-rtti".
  std::vector<std::string> extraArguments;
  Output wanted = Output::Object;
  /// The headers that the text begins with, parsed once for many texts, and where such preambles come from. A
  /// text that does not compile with one is compiled without it.
  std::optional<preamble::Request> headers = {};
  preamble::Source preambles = {};
};

/// Why a text was not compiled.
enum class CompileFailure {
  None,
  Text,             ///< an error in it
  UnknownProcessor, ///< `cpu` is none
  Assembly,         ///< the assembler refuses an `asm` statement
  BackEnd           ///< the optimiser or the code generator gave up
};

struct CompileResult {
  bool ok = false;
  CompileFailure failure = CompileFailure::None;
  std::string output;                 ///< object bytes or text, as wanted; empty unless ok
  std::string messages;               ///< errors and warnings in Clang's own form
  std::vector<std::string> filesRead; ///< files of the disk that were included
  bool readsOtherFiles = false;       ///< and the assembler may have read more: not for a cache
  bool fromCache = false;
  bool withPreamble = false; ///< the headers of the request were not parsed again
  double frontSeconds = 0, optimiseSeconds = 0, codegenSeconds = 0;
};

CompileResult compile(const CompileRequest &);

/// The same through a cache (cache.h). An entry fits if the text, the options, this machine's processor (for
/// "native") and the contents of all included files are the same.
CompileResult compile(const CompileRequest &, Cache &);

/// Compiles requests on threads of its own, while further ones are being made.
///
///   Compilations compiling(&cache, 1);
///   compiling.add({kernels});                // begins at once
///   compiling.add({other, another});
///   compiling.finish();                      // on this thread, too
///
/// Of those that wait, the longest text comes first, so that no thread has to begin with it at the end.
class Compilations {
public:
  /// `cache` may be null.
  Compilations(Cache *cache, int threads);
  Compilations(const Compilations &) = delete;
  Compilations &operator=(const Compilations &) = delete;
  /// Leaves out those that have not begun.
  ~Compilations();

  void add(std::vector<CompileRequest>);
  /// All results, in the order in which the requests were added.
  std::vector<CompileResult> finish();

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Compiles all requests on up to `threads` threads; results are in the order of the requests. `cache` may be
/// null.
std::vector<CompileResult> compileAll(const std::vector<CompileRequest> &, Cache *cache, int threads = 2);

/// The arguments that decide how a request is compiled, as the front end gets them; for --emit and cache
/// keys. If an option is wrong, the list is empty and `messages` says why.
std::vector<std::string> frontArguments(const CompileRequest &, std::string &messages);

} // namespace pbc::build
