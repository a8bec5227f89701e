// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The command line of `pbc`, from one table (options.cpp) from which --help is made, too.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pbc::sema {
enum class Element;
} // namespace pbc::sema

namespace pbc::driver {

/// The values that --emit can print, in the order in which they are made. Explain is not a value of --emit
/// but the subcommand.
enum class Stage {
  Ast,
  Module,
  Facts,
  Grid,
  Graph,
  Plan,
  Lifted,
  Chains, // Lifted, and the chains of rules as one kernel each
  Kernels,
  Loops,
  Explain,
  Devices, // in one of emit::deviceLanguages()
  Cpp,
  Llvm,
  Asm,
  Program
};

/// What is made of a program.
enum class Product { Program, SharedLibrary, StaticLibrary };

/// At which sizes, on which machine and on how many of its cores `pbc explain` bounds times.
struct BoundOptions {
  std::optional<long> n;          // the value of all sizes
  std::vector<std::string> sizes; // "w=1024"
  std::string machine;            // a name or a file; "": measured
  int threads = 1;
  bool isWhy = false;     // also what limits each rule, and how to make it faster
  bool withTimes = false; // also the times of all schedules among which a program chooses
  bool isPredicted() const { return isWhy || withTimes; }
  bool isWanted() const { return n || !sizes.empty(); }
};

struct Options {
  std::string input;
  std::string output; // by default the source's name without its suffix, or libNAME.so, libNAME.a
  Product product = Product::Program;
  std::string header;           // of a library; "": NAME.h beside it
  Stage stage = Stage::Program; // Program: no --emit
  std::size_t deviceLanguage = 0;
  std::string mainTransform;
  sema::Element element{};   // of matrices that do not say it, and ElementT in bodies; double
  std::string configuration; // file to bake in
  std::string infoFile;      // XML file about choices and tunables; "" for none
  std::string objectFolder;  // where C++ and objects are kept; "": nowhere
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> includePath;
  std::vector<std::string> schedules;         // files
  std::vector<std::string> adaptors;          // files, beside those of the library
  std::vector<std::string> linkArguments;     // -l and -L, in order, and those from the environment
  std::vector<std::string> cpus = {"native"}; // several: the program has code for each and chooses at start
  int optimisation = 3;
  bool boundsCheck = false;
  bool reassociates = false; // as if all rules were `fast`
  bool vectorMath = true;    // loops may call vector functions
  bool forDevices = true;    // programs have kernels for OpenCL and CUDA
  bool printsLines = false;  // of lifted kernels: where statements stand in the program, for other commands
  bool dot = false;
  bool json = false; // of Explain
  // Of Explain, instead of what it says else; at most one of the two:
  std::string machineCodeOf;   // "sm_90"
  std::string builtOn;         // a device of this machine, "opencl:0"
  int indexBits = 32;          // of its kernels, where matrices of fewer than 2^31 cells allow it
  bool listsOptions = false;   // of kernels; of Explain
  bool forThisMachine = false; // those alternatives; of Explain
  BoundOptions bounds = {};    // of Explain
  bool timePasses = false;
  bool noCache = false;
  bool compiles = true, links = true; // from --nocompile, --nolink
  int jobs = 2;
  long memoryLimit = 0; // bytes that a compilation may need; 0: any number
};

/// Either options, or an exit status after everything was printed.
struct ParsedOptions {
  Options options;
  bool run = false;
  int status = 0;
};

/// `explains`: `pbc explain FILE` instead of `pbc FILE`; the same options, and --json.
ParsedOptions parseOptions(int argc, char **argv, bool explains = false);

} // namespace pbc::driver
