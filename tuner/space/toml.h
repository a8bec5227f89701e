// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Configurations as the TOML text that programs read (runtime/config/configuration.h), and back.
//
//   program = "sort"
//   hash = "9f2c"
//   [Sort]
//   choice = [ { below = 341, use = "InsertionSort" }, { use = "MergeSort" } ]
//   sequential_cutoff = 4096
//
// A tunable with several values is one entry: w = [0.5, 0.25], rounds = [ { below = 64, value = 3 }, { value
// = 9 } ]. The number of threads stands before the tables, unless it is the number of processors: a file
// without it means all processors, on every machine, and so does a file with more threads than there are
// processors.
//
// Invariant: fromToml(space, toToml(space, c, {})) == c for every configuration that fits the space.
#pragma once
#include "tuner/space/configuration.h"

namespace pbc::tuner {

struct TomlOptions {
  int threads = 0;                   // given by the user; 0: as in the configuration
  std::vector<std::string> comments; // provenance, one line each, written first
};

/// A key: bare where TOML allows it, else in quotes.
std::string tomlKey(const std::string &);
std::string tomlText(const std::string &);

std::string toToml(const ProgramSpace &, const Configuration &, const TomlOptions &);

/// The position and reason of the first error, if the text is not TOML; "": it is TOML.
std::string tomlProblem(const std::string &text, const std::string &where);
/// The names of entries and tables; none if the text is not TOML.
std::vector<std::string> topLevelKeys(const std::string &toml);
/// The name of the program that a configuration is for; "" if it has none.
std::string programNamed(const std::string &toml);

/// Missing entries keep their defaults. Throws TunerError, with `where` in the message, for text that does
/// not fit.
Configuration fromToml(const ProgramSpace &, const std::string &toml, const std::string &where);

} // namespace pbc::tuner
