// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The parsed command line of a generated program.
//
//   Options o = parseOptions({"--threads", "2", "--size", "w=640", "in.npy", "-"});
//   o.threads == 2;  o.sizes == {{"w", 640}};  o.positional == {"in.npy", "-"}
//
// `--x=v` and `--x v` are the same; flags are `--x`, `--nox` and `--x=yes|no`; options may stand anywhere;
// nothing after `--` is an option; `-` and negative numbers are not options (language reference 4.1).
// Invariant: parsing and the text of --help use one table (options.cpp).
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pb::program {

struct Options {
  bool help = false, name = false, info = false, time = false, accuracy = false, check = false, serve = false,
       printConfig = false;
  bool reset = false;                // write the default configuration
  bool hash = false, show = false;   // --hash, --force-output
  std::string devices, trace;        // --devices=LIST, --trace=FILE
  long trials = 0;                   // samples of --time; 0: enough for half a second
  double seconds = 0;                // --max-sec: after that the run ends without a result; 0: never
  std::string createFiles, runFiles; // --iogen-create, --iogen-run: prefix of the files' names
  int channel = -1;                  // --channel=N: the socket of --serve; below 0: the standard streams
  bool useConfig = true; // --noconfig: defaults, even if there is a configuration beside the program
  bool warnings = true;  // warn about a configuration that was made elsewhere
  std::optional<std::string> config; // --config=FILE
  std::string transform;             // "": the main transform
  int threads = 0;                   // 0: from the configuration, or one for each processor
  unsigned long seed = 1;
  std::optional<long> n;             // random inputs, every size variable is n
  std::map<std::string, long> sizes; // single size variables
  double limit = 0; // seconds for one alternative of --check; 0: derived from the default's time
  std::vector<std::string> positional;
};

/// Throws base::UserError with a suggestion for an unknown option.
Options parseOptions(const std::vector<std::string> &arguments);

/// The lines about options in --help.
std::string optionsHelp();

/// A whole number within [low, high]; throws a UserError that begins with `what`.
long parseInteger(const std::string &text, const std::string &what, long low, long high);

} // namespace pb::program
