// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The configuration of a generated program: TOML in which transforms and rules appear by name.
//
//   program = "sort"                      # refused where it does not fit the program
//   hash = "9f2c..."                      # Program::hash
//   threads = 2                           # optional
//
//   [Sort]
//   choice = [ { below = 341, use = "InsertionSort" }, { below = 65536, use = "QuickSort" }, { use =
//   "MergeSort" } ] sequential_cutoff = 4096 split_size = 1024
//
// `choice = "MergeSort"` is short for one level. A tunable is a number; an array of them `w = [0.5, 0.25]`;
// one with a value for each power of two of the size `rounds = [ { below = 64, value = 3 }, { value = 10 }
// ]`, a plain number being short for all sizes. Copies of a template and accuracy bins are tables of their
// own,
// ["Name<2>"]. A transform's site that does not bear the transform's name
// has the key `choice_NAME`. [kernels] is the compiler's (kernels.h); a
// program that was compiled with another one warns. Missing entries keep their values; unknown transforms,
// rules or tunables, values out of range, cut-offs that do not grow, and another program's file are errors
// with file, line and column. Where a `hash` says that the file is another version's, programs use what fits
// of it (fit.h); [made-by] says where it comes from (origin.h). Never written by a run.
#pragma once
#include "runtime/abi/program.h"
#include <string>
#include <vector>

namespace pb::config {

/// Fills the program's slots from TOML text; `where` names the file in messages. Returns the errors
/// ("FILE:3:9: error: ..." each with its help); none: everything was applied. Nothing is applied when any.
/// `threads`: set when the text says so. Text in the original compiler's format is taken too (original.h);
/// `warnings` gets what it has that no longer exists, and where its [kernels] are not the program's.
std::vector<std::string> apply(const Program &, const std::string &toml, const std::string &where,
                               int *threads, std::vector<std::string> *warnings = nullptr);

/// Puts every slot to its default.
void applyDefaults(const Program &);

/// The current values of all slots as TOML that apply() accepts.
std::string describe(const Program &);

/// --info: everything about the program that a tuner needs, as JSON: transforms with matrices, size
/// variables, params, sites with alternatives, tunables with range, default and doc; the program's name and
/// hash, the transforms' hashes, and the machine. `devices`: those that it has.
struct DeviceInfo {
  std::string id, name, driver;
};
std::string infoJson(const Program &, const std::vector<DeviceInfo> &devices = {});

/// "double", "input", ... as infoJson has them.
const char *name(ElementKind);
const char *name(Role);

/// The key of a site in its transform's table: "choice" or "choice_NAME".
std::string choiceKey(const Transform &, const Site &);

inline constexpr int kMaxThreads = 1024;

} // namespace pb::config
