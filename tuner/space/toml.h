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
// = 9 } ]. The number of threads stands before the tables, unless it is that of the processors: a file that
// does not say means all of them, on every machine; one that says more than there are means all of them, too.
//
// Invariant: fromToml(space, toToml(space, c, {})) == c for every configuration that fits the space.
#pragma once
#include "tuner/space/configuration.h"

namespace pbc::tuner {

struct TomlOptions {
  int threads = 0;                   // said by the user; 0: as the configuration has it
  std::vector<std::string> comments; // provenance, one line each, written first
};

/// A key, bare where TOML allows it; a text in quotes.
std::string tomlKey(const std::string &);
std::string tomlText(const std::string &);

std::string toToml(const ProgramSpace &, const Configuration &, const TomlOptions &);

/// Where and why this text of a file is no TOML; "": it is.
std::string tomlProblem(const std::string &text, const std::string &where);
/// Names of entries and tables; none where it is no TOML.
std::vector<std::string> topLevelKeys(const std::string &toml);
/// The program that a configuration is for; "" if it does not say.
std::string programNamed(const std::string &toml);

/// Missing entries keep their defaults. Throws TunerError, naming `where`, for text that does not fit.
Configuration fromToml(const ProgramSpace &, const std::string &toml, const std::string &where);

} // namespace pbc::tuner
